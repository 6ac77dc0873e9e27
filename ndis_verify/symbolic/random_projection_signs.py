"""The two curves of random projection at the odds of the leverage, and the signs of the slope of their difference."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_signs import inside, slope_inside, v, w
from ndis_verify.symbolic.notation import sign_changes
from ndis_verify.symbolic.random_projection import odds
from ndis_verify.symbolic.special_functions import Pg, Qg, gamma_density

epsilon = sp.Symbol("epsilon", nonnegative=True)
above = sp.Symbol("epsilon", positive=True)
half = r / 2
rho = 1 + odds  # rho = 1/(1-p) = 1 + k
log_rho = sp.log(1 + odds)
largest_loss = half * log_rho  # eps*, the largest loss of an insertion


def deletion(eps: sp.Expr) -> sp.Expr:
    edge = (eps + half * log_rho) / odds
    return Qg(half, edge) - sp.exp(eps) * Qg(half, rho * edge)


def insertion(eps: sp.Expr, *least: int) -> sp.Expr:
    edge = sp.Max((half * log_rho - eps) / odds, *least)
    return Pg(half, rho * edge) - sp.exp(eps) * Pg(half, edge)


def _logarithm_steps() -> tuple[Step, ...]:
    gap = log_rho - 2 * odds / (odds + 2)
    return (
        Step(
            "log inequality: slope",
            "d/dk [log(1+k) - 2k/(k+2)] > 0,",
            lhs=sp.Derivative(gap, odds),
            rhs=sp.Integer(0),
            relation=">",
            witness=odds**2 / ((1 + odds) * (odds + 2) ** 2),
        ),
        by_fact(
            "log inequality",
            "and the bracket is 0 at k = 0: so (k+2) log(1+k)/k > 2 for k > 0.",
            "a rising function at two points",
            {"f": gap, "argument": odds, "low": sp.Integer(0), "high": odds},
            {
                "rises": "log inequality: slope",
                "order": Step("k > 0", "The odds.", lhs=odds, rhs=sp.Integer(0), relation=">", witness=odds),
            },
        ),
    )


def start_steps() -> tuple[Step, ...]:
    """H(0) > 0: it decreases in rho towards 0."""
    low, high = largest_loss / odds, rho * largest_loss / odds
    start = Pg(half, low) - Qg(half, high)
    density = gamma_density(half, low) * half / (rho * odds)
    return (
        *_logarithm_steps(),
        Step(
            "slope of H(0) in rho",
            "A negative multiple of (k+2) log(1+k)/k - 2,",
            lhs=sp.Derivative(start, odds),
            rhs=-density * ((odds + 2) * log_rho / odds - 2),
        ),
        Step(
            "H(0) decreases in rho",
            "which is positive,",
            lhs=sp.Derivative(start, odds),
            rhs=sp.Integer(0),
            relation="<",
            kind="inference",
            premises=("slope of H(0) in rho", Use("log inequality", weight=density * (odds + 2) / odds)),
        ),
        by_fact(
            "H(0), rho -> infinity",
            "towards 0.",
            "both tails of a gamma law far out",
            {"s": half, "low": low, "high": high, "argument": odds},
            {
                "low": Step("lower edge", "It tends to 0.", lhs=sp.Limit(low, odds, sp.oo), rhs=sp.Integer(0)),
                "high": Step(
                    "upper edge", "It goes to infinity.", lhs=sp.Limit(1 / high, odds, sp.oo), rhs=sp.Integer(0)
                ),
            },
        ),
        by_fact(
            "H(0) > 0",
            "So H starts positive.",
            "falls to 0",
            {"f": start, "argument": odds},
            {"falls": "H(0) decreases in rho", "end": "H(0), rho -> infinity"},
        ),
    )


def flip_of() -> sp.Expr:
    """H at eps = v eps*."""
    return Pg(half, largest_loss * (1 - v) / odds) - Qg(half, rho * largest_loss * (1 + v) / odds)


def _ratio_steps() -> tuple[Step, ...]:
    """R, whose sign the slope of H has, changes its sign at most once."""
    ratio = _ratio()
    slope = (half - 1) * 2 / (1 - v**2) - largest_loss * (odds + 2) / odds
    bend = 4 * v / (1 - v**2) ** 2
    return (
        Step("R'", "The slope of R,", lhs=slope_inside(ratio), rhs=inside(slope)),
        Step("R''", "and its own.", lhs=slope_inside(slope), rhs=inside((half - 1) * bend)),
        by_fact(
            "signs of R''",
            "R'' has the sign of r - 2.",
            "one sign throughout",
            {"c": half - 1, "u": bend},
            {
                "positive": Step(
                    "bend",
                    "4v/(1 - v^2)^2 > 0.",
                    lhs=inside(bend),
                    rhs=sp.Integer(0),
                    relation=">",
                    witness=4 * w * (1 + w) ** 3 / (1 + 2 * w) ** 2,
                )
            },
        ),
        by_fact(
            "signs of R'",
            "So R turns at most once.",
            "sign changes of a function and of its slope",
            {"f": slope, "slope": (half - 1) * bend},
            {"slope": "R''"},
        ),
        Step("R(0)", "R starts at 0,", lhs=sp.Subs(ratio, v, 0), rhs=sp.Integer(0)),
        by_fact(
            "signs of R",
            "so it changes its sign at most as often.",
            "sign changes of a function that starts at 0",
            {"f": ratio, "slope": slope},
            {"slope": "R'", "start": "R(0)"},
        ),
    )


def _ratio() -> sp.Expr:
    return (half - 1) * sp.log((1 + v) / (1 - v)) - largest_loss * v * (odds + 2) / odds


def shape_steps() -> tuple[Step, ...]:
    """H changes its sign at most once on 0 < eps < eps*; eps = v eps*, v = w/(1+w), w > 0."""
    flip, ratio = flip_of(), _ratio()
    low, high = largest_loss / (1 + w) / odds, rho * largest_loss * (1 + 2 * w) / (1 + w) / odds
    exponent = (half - 1) * sp.log(1 + 2 * w) - largest_loss * (1 - 1 / (1 + w)) * (odds + 2) / odds
    density = largest_loss / odds * gamma_density(half, largest_loss * (1 - v) / odds)
    return (
        Step(
            "densities",
            "in v, where eps = v eps*.",
            lhs=slope_inside(flip),
            rhs=largest_loss / odds * (rho * gamma_density(half, high) - gamma_density(half, low)),
            reduce=_logs_together,
        ),
        Step(
            "ratio of the densities",
            "rho f(upper)/f(lower) = exp R, R in terms of w.",
            lhs=rho * gamma_density(half, high),
            rhs=gamma_density(half, low) * sp.exp(exponent),
        ),
        Step(
            "slope of H",
            "So H decreases while R < 0 and increases while R > 0.",
            lhs=slope_inside(flip),
            rhs=inside(density * (sp.exp(ratio) - 1)),
            kind="inference",
            premises=("densities", "ratio of the densities"),
        ),
        *_ratio_steps(),
        by_fact(
            "signs of the slope of H",
            "They are those of R, as the density is positive.",
            "signs of an exponential less 1",
            {"f": ratio, "factor": density},
            {
                "positive": Step(
                    "density",
                    "at every point inside.",
                    lhs=inside(density),
                    rhs=sp.Integer(0),
                    relation=">",
                    witness=largest_loss / odds * gamma_density(half, low),
                    reduce=_logs_together,
                )
            },
        ),
        by_fact(
            "signs of H",
            "H turns as often as R changes its sign,",
            "sign changes of a function and of its slope",
            {"f": flip, "slope": density * (sp.exp(ratio) - 1)},
            {"slope": "slope of H"},
        ),
        Step(
            "H changes its sign at most twice",
            "so at most once, as R does.",
            lhs=sign_changes(flip),
            rhs=sp.Integer(2),
            relation="<=",
            kind="inference",
            premises=(
                "signs of H",
                "signs of the slope of H",
                "signs of R",
                "signs of R'",
                "signs of R''",
            ),
        ),
        Step(
            "H at the end",
            "At eps = eps*, H = -Qg < 0: every upper tail is positive.",
            lhs=flip.subs(v, 1),
            rhs=sp.Integer(0),
            relation="<",
            witness=-Qg(half, 2 * rho * largest_loss / odds),
        ),
        by_fact(
            "one sign change",
            "H starts positive and ends negative.",
            "sign changes between ends of different signs",
            {"f": flip},
            {
                "start": "H(0) > 0",
                "end": "H at the end",
                "twice": "H changes its sign at most twice",
            },
        ),
    )


def _logs_together(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference, arguments of powers in their factors."""
    return left.replace(lambda n: n.is_Add and n.has(log_rho) and not n.has(sp.gamma), sp.factor) - right


def cost_steps() -> tuple[Step, ...]:
    """A deletion costs something at every eps > 0."""
    one = (above + half * log_rho) / odds
    cost = deletion(above)
    edges = {"one": one, "other": rho * one}
    return (
        Step(
            "cost rises with the leverage",
            "As in derivative_in_leverage.",
            lhs=sp.Derivative(cost, odds),
            rhs=sp.Integer(0),
            relation=">",
            witness=one / rho * gamma_density(half, one),
        ),
        by_fact(
            "cost at leverage 0",
            "Both edges go to infinity.",
            "upper tails of a gamma law far out",
            {"s": half, "c": sp.exp(above), **edges, "argument": odds},
            {
                name: Step(f"edge {name}", "Its inverse.", lhs=sp.Limit(1 / edge, odds, 0, "+"), rhs=sp.Integer(0))
                for name, edge in edges.items()
            },
        ),
        by_fact(
            "cost",
            "It rises from 0.",
            "rises from 0",
            {"f": cost, "argument": odds},
            {"rises": "cost rises with the leverage", "start": "cost at leverage 0"},
        ),
    )
