"""Standard facts about pairs of laws: trade-off curves, maps and noise, families with a monotone likelihood ratio."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.notation import trade_off

OF_LAWS: Mapping[str, Fact] = {
    "a test and the trade-off curve": Fact(
        text="A test of size at most x that misses with probability y puts the trade-off curve at x at or below y.",
        tex=r"\alpha_\phi \le x \implies T(x) \le \beta_\phi",
        letters=("size", "level", "missed"),
        conditions={"size": "the test's size is at most the level", "missed": "what it misses"},
        reference="the definition of the trade-off curve: Dong, Roth and Su (2022), Definition 2.1",
        instance=lambda a: (trade_off(a["level"]), "<=", a["missed"]),
        required={"size": lambda a: (a["level"], ">=", a["size"])},
    ),
    "trade-off curves are convex": Fact(
        text="Of two tests one is chosen by a coin: the trade-off curve is at or below its chords.",
        tex=r"T(c x + (1 - c) y) \le c\,T(x) + (1 - c)\,T(y)",
        letters=("x", "y", "c"),
        conditions={"share": "0 <= c <= 1"},
        reference="Dong, Roth and Su (2022), Proposition 2.2",
        instance=lambda a: (
            trade_off(a["c"] * a["x"] + (1 - a["c"]) * a["y"]),
            "<=",
            a["c"] * trade_off(a["x"]) + (1 - a["c"]) * trade_off(a["y"]),
        ),
        required={"share": lambda a: (a["c"], "<=", sp.Integer(1))},
    ),
}
