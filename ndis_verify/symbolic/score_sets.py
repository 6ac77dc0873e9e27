"""One set of scores and every set at once: values below suprema, exact limits and how often they fail."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact, inferred
from ndis_verify.symbolic.learning import distance, mean_distance
from ndis_verify.symbolic.notation import bin_of_sum, given, largest, over_set, summed, where, x

zero = sp.Integer(0)
power, level, growth = sp.symbols("a b c", positive=True)
spare, slack = sp.symbols("x y", nonnegative=True)  # P(S) = a + x, Q(S) = b - y
failure, _odds = sp.symbols("gamma v", positive=True)
shares = _odds / (1 + _odds), 1 / (1 + _odds)  # of gamma: theta, and 1 - theta

INDEPENDENT, FIXED = "independent draws of scores within each sample", "sets fixed by other rows"
BINS = "bins and order fixed by other rows"
DENSITIES = "P and Q have densities p and q"
GRANTED = {"independent draws": INDEPENDENT}
_p, _q = (sp.Function(name, positive=True)(x) for name in ("p", "q"))
_set = sp.Function("s", real=True)(x)  # S is where s >= 0
PROFILE = largest(_p - growth * _q)
LIMITS = Hypothesis("P(S) >= a", where(_p, _set) >= power), Hypothesis("Q(S) <= b", where(_q, _set) <= level)


def one_set_steps(mass_p: sp.Expr, mass_q: sp.Expr) -> tuple[Step, ...]:
    """What the supremum over sets has to do with one of them."""
    return (
        Step(
            "room of P(S)",
            "x = P(S) - a and y = b - Q(S), not negative where both limits hold.",
            lhs=spare,
            rhs=where(_p, _set) - power,
            kind="definition",
            premises=(LIMITS[0].text,),
        ),
        Step(
            "room of Q(S)",
            "y.",
            lhs=slack,
            rhs=level - where(_q, _set),
            kind="definition",
            premises=(LIMITS[1].text,),
        ),
        a_density("density of P", "p,", _p, DENSITIES),
        a_density("density of Q", "and q.", _q, DENSITIES),
        by_fact(
            "a set",
            "The supremum is at least the value at S,",
            "a value of a supremum over sets",
            {"f": _p - growth * _q, "set": _set},
            {"integrable": "density of P"},
            premises=("density of Q",),
        ),
        by_fact(
            "its value",
            "which is P(S) - c Q(S).",
            "integrals over a set are linear",
            {"f": _p, "c": -growth, "g": _q, "set": _set},
            {"integrable": "density of P"},
            premises=("density of Q",),
        ),
        Step(
            "any set",
            "So for every S.",
            lhs=PROFILE,
            rhs=mass_p - growth * mass_q,
            relation=">=",
            kind="inference",
            premises=("a set", "its value", "room of P(S)", "room of Q(S)"),
        ),
    )


def one_test_steps() -> tuple[Step, ...]:
    """What the test that rejects Q on the set has to do with the trade-off curve."""
    return (
        Step("y >= 0", "As both limits hold,", slack, zero, ">=", slack),
        Step("x >= 0", "so that", spare, zero, ">=", spare),
        inferred(
            "size",
            "the test that rejects Q on S has b >= Q(S),",
            level,
            ">=",
            where(_q, _set),
            *("room of Q(S)", "y >= 0"),
        ),
        by_fact(
            "its point",
            "misses 1 - P(S) of P,",
            "a set and the trade-off curve",
            {"p": _p, "q": _q, "set": _set, "level": level},
            {"first": "density of P", "second": "density of Q", "size": "size"},
        ),
        inferred(
            "error of the second kind",
            "which is at most 1 - a.",
            1 - power,
            ">=",
            1 - where(_p, _set),
            "room of P(S)",
            "x >= 0",
        ),
    )


def confidence_steps() -> tuple[Step, ...]:
    """With which probability one of two exact limits fails."""
    lower, upper = sp.symbols("A B", nonnegative=True)
    low, high = lower - where(_p, _set), where(_q, _set) - upper
    levels = [one * failure for one in shares]
    shown: list[dict[str, str | Step]] = [
        {"fixed": FIXED, "independent": INDEPENDENT, "level": Step("level", "0 < theta < 1.", one, zero, ">=", one)}
        for one in levels
    ]
    return (
        by_fact(
            "lower limit",
            "Given the rows that learn and choose, the count in S is Bin(n, P(S)), whatever P is: ties and tails do not"
            " matter.",
            "exact lower limit of a proportion",
            {"limit": lower, "probability": where(_p, _set), "level": levels[0]},
            shown[0],
        ),
        by_fact(
            "upper limit",
            "The same of Q(S), from above.",
            "exact upper limit of a proportion",
            {"limit": upper, "probability": where(_q, _set), "level": levels[1]},
            shown[1],
        ),
        by_fact(
            "either fails",
            "The two samples need not be independent of each other.",
            "one of two events",
            {"one": low, "other": high, "bound": levels[0], "other bound": levels[1]},
            {"one": "lower limit", "other": "upper limit"},
        ),
        Step(
            "at most gamma",
            "For every outcome of the rows that learn,",
            lhs=given(sp.Max(low, high)),
            rhs=failure,
            relation="<=",
            kind="inference",
            premises=("either fails",),
        ),
        by_fact(
            "over the learning rows",
            "hence in their mean.",
            "in the mean over what is given",
            {"event": sp.Max(low, high), "bound": failure},
            {"given": "at most gamma"},
        ),
    )


_share = sp.Function("p_hat", real=True)(bin_of_sum)
_mass = sp.Function("p", nonnegative=True)(bin_of_sum)


def set_below_distance(name: str, sign: int) -> tuple[Step, ...]:
    """The error of every union of bins, upwards or downwards, is at most the total variation of shares and law."""
    gap, half = sign * (_share - _mass), sp.Rational(1, 2)
    positive_part = summed(sp.Max(gap, 0))
    terms = ((half, sp.Abs(_share - _mass)), (sign * half, _share), (-sign * half, _mass))
    return (
        by_fact(
            f"{name}: one union",
            "Also one that the same counts suggest is among all.",
            "a value of a supremum over unions",
            {"a": gap},
            {"integrable": BINS},
        ),
        by_fact(
            f"{name}: the greatest",
            "That of the bins where it is positive,",
            "largest sum over a set",
            {"a": gap},
            {"integrable": BINS},
        ),
        replace(
            by_fact(
                f"{name}: as halves",
                "max(a, 0) = (|a| + a)/2.",
                "means are linear",
                {"mean": summed, "terms": terms},
                {"integrable": BINS},
            ),
            lhs=positive_part,
        ),
        Step(
            f"{name}: all at once",
            "Both masses are 1: every union's error is at most TV(P^, P).",
            lhs=over_set(gap),
            rhs=distance,
            relation="<=",
            kind="inference",
            premises=(
                f"{name}: one union",
                f"{name}: the greatest",
                f"{name}: as halves",
                "shares",
                Use("mass", of=mean_distance, granted=GRANTED),
                Use("distance", of=mean_distance, granted=GRANTED),
            ),
        ),
    )


def shares_are_a_law() -> Step:
    """The shares of the draws add up to 1."""
    return by_fact("shares", "p^ is a law too.", "shares of draws", {"shares": _share}, {"draws": INDEPENDENT})
