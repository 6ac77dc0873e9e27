"""Two centred normal laws of which the first is the less spread one: the printed Chernoff bound holds (N26-L2,
N26-T4.2).

The more spread law is the second, of variances lambda_i = 1 + a_i >= 1, m_i of each, where the first is standard;
nu = sum m_i log lambda_i, so that the loss never exceeds nu/2.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.hinge_moment import excess, loss
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry, log_density, total_of
from ndis_verify.symbolic.normal_coordinates import z as coordinate
from ndis_verify.symbolic.notation import average, below, beyond, held, loss_at, scaled, unscaled, x
from ndis_verify.symbolic.sketch_records import inferred, named
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.two_paths import e1, e2, mu, two_divergences
from ndis_verify.symbolic.two_paths import s as spread_std

lam, counts = sp.symbols("lambda m", real=True)
s, u, over, under = sp.symbols("s u e g", positive=True)
epsilon, level, z = sp.symbols("epsilon nu z", real=True)
spread = sp.Symbol("a", nonnegative=True)  # lambda_i - 1
room = sp.Symbol("k", positive=True)  # 1 - 2 u a_i
value = sp.Symbol("W", nonnegative=True)
zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
_LEAST = Hypothesis("lam_i >= 1", entry(lam) >= 1)
_EACH = Hypothesis("m_i >= 1", entry(counts) >= 1)
_RANGE = Hypothesis("2 u (lam_i - 1) < 1", 2 * u * (entry(lam) - 1) < 1)
_variance = 1 + spread
_weight = 1 - 1 / _variance
_LOSS = log_density(0, 1) - log_density(0, sp.sqrt(_variance))
_STATISTIC = _weight * entry(x) ** 2
_P, _Q = unscaled(counts), scaled(lam, counts, 0)
# The rates k of E_P e^{kL}, and 1 - k times the weight of one coordinate.
_RATES = {
    "first": (2 * s, 1 + 2 * s * _weight),
    "second": (-one, 1 / _variance),
    "third": (-(1 + 2 * u), room / _variance),
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


def _positive(name: str, value_: sp.Expr) -> Step:
    return Step(name, "It is positive.", value_, zero, ">", value_)


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
        _positive("rest above", 2 * s * v + sp.exp(-(1 + 2 * u) * v)),
        _positive("v e^{-v}", v * sp.exp(-v)),
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
        _positive("rest beneath", 2 * u * w * sp.exp(w) + sp.exp(-2 * s * w)),
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
        named(spread, "lambda_i = 1 + a_i.", entry(lam) - 1, _LEAST.text),
        Step("coordinates", "Finitely many; every sum over them is finite.", kind="definition"),
        named(level, "nu = sum m_i log lambda_i.", total_of(entry(counts) * sp.log(_variance))),
        by_fact(
            "less nu",
            "Less it is the sum of the opposite terms.",
            "means are linear",
            {"mean": total_of, "terms": ((-one, entry(counts) * sp.log(_variance)),)},
            {"integrable": "coordinates"},
        ),
        inferred(
            "level", "In terms of nu.", -level, "=", total_of(entry(counts) * -sp.log(_variance)), *("less nu", "nu")
        ),
        inferred("lambda_i", "By this name", entry(lam), "=", _variance, "a"),
        inferred(
            "variance",
            "it is the variance of Q, as it is at least 1.",
            _variance,
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
            {"least": _LEAST.text, "counts": _EACH.text},
        ),
        Step(
            "loss of one coordinate",
            "log p/q is half of log lambda_i less (1 - 1/lambda_i) x_i^2,",
            lhs=_LOSS,
            rhs=(-_STATISTIC + sp.log(_variance)) / 2,
        ),
        Step(
            "loss of the other law",
            "and log q/p the opposite.",
            lhs=-_LOSS,
            rhs=(_STATISTIC - sp.log(_variance)) / 2,
        ),
    )


def _moment_steps() -> tuple[Step, ...]:
    """E_P e^{kL} at the three rates, in terms of nu and of products over the coordinates."""
    steps: list[Step] = [
        named(room, "What 2 u a_i leaves of 1.", 1 - 2 * u * (entry(lam) - 1), _RANGE.text),
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
                    "variance": _variance,
                    "L": loss,
                    "s": rate,
                    "statistic": -_STATISTIC,
                    "share": -sp.log(_variance),
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
                    "counts": _EACH.text,
                },
            ),
        ]
    return (*steps, *_product_steps())


def _product_steps() -> tuple[Step, ...]:
    """The products of moments as exponentials of sums."""
    m, logs = entry(counts), sp.log(_variance)
    factor = sp.sqrt(_variance) / sp.sqrt(room)  # the third moment
    return (
        by_fact(
            "product, second",
            "A product of powers:",
            "a product of powers",
            {"f": _variance, "c": m / 2},
            {"positive": _positive("variance", _variance)},
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
            {"positive": _positive("factor", factor)},
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
            {"positive": _positive("room", room)},
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
        ),
        by_fact(
            "three means",
            "of three.",
            "means are linear",
            {"mean": average, "terms": exponentials},
            {"integrable": "E_P, first"},
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
            "W >= 0", "A sum of squares with weights >= 0.", _STATISTIC, zero, ">=", spread / _variance * entry(x) ** 2
        ),
        by_fact(
            "bounded loss",
            "The loss never exceeds nu/2, and the divergence is 0 beyond.",
            "a bounded loss",
            {
                "P": _Q,
                "Q": _P,
                "variance": _variance,
                "statistic": _STATISTIC,
                "share": sp.log(_variance),
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
        hypotheses=(_LEAST, _EACH, _RANGE),
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
            Conclusion(claim, step, part="of two centred laws, the less spread one first")
            for claim in ("N26-L2", "N26-T4.2")
            for step in ("bound", "nothing beyond")
        ),
    )


def _of(name: str) -> tuple[str, ...]:
    return f"E_P, {name}", f"product, {name}", "half of nu", "nu"


_near = sp.Symbol("b", positive=True)  # lambda_i of the statement: of the first law against the second
_SMALLER = Hypothesis("lam_i <= 1", entry(lam) <= 1)
_PRESENT = Hypothesis("lam_i > 0", entry(lam) > 0)
_STATED_RANGE = Hypothesis("2 u (e^{|log(lam_i)|} - 1) < 1", 2 * u * (sp.exp(sp.Abs(sp.log(entry(lam)))) - 1) < 1)


def _inverse_steps(of: sp.Symbol, power: int, given: tuple[Hypothesis, ...]) -> tuple[Step, ...]:
    """v_i = 1/(1 + a_i), a_i >= 0, v = `of`, and |log v_i^k| = k log(1 + a_i), k = `power`."""
    present, smaller, in_range = (hypothesis.text for hypothesis in given)
    size, eigenvalue = sp.Abs(sp.log(1 / _variance**power)), _variance**power
    return (
        named(_near, f"{of}_i is positive", entry(of), present),
        inferred("b <= 1", "and at most 1.", _near, "<=", one, *(Use(smaller), "b")),
        named(spread, f"1/{of}_i = 1 + a_i.", 1 / _near - 1, "b <= 1"),
        inferred(str(of), f"So {of}_i = 1/(1 + a_i),", entry(of), "=", 1 / _variance, *("a", "b")),
        Step("size", "with this size of the logarithm of the eigenvalue,", lhs=size, rhs=power * sp.log(_variance)),
        Step("eigenvalue", "the inverse of which is at least 1,", eigenvalue, one, ">=", sp.expand(eigenvalue - 1)),
        inferred(
            "range",
            "in the range of u as stated.",
            2 * u * (eigenvalue - 1),
            "<",
            one,
            *(Use(in_range), str(of)),
        ),
    )


@cache
def printed_bound() -> Derivation:
    """`delta_{P,Q}(lam, m; nu/2 + e) = 0` and the printed bound at eps = nu/2 - g, nu = sum m_i |log(lam_i)|, where
    0 < lam_i <= 1: where P is the less spread law (N26-L2).

    `number`: |log lam| at `a` = 1/lam - 1.
    """
    sizes = sp.Abs(sp.log(entry(lam)))
    total = total_of(entry(counts) * sizes)
    of_lam = total_of(entry(counts) * sp.log(_variance))
    inside = half * of_lam - under
    m = entry(counts)
    bound = sp.exp(2 * s * under) * product_of((1 + 2 * s * (1 - sp.exp(-sizes))) ** (-m / 2))
    bound -= sp.exp(total / 2 - under) * (
        1 - sp.exp(-2 * u * under) * product_of((1 - 2 * u * (sp.exp(sizes) - 1)) ** (-m / 2))
    )

    def cost(of: sp.Expr) -> sp.Expr:
        return quantity("centred", lam, counts, of)

    at = {entry(lam): _variance, lam: _variance}
    granted = {_LEAST.text: "eigenvalue", _RANGE.text: "range"}
    steps = (
        *_inverse_steps(lam, 1, (_PRESENT, _SMALLER, _STATED_RANGE)),
        inferred("nu", "nu = sum m_i log(1 + a_i).", total, "=", of_lam, *("lambda", "size")),
        meaning("divergence", "centred", lam, counts, epsilon),
        meaning("divergence of the exchanged", "centred_reverse", 1 / entry(lam), counts, epsilon),
        by_fact(
            "exchanged",
            "P is the second law, and Q the first, of a pair of eigenvalues 1/lambda_i.",
            "two centred normal laws exchanged",
            {"lam": lam, "m": counts, "epsilon": epsilon},
            {"positive": _PRESENT.text, "counts": _EACH.text},
        ),
        inferred(
            "inverse eigenvalues",
            "So the divergence is that of a pair whose second law is the more spread one.",
            cost(epsilon),
            "=",
            quantity("centred_reverse", _variance, counts, epsilon),
            *("divergence", "exchanged", "a", "b", "divergence of the exchanged"),
        ),
        inferred(
            "nothing beyond",
            "Nothing is left beyond nu/2,",
            cost(total / 2 + over),
            "=",
            zero,
            *("nu", Use("inverse eigenvalues", at={epsilon: half * of_lam + over})),
            Use("nothing beyond", of=first_less_spread, at=at, granted=granted),
        ),
        inferred(
            "bound",
            "and up to there the bound holds.",
            cost(total / 2 - under),
            "<=",
            bound,
            *("nu", Use("inverse eigenvalues", at={epsilon: inside})),
            Use("bound", of=first_less_spread, at={**at, epsilon: inside}, granted=granted),
            "lambda",
        ),
    )
    names = {"lam": lam, "m": counts, "s": s, "u": u, "e": over, "g": under}
    return Derivation(
        id="less_spread.printed_bound",
        title="The printed bound where the first law is the less spread one",
        sources=("N26-L2",),
        hypotheses=(_PRESENT, _SMALLER, _EACH, _STATED_RANGE),
        steps=steps,
        result_step="size",
        symbols={"a": spread},
        faults=(
            Fault("half the bound", "bound", lambda rhs: rhs / 2),
            Fault("something beyond", "nothing beyond", lambda rhs: rhs + 1),
            Fault("logarithm with its sign", "size", lambda rhs: -rhs),
        ),
        concludes=(Conclusion("N26-L2", "nothing beyond", names), Conclusion("N26-L2", "bound", names)),
    )


std = sp.Symbol("s", real=True)  # of the first law, in each coordinate
first_rate = sp.Symbol("w", positive=True)
_once = sp.Symbol("j", positive=True)  # how often an eigenvalue stands
whole = sp.Symbol("n", nonnegative=True)  # nu
kept = sp.Symbol("h", nonnegative=True)  # nu/2 - g
_LOG = sp.Abs(sp.log(entry(std) ** 2))
_OF_STDS = (
    Hypothesis("s_i > 0", entry(std) > 0),
    Hypothesis("s_i <= 1", entry(std) <= 1),
    Hypothesis("2 u (e^{|log(s_i^2)|} - 1) < 1", 2 * u * (sp.exp(_LOG) - 1) < 1),
)
_UP_TO = Hypothesis("g <= nu/2", under <= total_of(_LOG) / 2)


def _by_size(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return (left - right).rewrite(sp.Abs).replace(sp.Abs, lambda gap: sp.Abs(sp.factor(gap)))


@cache
def printed_paths() -> Derivation:
    """Both paths with the printed bound of the covariance step, where all s_i <= 1: P has the smaller covariance
    (N26-T4.2).

    `number`: |log s^2| at `a` = 1/s - 1.
    """
    nu = total_of(_LOG)
    distance = sp.sqrt(total_of(entry(mu) ** 2 / sp.Min(1, entry(std) ** 2)))
    inverse = _variance**2
    of_inverse = total_of(_once * sp.log(inverse))
    term = sp.exp(2 * first_rate * under) * product_of((1 + 2 * first_rate * (1 - sp.exp(-_LOG))) ** -half)
    term -= sp.exp(nu / 2 - under) * (
        1 - sp.exp(-2 * u * under) * product_of((1 - 2 * u * (sp.exp(_LOG) - 1)) ** -half)
    )
    at = {entry(lam): inverse, lam: inverse, entry(counts): _once, counts: _once, s: first_rate}
    granted = {_LEAST.text: "eigenvalue", _EACH.text: "once", _RANGE.text: "range"}
    of_cov = {"beyond": whole / 2 + over, "up to nu/2": kept}
    steps = [
        *_inverse_steps(std, 2, _OF_STDS),
        Step("coordinates", "Finitely many; every sum over them is finite.", kind="definition"),
        by_fact(
            "nu >= 0",
            "A sum of sizes is not negative.",
            "means of what is not negative",
            {"mean": total_of, "f": _LOG},
            {"pointwise": Step("size >= 0", "A size.", _LOG, zero, ">=", _LOG), "integrable": "coordinates"},
        ),
        named(whole, "nu.", nu, "nu >= 0"),
        named(kept, "nu/2 - g.", nu / 2 - under, _UP_TO.text),
        Step("std", "1/s_i is at least 1.", _variance, one, ">=", spread),
        Step("once", "Each eigenvalue stands once.", lhs=_once, rhs=one, kind="definition"),
        Step(
            "smaller",
            "The smaller variance is that of P.",
            lhs=sp.Min(1, 1 / inverse),
            rhs=1 / inverse,
            reduce=lambda left, right: (
                (left - right).rewrite(sp.Abs).replace(sp.Abs, lambda gap: sp.Abs(sp.factor(gap)))
            ),
        ),
        meaning("divergence", "independent", mu, std, epsilon),
        meaning("divergence in a", "independent", mu, 1 / _variance, epsilon),
        inferred(
            "as coordinates",
            "P has the standard deviations 1/(1 + a_i).",
            quantity("independent", mu, std, epsilon),
            "=",
            quantity("independent", mu, 1 / _variance, epsilon),
            *("divergence", "divergence in a", "s"),
        ),
        inferred(
            "beyond",
            "The covariance step costs nothing beyond nu/2,",
            quantity("centred_reverse", inverse, _once, of_inverse / 2 + over),
            "<=",
            zero,
            Use("nothing beyond", of=first_less_spread, at=at, granted=granted),
        ),
    ]
    shown = {
        "beyond": Use("beyond"),
        "up to nu/2": Use("bound", of=first_less_spread, at={**at, epsilon: kept}, granted=granted),
    }
    for where, of in of_cov.items():
        exactly = nu / 2 + over if where == "beyond" else nu / 2 - under
        left = zero if where == "beyond" else term
        for path in ("mean first", "covariance first"):
            first = path == "mean first"
            factor = sp.exp(e1) if first else one
            bound = quantity("mean_shift", distance, e1 if first else e2)
            steps.append(
                inferred(
                    f"{path}, {where}",
                    "The mean step in the smaller covariance, and the covariance step.",
                    quantity("independent", mu, std, exactly + (e1 if first else e2)),
                    "<=",
                    bound + factor * left if first else sp.exp(exactly) * bound + left,
                    Use(
                        f"{path}, less spread",
                        of=two_divergences,
                        at={entry(spread_std): _variance, spread_std: _variance, (e2 if first else e1): of},
                        granted={"s_i >= 1": "std"},
                    ),
                    replace(shown[where], weight=factor),
                    Use("as coordinates", at={epsilon: exactly + (e1 if first else e2)}),
                    *(("once", "h", "s", "smaller") if of == kept else ("once", "n", "s", "smaller")),
                    *(("size",) if (of, path) == (kept, "mean first") else ()),
                )
            )
    names = {"mu": mu, "s": std, "x": e1, "y": e2, "e": over, "g": under, "w": first_rate, "u": u}
    ends = [f"{path}, {where}" for where in of_cov for path in ("mean first", "covariance first")]
    return Derivation(
        id="less_spread.printed_paths",
        title="Both paths with the printed bound, where the first law has the smaller covariance",
        sources=("N26-T4.2",),
        hypotheses=(*_OF_STDS, _UP_TO),
        steps=tuple(steps),
        result_step="size",
        symbols={"a": spread},
        faults=(
            Fault("e^x dropped", ends[2], lambda rhs: rhs.subs(sp.exp(e1), 1)),
            Fault("half the covariance term", ends[3], lambda rhs: rhs - term / 2),
            Fault("half the mean step", ends[0], lambda rhs: rhs / 2),
            Fault("the larger variance", "smaller", lambda rhs: 1 / rhs),
        ),
        concludes=tuple(Conclusion("N26-T4.2", end, names) for end in ends),
    )
