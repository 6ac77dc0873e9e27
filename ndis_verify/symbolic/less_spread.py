"""Two centred normal laws of which the first is the less spread one: a Chernoff bound holds (N26-L2, N26-T4.2).

The more spread law is the second, of variances lambda_i = 1 + a_i >= 1, m_i of each, where the first is standard;
nu = sum m_i log lambda_i, so that the loss never exceeds nu/2.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named, positive
from ndis_verify.symbolic.hinge_moment import excess, loss
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry, log_density, total_of
from ndis_verify.symbolic.normal_coordinates import z as coordinate
from ndis_verify.symbolic.notation import average, below, beyond, held, loss_at, scaled, unscaled, x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

lam, counts = sp.symbols("lambda m", real=True)
s, u, over = sp.symbols("s u e", positive=True)
epsilon, level, z = sp.symbols("epsilon nu z", real=True)
spread = sp.Symbol("a", nonnegative=True)  # lambda_i - 1
room = sp.Symbol("k", positive=True)  # 1 - 2 u a_i
value = sp.Symbol("W", nonnegative=True)
zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
LEAST = Hypothesis("lam_i >= 1", entry(lam) >= 1)
EACH = Hypothesis("m_i >= 1", entry(counts) >= 1)
RANGE = Hypothesis("2 u (lam_i - 1) < 1", 2 * u * (entry(lam) - 1) < 1)
variance = 1 + spread
_weight = 1 - 1 / variance
_LOSS = log_density(0, 1) - log_density(0, sp.sqrt(variance))
_STATISTIC = _weight * entry(x) ** 2
_P, _Q = unscaled(counts), scaled(lam, counts, 0)

# The rates k of E_P e^{kL}, and 1 - k times the weight of one coordinate.
_RATES = {
    "first": (2 * s, 1 + 2 * s * _weight),
    "second": (-one, 1 / variance),
    "third": (-(1 + 2 * u), room / variance),
}


def product_of(term: sp.Expr) -> sp.Expr:
    return quantity("product", term)


def _tangent(name: str, value_: sp.Expr) -> Step:
    return by_fact(
        f"tangent at {name}",
        f"log y <= y - 1 at y = {name}.",
        "logarithm below its tangent",
        {"y": value_},
        {"positive": Step("positive", "It is.", value_, zero, ">", value_)},
    )


def _hinge_steps() -> tuple[Step, ...]:
    """max(0, 1 - e^{-x}) <= e^{2sx} - e^{-x} (1 - e^{-2ux}) for every x: an event has its indicator below the one
    exponential, and above 1 less the other.
    """
    hinge = sp.Max(0, 1 - sp.exp(-excess))
    bound = sp.exp(2 * s * excess) - sp.exp(-excess) + sp.exp(-(1 + 2 * u) * excess)
    v, w = below, beyond
    above, beneath = bound.subs(excess, v), bound.subs(excess, -w)
    return (
        _tangent("e^{2 s v}", sp.exp(2 * s * v)),
        _tangent("e^v", sp.exp(v)),
        positive("rest above", 2 * s * v + sp.exp(-(1 + 2 * u) * v)),
        positive("v e^{-v}", v * sp.exp(-v)),
        inferred(
            "1 - e^{-v}",
            "Above 0 the first exponential is at least 1,",
            1 - sp.exp(-v),
            "<=",
            above,
            *(Use("tangent at e^{2 s v}"), Use("rest above", weight=-1)),
        ),
        inferred(
            "0 at v",
            "and 1 - e^{-v} > 0.",
            zero,
            "<=",
            above,
            *("1 - e^{-v}", Use("tangent at e^v", weight=sp.exp(-v)), Use("v e^{-v}", weight=-1)),
        ),
        by_fact(
            "above 0",
            "So the hinge is below.",
            "larger of two numbers",
            {"one": zero, "other": 1 - sp.exp(-v), "bound": above},
            {"one": "0 at v", "other": "1 - e^{-v}"},
        ),
        _tangent("e^{2 u w}", sp.exp(2 * u * w)),
        _tangent("e^w", sp.exp(w)),
        positive("rest beneath", 2 * u * w * sp.exp(w) + sp.exp(-2 * s * w)),
        inferred(
            "0 at -w",
            "At and below 0 the last exponential exceeds the one before,",
            zero,
            "<=",
            beneath,
            *(Use("tangent at e^{2 u w}", weight=sp.exp(w)), Use("rest beneath", weight=-1)),
        ),
        Step("w >= 0", "w is not negative.", w, zero, ">=", w),
        inferred(
            "1 - e^w",
            "and 1 - e^w <= 0.",
            1 - sp.exp(w),
            "<=",
            beneath,
            *("0 at -w", Use("tangent at e^w"), Use("w >= 0", weight=-1)),
        ),
        by_fact(
            "below 0",
            "So it is below there too.",
            "larger of two numbers",
            {"one": zero, "other": 1 - sp.exp(w), "bound": beneath},
            {"one": "0 at -w", "other": "1 - e^w"},
        ),
        by_fact(
            "hinge",
            "max(0, 1 - e^{-x}) <= e^{2 s x} - e^{-x} (1 - e^{-2 u x}) for every real x.",
            "both sides of an edge",
            {"f": hinge, "g": bound, "argument": excess, "edge": zero},
            {"above": "above 0", "below": "below 0"},
        ),
        inferred(
            "at L - eps",
            "The inequality at x = L - eps.",
            hinge.subs(excess, loss - epsilon),
            "<=",
            bound.subs(excess, loss - epsilon),
            Use("hinge", at={excess: loss - epsilon}),
        ),
    )


def _law_steps() -> tuple[Step, ...]:
    """Both laws in coordinates in which the first is standard, and the loss of one of them."""
    return (
        named(spread, "lambda_i = 1 + a_i.", entry(lam) - 1, LEAST.text),
        Step("coordinates", "Finitely many; every sum over them is finite.", kind="definition"),
        named(level, "nu = sum m_i log lambda_i.", total_of(entry(counts) * sp.log(variance))),
        by_fact(
            "less nu",
            "Less it is the sum of the opposite terms.",
            "means are linear",
            {"mean": total_of, "terms": ((-one, entry(counts) * sp.log(variance)),)},
            {"integrable": "coordinates"},
        ),
        inferred(
            "level", "In terms of nu.", -level, "=", total_of(entry(counts) * -sp.log(variance)), *("less nu", "nu")
        ),
        inferred("lambda_i", "By this name", entry(lam), "=", variance, "a"),
        inferred(
            "variance",
            "it is the variance of Q, as it is at least 1.",
            variance,
            "=",
            sp.Max(1, entry(lam)),
            "lambda_i",
        ),
        named(loss, "The loss log p/q at a draw from the first law, P.", loss_at(_P, _Q)),
        by_fact(
            "spectrum",
            "In coordinates in which P is standard and Q has the variances lambda_i.",
            "spectrum of two centred normal laws, exchanged",
            {"lam": lam, "m": counts, "epsilon": epsilon},
            {"least": LEAST.text, "counts": EACH.text},
        ),
        Step(
            "loss of one coordinate",
            "log p/q is half of log lambda_i less (1 - 1/lambda_i) x_i^2,",
            lhs=_LOSS,
            rhs=(-_STATISTIC + sp.log(variance)) / 2,
        ),
        Step(
            "loss of the other law",
            "and log q/p the opposite.",
            lhs=-_LOSS,
            rhs=(_STATISTIC - sp.log(variance)) / 2,
        ),
    )


def _moment_steps() -> tuple[Step, ...]:
    """E_P e^{kL} at the three rates, in terms of nu and of products over the coordinates."""
    steps: list[Step] = [
        named(room, "What 2 u a_i leaves of 1.", 1 - 2 * u * (entry(lam) - 1), RANGE.text),
    ]
    for name, (rate, left) in _RATES.items():
        weight = (1 - left) / rate
        steps += [
            inferred(
                f"coordinate, {name}",
                "x_i = z_i under P.",
                -held(_weight) * entry(coordinate) ** 2,
                "=",
                weight * entry(coordinate) ** 2,
                *(("k", "a") if name == "third" else ("a",)),
            ),
            *integral_steps(
                f"moment, {name}",
                sp.exp((1 - left) / 2 * z**2) * phi(z),
                (z, -sp.oo, sp.oo),
                Phi(sp.sqrt(left) * z) / sp.sqrt(left),
                1 / sp.sqrt(left),
                "The exponent is that of a normal density again.",
            ),
            by_fact(
                f"E_P, {name}",
                "The coordinates are independent.",
                "moment of an affine loss",
                {
                    "P": _P,
                    "Q": _Q,
                    "variance": variance,
                    "L": loss,
                    "s": rate,
                    "statistic": -_STATISTIC,
                    "share": -sp.log(variance),
                    "level": -level,
                    "weight": weight,
                    "moment": 1 / sp.sqrt(left),
                },
                {
                    "draw": "L",
                    "variance": "variance",
                    "loss": "loss of one coordinate",
                    "level": "level",
                    "form": f"coordinate, {name}",
                    "moment": f"moment, {name}",
                    "counts": EACH.text,
                },
            ),
        ]
    return (*steps, *_product_steps())


def _product_steps() -> tuple[Step, ...]:
    """The products of moments as exponentials of sums."""
    m, logs = entry(counts), sp.log(variance)
    factor = sp.sqrt(variance) / sp.sqrt(room)  # the third moment
    return (
        by_fact(
            "product, second",
            "A product of powers:",
            "a product of powers",
            {"f": variance, "c": m / 2},
            {"positive": positive("variance", variance)},
        ),
        by_fact(
            "half of nu",
            "the exponential of half of nu,",
            "means are linear",
            {"mean": total_of, "terms": ((half, m * logs),)},
            {"integrable": "coordinates"},
        ),
        inferred("E_P e^{-L}", "so that Q has mass 1;", average(sp.exp(-loss)), "=", one, *_of("second")),
        by_fact(
            "product, third",
            "again one of powers,",
            "a product of powers",
            {"f": factor, "c": m},
            {"positive": positive("factor", factor)},
        ),
        by_fact(
            "two sums",
            "of two sums,",
            "means are linear",
            {"mean": total_of, "terms": ((half, m * logs), (one, -m / 2 * sp.log(room)))},
            {"integrable": "coordinates"},
        ),
        Step(
            "logarithms",
            "as the logarithms say,",
            lhs=total_of(m * sp.log(factor)),
            rhs=total_of(m * logs / 2 - m / 2 * sp.log(room)),
        ),
        by_fact(
            "product of what is left",
            "the second of which is a product alone.",
            "a product of powers",
            {"f": room, "c": -m / 2},
            {"positive": positive("room", room)},
        ),
        inferred(
            "E_P e^{-(1 + 2u) L}",
            "So nu is left of the first sum.",
            average(sp.exp(-(1 + 2 * u) * loss)),
            "=",
            sp.exp(-u * level) * product_of(room ** (-m / 2)),
            *("E_P, third", "product, third", "logarithms", "two sums", "nu", "product of what is left"),
        ),
    )


def _bound(of: sp.Expr, total: sp.Expr, first: sp.Expr, second: sp.Expr) -> sp.Expr:
    """The printed bound at eps = `of`, with nu and the factors of both products."""
    m, gap = entry(counts), total - 2 * of
    return sp.exp(s * gap) * product_of(first ** (-m / 2)) - sp.exp(of) * (
        1 - sp.exp(-u * gap) * product_of(second ** (-m / 2))
    )


@cache
def first_less_spread() -> Derivation:
    """`delta <= e^{s(nu - 2 eps)} prod (1 + 2 s (1 - 1/lam_i))^{-m_i/2} - e^eps (1 - e^{-u(nu - 2 eps)}
    prod (1 - 2 u (lam_i - 1))^{-m_i/2})`, and delta = 0 at eps = nu/2 + e, e > 0, where the second law is the more
    spread one (N26-L2).

    `number`: E e^{2sL} of one coordinate without its part of nu, (1 + 2 s (1 - 1/lam))^{-1/2}, at `a` = lam - 1, `s`.
    """
    hinge = sp.Max(0, 1 - sp.exp(epsilon - loss))
    exponentials = (
        (sp.exp(-2 * s * epsilon), sp.exp(2 * s * loss)),
        (-sp.exp(epsilon), sp.exp(-loss)),
        (sp.exp((1 + 2 * u) * epsilon), sp.exp(-(1 + 2 * u) * loss)),
    )
    summed = sp.Add(*(c * f for c, f in exponentials))
    total = total_of(entry(counts) * sp.log(entry(lam)))
    reverse = quantity("centred_reverse", lam, counts, epsilon)
    beyond_all = level / 2 + over
    steps = (
        *_law_steps(),
        *_moment_steps(),
        *_hinge_steps(),
        meaning("divergence", "centred_reverse", lam, counts, epsilon),
        by_fact(
            "mean of a hinge",
            "The divergence is the mean of a hinge of the loss,",
            "divergence as the mean of a hinge",
            {"P": _P, "Q": _Q, "epsilon": epsilon, "L": loss},
            {"loss": "L"},
        ),
        by_fact(
            "means of both",
            "which is at most that of the exponentials,",
            "means keep the order",
            {"mean": average, "f": hinge, "g": summed},
            {"pointwise": "at L - eps", "integrable": "E_P, first"},
            premises=("E_P e^{-L}", "E_P e^{-(1 + 2u) L}"),
        ),
        by_fact(
            "three means",
            "of three.",
            "means are linear",
            {"mean": average, "terms": exponentials},
            {"integrable": "E_P, first"},
            premises=("E_P e^{-L}", "E_P e^{-(1 + 2u) L}"),
        ),
        inferred(
            "bound",
            "the three moments put in.",
            reverse,
            "<=",
            _bound(epsilon, total, 1 + 2 * s * (1 - 1 / entry(lam)), 1 - 2 * u * (entry(lam) - 1)),
            *("divergence", "spectrum", "mean of a hinge", "means of both", "three means"),
            *("E_P, first", "E_P e^{-L}", "E_P e^{-(1 + 2u) L}", "nu", "k", "a"),
        ),
        Step(
            "W >= 0", "A sum of squares with weights >= 0.", _STATISTIC, zero, ">=", spread / variance * entry(x) ** 2
        ),
        by_fact(
            "bounded loss",
            "The loss never exceeds nu/2, and the divergence is 0 beyond.",
            "a bounded loss",
            {
                "P": _Q,
                "Q": _P,
                "variance": variance,
                "statistic": _STATISTIC,
                "share": sp.log(variance),
                "level": level,
                "value": value,
                "epsilon": beyond_all,
            },
            {
                "variance": "variance",
                "loss": "loss of the other law",
                "level": "nu",
                "sign": "W >= 0",
                "bounded": Step("at most nu/2", "W >= 0.", (level - value) / 2, beyond_all, "<=", -value / 2 - over),
            },
        ),
        inferred("nu of lambda", "nu in terms of lambda_i.", total, "=", level, *("nu", "a")),
        inferred(
            "nothing beyond",
            "So there.",
            quantity("centred_reverse", lam, counts, total / 2 + over),
            "=",
            zero,
            *("nu of lambda", Use("divergence", at={epsilon: beyond_all}), Use("spectrum", at={epsilon: beyond_all})),
            "bounded loss",
        ),
    )
    return Derivation(
        id="less_spread.first_less_spread",
        title="Chernoff bound where the first law is the less spread one",
        sources=("N26-L2",),
        hypotheses=(LEAST, EACH, RANGE),
        steps=steps,
        result_step="moment, first",
        symbols={"a": spread, "s": s},
        faults=(
            Fault("e^eps dropped", "bound", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("something beyond", "nothing beyond", lambda rhs: rhs + 1),
            Fault("half the bound", "bound", lambda rhs: rhs / 2),
            Fault("moment of the wrong sign", "moment, first", lambda rhs: 1 / rhs),
            Fault("e^{-x} left out", "1 - e^{-v}", lambda rhs: rhs - sp.exp(2 * s * below)),
            Fault("Q of mass 2", "E_P e^{-L}", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(
                claim,
                step,
                part=f"of two centred laws, the less spread one first: {LEAST.text}, {EACH.text} and {RANGE.text}",
            )
            for claim in ("N26-L2", "N26-T4.2")
            for step in ("bound", "nothing beyond")
        ),
    )


def _of(name: str) -> tuple[str, ...]:
    return f"E_P, {name}", f"product, {name}", "half of nu", "nu"
