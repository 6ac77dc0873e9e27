"""Standard facts about least values: of a gap that obeys a parabolic inequality, and so is nowhere negative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.notation import beyond, rate

_zero = sp.Integer(0)


def _inside(a: Mapping[str, Any], side: Any) -> Any:
    return side.subs(a["inside"], simultaneous=True)


def _at_start(a: Mapping[str, Any], side: Any) -> Any:
    return side.subs({a["s"]: 0, a["e"]: a["epsilon"]}, simultaneous=True)


def _beyond(a: Mapping[str, Any], name: str) -> Any:
    return a[name].subs(a["e"], a["edge"] + beyond)


def _gap(a: Mapping[str, Any]) -> Any:
    return a["one"] - a["other"]


def _supersolution(strictly: bool) -> Fact:
    """One is no less than the other at s = 0; strictly: more, at an e > 0 where the one is positive."""
    known = {
        "path": "c is continuous, 0 at S",
        "continuous": "the gap is continuous in s and e together",
        "start": "at e = 0 the gap is 0 where c(s) > 0",
        "beyond": "and it is not negative from c(s) on",
        "slope": "its slope in e inside",
        "bend": "its second slope in e inside",
        "rate": "its slope in s inside, from the right",
        "factor": "a >= 0 inside",
        "inequality": "the inequality inside",
    }
    more = {
        "nothing": "the other is 0 from c(s) on",
        "above 0": "e > 0",
        "some": "the one is positive at s = 0 and e",
    }
    required = {
        "start": lambda a: (a["one"].subs(a["e"], 0), "=", a["other"].subs(a["e"], 0)),
        "beyond": lambda a: (_beyond(a, "one"), ">=", _beyond(a, "other")),
        "slope": lambda a: (sp.Derivative(_gap(a), a["e"]), "=", a["slope"]),
        "bend": lambda a: (sp.Derivative(a["slope"], a["e"]), "=", a["bend"]),
        "rate": lambda a: (rate(_gap(a)), "=", a["rate"]),
        "factor": lambda a: (_inside(a, a["a"]), ">=", _zero),
        "inequality": lambda a: (_inside(a, -a["rate"]), ">", _inside(a, a["a"] * (a["bend"] - a["slope"]))),
    }
    required_more = {
        "nothing": lambda a: (_beyond(a, "other"), "=", _zero),
        "above 0": lambda a: (a["epsilon"], ">", _zero),
        "some": lambda a: (_at_start(a, a["one"]), ">", _zero),
    }

    def instance(a: Mapping[str, Any]) -> Instance:
        return _at_start(a, a["one"]), ">" if strictly else ">=", _at_start(a, a["other"])

    return Fact(
        text="Let c >= 0 be continuous on [0, S], c(S) = 0, and the gap of one and other continuous in s from 0 to S"
        " and e >= 0; not negative where e = 0, nor where e >= c(s). Where 0 < e < c(s) (inside), let it have a slope"
        " in s from the right and two in e, with -(slope in s) > a (second slope in e - slope in e) for an a >= 0. Then"
        " the gap is not negative: it is least somewhere on the compact set 0 <= e <= c(s), and were it negative there,"
        " then inside, at s < S, where the slope in e is 0, the second one >= 0, and that in s from the right >= 0."
        + (
            " Nor is it 0 at s = 0 and an e inside, where it would be least, too; from c(0) on, where the other is 0,"
            " it is the one: so it is positive at s = 0 and every e > 0 at which the one is."
            if strictly
            else ""
        ),
        tex=r"-\partial_s^+ G > a\,(\partial_e^2 G - \partial_e G) \text{ for } 0 < e < c(s),\ G \ge 0 \text{ for }"
        r" e = 0 \text{ and for } e \ge c(s) \implies G \ge 0"
        + (r",\quad G(0, e) > 0 \text{ where } 0 < e < c(0)" if strictly else ""),
        letters=("one", "other", "s", "e", "edge", "slope", "bend", "rate", "a", "inside", "epsilon"),
        conditions={**known, **more} if strictly else known,
        reference="weak minimum principle of a parabolic operator: Protter and Weinberger, Maximum Principles in"
        " Differential Equations, chapter 3; Evans, Partial Differential Equations, section 7.1.4; Rudin, Principles of"
        " Mathematical Analysis, Theorem 4.16",
        instance=instance,
        required={**required, **required_more} if strictly else required,
    )


OF_LEAST_VALUES: Mapping[str, Fact] = {
    "least value of a supersolution": _supersolution(strictly=False),
    "least value of a supersolution, strictly": _supersolution(strictly=True),
}
