"""Standard facts about least values: of a gap that obeys a parabolic inequality, and so is nowhere negative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.notation import beyond, rate
from ndis_verify.symbolic.scaled_laws import at_start, at_the_start, gap_of, nearby, path_edge, path_laws, put_inside

_zero = sp.Integer(0)


def _beyond(a: Mapping[str, Any], name: str) -> Any:
    return a[name].subs(a["e"], a["edge"] + beyond)


def _supersolution(strictly: bool) -> Fact:
    """One is no less than the other at s = 0; strictly: more, at an e > 0 where the one is positive."""
    known = {
        "path": "2 c is the sum of the logarithms of the variances max(1, lambda_i e^{-s})",
        "continuous": "nearby scales have nearby laws, for every s",
        "epsilon": "e >= 0 where it is looked at",
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
        "path": path_edge,
        "continuous": lambda a: nearby(a, path_laws(a)[0]),
        "epsilon": lambda a: (a["epsilon"], ">=", _zero),
        "start": lambda a: (a["one"].subs(a["e"], 0), "=", a["other"].subs(a["e"], 0)),
        "beyond": lambda a: (_beyond(a, "one"), ">=", _beyond(a, "other")),
        "slope": lambda a: (sp.Derivative(gap_of(a), a["e"]), "=", a["slope"]),
        "bend": lambda a: (sp.Derivative(a["slope"], a["e"]), "=", a["bend"]),
        "rate": lambda a: (rate(gap_of(a)), "=", a["rate"]),
        "factor": lambda a: (put_inside(a, a["a"]), ">=", _zero),
        "inequality": lambda a: (put_inside(a, -a["rate"]), ">", put_inside(a, a["a"] * (a["bend"] - a["slope"]))),
    }
    required_more = {
        "nothing": lambda a: (_beyond(a, "other"), "=", _zero),
        "above 0": lambda a: (a["epsilon"], ">", _zero),
        "some": lambda a: (at_start(a, a["one"]), ">", _zero),
    }

    def instance(a: Mapping[str, Any]) -> Instance:
        one, _, other = at_the_start(a)
        return one, ">" if strictly else ">=", other

    return Fact(
        text="One and other are the divergences of P(s) and Q, of coordinates of variances max(1, lambda_i e^{-s}) and"
        " 1, at e, in either order: their gap is continuous in s and e >= 0, and c >= 0, half of the sum of the"
        " logarithms of the variances, is, and 0 at the largest log lambda_i, S. Let the gap be not negative where e ="
        " 0, nor where e >= c(s). Where 0 < e < c(s) (inside), let it have a slope"
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
        letters=("one", "other", "s", "r", "e", "edge", "slope", "bend", "rate", "a", "inside", "epsilon"),
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
