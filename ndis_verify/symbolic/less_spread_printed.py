"""The bound for two centred normal laws as printed, where the first law is the less spread: in the logarithms of the
eigenvalues (N26-L2), and in both paths (N26-T4.2).

nu = sum m_i |log lambda_i|. The derivations count to the subject `less_spread`, as their names say.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.less_spread import (
    EACH,
    LEAST,
    RANGE,
    counts,
    epsilon,
    first_less_spread,
    half,
    lam,
    one,
    over,
    product_of,
    s,
    spread,
    u,
    variance,
    zero,
)
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.two_paths import e1, e2, mu, two_divergences
from ndis_verify.symbolic.two_paths import s as spread_std

under = sp.Symbol("g", positive=True)
_near = sp.Symbol("b", positive=True)  # lambda_i of the statement: of the first law against the second
_SMALLER = Hypothesis("lam_i <= 1", entry(lam) <= 1)
_PRESENT = Hypothesis("lam_i > 0", entry(lam) > 0)
_STATED_RANGE = Hypothesis("2 u (e^{|log(lam_i)|} - 1) < 1", 2 * u * (sp.exp(sp.Abs(sp.log(entry(lam)))) - 1) < 1)


def _inverse_steps(of: sp.Symbol, power: int, given: tuple[Hypothesis, ...]) -> tuple[Step, ...]:
    """v_i = 1/(1 + a_i), a_i >= 0, v = `of`, and |log v_i^k| = k log(1 + a_i), k = `power`."""
    present, smaller, in_range = (hypothesis.text for hypothesis in given)
    size, eigenvalue = sp.Abs(sp.log(1 / variance**power)), variance**power
    return (
        named(_near, f"{of}_i is positive", entry(of), present),
        inferred("b <= 1", "and at most 1.", _near, "<=", one, *(Use(smaller), "b")),
        named(spread, f"1/{of}_i = 1 + a_i.", 1 / _near - 1, "b <= 1"),
        inferred(str(of), f"So {of}_i = 1/(1 + a_i),", entry(of), "=", 1 / variance, *("a", "b")),
        Step("size", "with this size of the logarithm of the eigenvalue,", lhs=size, rhs=power * sp.log(variance)),
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
    of_lam = total_of(entry(counts) * sp.log(variance))
    inside = half * of_lam - under
    m = entry(counts)
    bound = sp.exp(2 * s * under) * product_of((1 + 2 * s * (1 - sp.exp(-sizes))) ** (-m / 2))
    bound -= sp.exp(total / 2 - under) * (
        1 - sp.exp(-2 * u * under) * product_of((1 - 2 * u * (sp.exp(sizes) - 1)) ** (-m / 2))
    )

    def cost(of: sp.Expr) -> sp.Expr:
        return quantity("centred", lam, counts, of)

    at = {entry(lam): variance, lam: variance}
    granted = {LEAST.text: "eigenvalue", RANGE.text: "range"}
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
            {"positive": _PRESENT.text, "counts": EACH.text},
        ),
        inferred(
            "inverse eigenvalues",
            "So the divergence is that of a pair whose second law is the more spread one.",
            cost(epsilon),
            "=",
            quantity("centred_reverse", variance, counts, epsilon),
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
        hypotheses=(_PRESENT, _SMALLER, EACH, _STATED_RANGE),
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
    inverse = variance**2
    of_inverse = total_of(_once * sp.log(inverse))
    term = sp.exp(2 * first_rate * under) * product_of((1 + 2 * first_rate * (1 - sp.exp(-_LOG))) ** -half)
    term -= sp.exp(nu / 2 - under) * (
        1 - sp.exp(-2 * u * under) * product_of((1 - 2 * u * (sp.exp(_LOG) - 1)) ** -half)
    )
    at = {entry(lam): inverse, lam: inverse, entry(counts): _once, counts: _once, s: first_rate}
    granted = {LEAST.text: "eigenvalue", EACH.text: "once", RANGE.text: "range"}
    of_cov = {"beyond": whole / 2 + over, "up to nu/2": kept}
    steps = [
        *_inverse_steps(std, 2, _OF_STDS),
        by_fact(
            "nu >= 0",
            "A sum of sizes is not negative.",
            "means of what is not negative",
            {"mean": total_of, "f": _LOG},
            {"pointwise": Step("size >= 0", "A size.", _LOG, zero, ">=", _LOG)},
        ),
        named(whole, "nu.", nu, "nu >= 0"),
        named(kept, "nu/2 - g.", nu / 2 - under, _UP_TO.text),
        Step("std", "1/s_i is at least 1.", variance, one, ">=", spread),
        Step("once", "Each eigenvalue stands once.", lhs=_once, rhs=one, kind="definition"),
        Step(
            "smaller",
            "The smaller variance is that of P.",
            lhs=sp.Min(1, 1 / inverse),
            rhs=1 / inverse,
            reduce=_by_size,
        ),
        meaning("divergence", "independent", mu, std, epsilon),
        meaning("divergence in a", "independent", mu, 1 / variance, epsilon),
        inferred(
            "as coordinates",
            "P has the standard deviations 1/(1 + a_i).",
            quantity("independent", mu, std, epsilon),
            "=",
            quantity("independent", mu, 1 / variance, epsilon),
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
                        at={entry(spread_std): variance, spread_std: variance, (e2 if first else e1): of},
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
