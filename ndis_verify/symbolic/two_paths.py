"""A mean shift and a covariance shift one after the other, in either order, for either law the more spread one (N26
section 6).

s_i >= 1: P has independent normal coordinates of means mu_i and standard deviations s_i, or 1/s_i; Q is standard
normal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_corner import greatest_at_corner
from ndis_verify.symbolic.covariance_shift import more_spread_bound
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named, positive
from ndis_verify.symbolic.mean_shift import std
from ndis_verify.symbolic.mean_shift_order import every_pair, worst_pair
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import density, entry, total_of
from ndis_verify.symbolic.privacy_loss import in_two_steps
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
mu, s = sp.symbols("mu s", real=True)
e1, e2 = sp.symbols("e1 e2", nonnegative=True)
u = sp.Symbol("u", positive=True)
_excess = sp.Symbol("a", nonnegative=True)  # s_i - 1
_once = sp.Symbol("k", positive=True)  # how often an eigenvalue stands
_mean, _wide = entry(mu), 1 + _excess
_lam = entry(s) ** 2  # the eigenvalues of the more spread covariance against the other, each once
_RANGE = "u (s_i^2 - 1) < 1"
_OF_LAWS = (Hypothesis("s_i >= 1", entry(s) >= 1), Hypothesis("x >= 0", e1 >= 0), Hypothesis("y >= 0", e2 >= 0))
# Of P: its standard deviations, as a statement has them and in a_i; which is the first of two centred laws.
_ORDERS = {"more spread": (s, _wide, ""), "less spread": (1 / entry(s), 1 / _wide, ", exchanged")}
_HEADS = {"more spread": "centred", "less spread": "centred_reverse"}
_PATHS = ("mean first", "covariance first")


def _term(epsilon: sp.Expr) -> sp.Expr:
    """The corrected Lemma 2 at the eigenvalues s_i^2."""
    constant = u**u * (1 + u) ** (-1 - u) * sp.exp(-u * total_of(sp.log(entry(s) ** 2)) / 2)
    product = quantity("product", (1 - u * (entry(s) ** 2 - 1)) ** sp.Rational(-1, 2))
    return constant * product * sp.exp(-u * epsilon)


def _distance(order: str) -> sp.Expr:
    """Of the means, in the smaller covariance."""
    return sp.sqrt(total_of(_mean**2 if order == "more spread" else _mean**2 * entry(s) ** 2))


def _eigenvalue_steps() -> tuple[Step, ...]:
    return (
        Step("s_i", "s_i = 1 + a_i.", lhs=_excess, rhs=entry(s) - 1, kind="definition", premises=("s_i >= 1",)),
        Step("eigenvalue", "Of the more spread covariance.", lhs=_wide**2, rhs=1 + 2 * _excess + _excess**2),
        Step("excess", "It is more than 1 by", 2 * _excess + _excess**2, zero, ">=", 2 * _excess + _excess**2),
        inferred("more spread", "at least 0.", _lam, ">=", one, *("excess", "eigenvalue", "s_i")),
        Step("once", "Each stands once.", lhs=_once, rhs=one, kind="definition"),
    )


def _stds() -> tuple[Step, ...]:
    return positive("wide", _wide), positive("narrow", 1 / _wide), positive("unit", one)


def _sides(path: str) -> tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]:
    """What the mean step and the covariance step have of eps, and their factors."""
    return (e1, e2, one, sp.exp(e1)) if path == "mean first" else (e2, e1, sp.exp(e1), one)


def _mean_steps(order: str) -> tuple[Step, ...]:
    """A mean shift costs no more in the larger covariance, s_i^2 or 1, than in the smaller one."""
    names = ("unit", "wide") if order == "more spread" else ("narrow", "unit")
    narrow, wide = (one, _wide) if order == "more spread" else (1 / _wide, one)
    steps = []
    for path, epsilon in zip(_PATHS, (e1, e2), strict=True):
        steps.append(
            by_fact(
                f"mean step, {path}, {order}",
                "Two laws of one covariance, the smaller one.",
                "normal coordinates of one covariance",
                {"mean": _mean, "other mean": zero, "std": narrow, "epsilon": epsilon},
                {"std": names[0]},
            )
        )
    size = 2 * _excess + _excess**2
    noise = size if order == "more spread" else size / _wide**2
    added = "eigenvalue" if order == "more spread" else Step("variance", "Added.", lhs=one, rhs=narrow**2 + noise)
    larger = by_fact(
        f"larger covariance, {order}",
        "The mean step costs no more in the larger one.",
        "noise on independent normal coordinates",
        {
            "mean": _mean,
            "other mean": zero,
            "std": narrow,
            "other std": narrow,
            "noise": noise,
            "noisy": wide,
            "other noisy": wide,
            "epsilon": e1 if order == "more spread" else e2,
        },
        {
            "noise": Step(
                "noise",
                "s_i >= 1.",
                lhs=noise,
                rhs=zero,
                relation=">=",
                witness=noise,
            ),
            "std": names[0],
            "other std": names[0],
            "noisy": names[1],
            "other noisy": names[1],
            "variance": added,
            "other variance": added,
        },
    )
    return (*steps, larger)


def _path_steps(order: str, path: str) -> tuple[Step, ...]:
    """The bound of one path."""
    stated, std, exchanged = _ORDERS[order]
    first = path == "mean first"
    between = density(zero, std) if first else density(_mean, one)
    laws = density(_mean, std), between, density(zero, one)
    of_mean, of_cov, mean_factor, factor = _sides(path)
    in_larger = (Use(f"larger covariance, {order}", weight=mean_factor),) if first == (order == "more spread") else ()
    return (
        Step(
            f"laws, {path}, {order}",
            "P, Q, R laws on one space, of independent normal coordinates: R, in between, has the mean of the one and"
            " the covariance of the other.",
            kind="definition",
            premises=("wide", "narrow"),
        ),
        in_two_steps(
            f"two steps, {path}, {order}",
            "By the triangle inequality (N26-P3).",
            laws,
            e1,
            e2,
            f"laws, {path}, {order}",
        ),
        by_fact(
            f"covariance step, {path}, {order}",
            "Two laws of one mean.",
            f"normal coordinates of one mean{exchanged}",
            {"mean": zero if first else _mean, "std": std, "other std": one, "epsilon": of_cov},
            {"std": "narrow" if exchanged else "wide", "other std": "unit"},
        ),
        Step(
            f"{path}, {order}",
            "The mean step in the smaller covariance, and the covariance step.",
            lhs=quantity("independent", mu, stated, e1 + e2),
            rhs=mean_factor * quantity("mean_shift", _distance(order), of_mean)
            + factor * quantity(_HEADS[order], _lam, one, of_cov),
            relation="<=",
            kind="inference",
            premises=(
                f"divergence, {order}",
                f"two steps, {path}, {order}",
                *in_larger,
                f"mean step, {path}, {order}",
                f"covariance step, {path}, {order}",
                "s_i",
            ),
        ),
    )


@cache
def two_divergences() -> Derivation:
    """A mean shift and a covariance shift one after the other, with the divergence of the covariance shift itself
    (N26-T4.2-corrected).

    `number`: the eigenvalue s_i^2, at `a` = s_i - 1.
    """
    steps = [
        Step("s_i", "s_i = 1 + a_i.", lhs=_excess, rhs=entry(s) - 1, kind="definition", premises=("s_i >= 1",)),
        Step("eigenvalue", "Of the more spread covariance.", lhs=_wide**2, rhs=1 + 2 * _excess + _excess**2),
        *_stds(),
    ]
    for order, (stated, _, _) in _ORDERS.items():
        steps += [meaning(f"divergence, {order}", "independent", mu, stated, e1 + e2), *_mean_steps(order)]
        steps += [step for path in _PATHS for step in _path_steps(order, path)]
    ends = [f"{path}, {order}" for order in _ORDERS for path in _PATHS]
    return Derivation(
        id="two_paths.two_divergences",
        title="A mean shift and a covariance shift, one after the other",
        sources=("N26-T4.2", "N26-D6"),
        hypotheses=_OF_LAWS,
        steps=tuple(steps),
        result_step="eigenvalue",
        symbols={"a": _excess},
        faults=(
            Fault("e^x dropped", ends[0], lambda rhs: rhs.subs(sp.exp(e1), 1)),
            Fault("shift in the larger covariance", ends[2], lambda rhs: rhs.subs(_distance("less spread"), mu)),
            Fault("square of a_i left out", "eigenvalue", lambda rhs: rhs - _excess**2),
        ),
        concludes=tuple(
            Conclusion(claim, end, part="with the divergence of the covariance shift, for s_i >= 1")
            for claim in ("N26-T4.2", "N26-T4.2-corrected", "N26-D6-corrected")
            for end in ends
        ),
    )


@cache
def two_paths() -> Derivation:
    """`delta_N(mu, s; x + y) <= delta_shift(D; x) + e^x B e^{-u y}` and `<= B e^{-u x} + e^x delta_shift(D; y)`, D the
    shift in the smaller covariance, and so for standard deviations 1/s_i (N26-T4.2-corrected).

    `number`: the eigenvalue s_i^2, at `a` = s_i - 1.
    """
    lam, counts, rate, eps = (more_spread_bound().concludes[0].symbols[name] for name in ("lam", "m", "s", "eps"))
    eigenvalues = {entry(lam): _lam, lam: _lam, entry(counts): _once, counts: _once, rate: u}
    granted = {"lam_i >= 1": "more spread", "m_i >= 1": "once", "s (lam_i - 1) < 1": _RANGE}
    steps = [
        *_eigenvalue_steps(),
    ]
    for order, (stated, _, exchanged) in _ORDERS.items():
        for path in _PATHS:
            of_mean, of_cov, mean_factor, factor = _sides(path)
            bound = Use(
                "the other direction" if exchanged else "the more spread law first",
                of=more_spread_bound,
                at={**eigenvalues, eps: of_cov},
                weight=factor,
                granted={**granted, "s > 0": "u > 0", "eps >= 0": "y >= 0" if path == "mean first" else "x >= 0"},
            )
            steps.append(
                Step(
                    f"{path}, {order}",
                    "The corrected Lemma 2 for the covariance step.",
                    lhs=quantity("independent", mu, stated, e1 + e2),
                    rhs=mean_factor * quantity("mean_shift", _distance(order), of_mean) + factor * _term(of_cov),
                    relation="<=",
                    kind="inference",
                    premises=(Use(f"{path}, {order}", of=two_divergences), bound, "once"),
                )
            )
    names = {"mu": mu, "s": s, "u": u, "x": e1, "y": e2}
    ends = [f"{path}, {order}" for order in _ORDERS for path in _PATHS]
    return Derivation(
        id="two_paths.two_paths",
        title="Both paths with the Chernoff bound of the covariance step",
        sources=("N26-T4.2",),
        hypotheses=(*_OF_LAWS, Hypothesis(_RANGE, u * (entry(s) ** 2 - 1) < 1), Hypothesis("u > 0", u > 0)),
        steps=tuple(steps),
        result_step="eigenvalue",
        symbols={"a": _excess},
        faults=(
            Fault("e^x dropped", ends[0], lambda rhs: rhs.subs(sp.exp(e1), 1)),
            Fault("half the covariance term", ends[3], lambda rhs: rhs - _term(e1) / 2),
            Fault("square of a_i left out", "eigenvalue", lambda rhs: rhs - _excess**2),
        ),
        concludes=tuple(Conclusion("N26-T4.2-corrected", end, names) for end in ends),
    )


_R, _T = sp.symbols("R T", positive=True)
_n = sp.Symbol("n", positive=True, integer=True)
_farthest = dict(zip(_ORDERS, sp.symbols("D E", positive=True), strict=True))
_sizes = dict(zip(_ORDERS, sp.symbols("w z", nonnegative=True), strict=True))  # squared shifts
_corner, _times = quantity("vector", _R, _T), quantity("vector", _n, one)


def _corner_term(epsilon: sp.Expr) -> sp.Expr:
    level = _n * sp.log(_R) + sp.log(_T)
    constant = u**u * (1 + u) ** (-1 - u) * sp.exp(-u * level / 2)
    return constant * (1 - u * (_R - 1)) ** (-_n / 2) * (1 - u * (_T - 1)) ** sp.Rational(-1, 2) * sp.exp(-u * epsilon)


_CORNER_HYPOTHESES = (
    *(
        Hypothesis(text, sp.Le(_distance(order) ** 2, far**2))
        for text, (order, far) in zip(
            ("sum_i mu_i^2 <= D^2", "sum_i mu_i^2 s_i^2 <= E^2"), _farthest.items(), strict=True
        )
    ),
    *(Hypothesis(f"{far} > 0", far > 0) for far in _farthest.values()),
    Hypothesis("s_i^2 <= R", _lam <= _R),
    Hypothesis("prod_i s_i^2 <= R^n T", quantity("product", _lam) <= _R**_n * _T),
    Hypothesis("T >= 1", _T >= 1),
    Hypothesis("T <= R", _T <= _R),
    Hypothesis("n >= 1", _n >= 1),
    Hypothesis("u > 0", u > 0),
    Hypothesis("u (R - 1) < 1", u * (_R - 1) < 1),
)


def _shift_steps(order: str) -> Iterator[Step]:
    """A shift of at most D costs no more than D, at x and at y."""
    sensitivity, epsilon, apart = (every_pair().concludes[0].symbols[name] for name in ("Delta", "eps", "s"))
    far, square, size = _farthest[order], _distance(order) ** 2, _sizes[order]
    given = _CORNER_HYPOTHESES[list(_ORDERS).index(order)].text
    one_square = _mean**2 if order == "more spread" else _mean**2 * entry(s) ** 2
    yield by_fact(
        f"square, {order}",
        "A sum of squares",
        "means of what is not negative",
        {"mean": total_of, "f": one_square},
        {"pointwise": Step("sign", "is not negative.", one_square, zero, ">=", witness=one_square)},
    )
    yield named(size, "Its name.", square, f"square, {order}")
    yield by_fact(
        f"shift, {order}",
        "The shift is at most the largest one,",
        "a number and a larger square",
        {"a": sp.sqrt(size), "b": far},
        {
            "squares": inferred("squares", "as given.", size, "<=", far**2, Use(given), str(size)),
            "sign": Step("sign", "Positive.", far, zero, ">=", witness=far),
        },
    )
    share = sp.sqrt(size) / far
    yield inferred(f"share, {order}", "a share of it", share, "<=", one, Use(f"shift, {order}", weight=1 / far))
    for of, text in ((e1, "x >= 0"), (e2, "y >= 0")):
        at = {sensitivity: far, std: one, epsilon: of}
        granted = {"Delta > 0": f"{far} > 0", "sigma > 0": "unit", "eps >= 0": text}
        yield inferred(
            f"shift at {text[0]}, {order}",
            "that costs no more (N24-P7).",
            quantity("mean_shift", _distance(order), of),
            "<=",
            quantity("mean_shift", far, of),
            Use("one pair", of=every_pair, at={**at, apart: share}, granted={**granted, "s <= 1": f"share, {order}"}),
            Use("greatest at s = 1", of=worst_pair, at=at, granted=granted),
            str(size),
        )


def _corner_steps() -> Iterator[Step]:
    """The Chernoff bound at the corner, as a statement writes it."""
    entries, counts = quantity("coordinate", _corner), quantity("coordinate", _times)
    yield inferred("R >= 1", "T <= R.", _R, ">=", one, Use("T >= 1"), Use("T <= R", weight=-1))
    yield by_fact(
        "eigenvalues of the corner",
        "Its eigenvalues are at least 1,",
        "entries of a pair",
        {"a": _R, "b": _T, "c": one},
        {"first": "R >= 1", "second": "T >= 1"},
    )
    yield by_fact(
        "at most R",
        "and at most R, as T is;",
        "entries of a pair, from above",
        {"a": _R, "b": _T, "c": _R},
        {"first": Step("R <= R", "R is.", _R, _R, "<=", zero), "second": "T <= R"},
    )
    yield Step("whole", "n is whole,", _n, one, ">=", _n - 1)
    yield by_fact(
        "multiplicities of the corner",
        "so each stands at least once.",
        "entries of a pair",
        {"a": _n, "b": one, "c": one},
        {"first": "whole", "second": Step("1 >= 1", "1 is.", one, one, ">=", zero)},
    )
    yield inferred(
        "range at the corner",
        "So the bound holds there,",
        u * (entries - 1),
        "<",
        one,
        *(Use("at most R", weight=u), Use("u (R - 1) < 1")),
    )
    yield inferred(
        "range at T",
        "at its second eigenvalue too,",
        u * (_T - 1),
        "<",
        one,
        Use("T <= R", weight=u),
        Use("u (R - 1) < 1"),
    )
    pairs = {"a": _R, "b": _T, "n": _n, "m": one}
    yield by_fact(
        "level",
        "with the sum",
        "a sum over a pair",
        {"f": counts * sp.log(entries), **pairs},
        {},
    )
    yield by_fact(
        "product",
        "and the product of two.",
        "a product over a pair",
        {"f": (1 - u * (entries - 1)) ** (-counts / 2), **pairs},
        {},
        ("range at T",),
    )


@cache
def at_corner() -> Derivation:
    """The same over an envelope, s_i^2 <= R of product at most R^n T: the covariance term of R, n times, and T
    (N26-D6-corrected).

    `number`: the eigenvalue s_i^2, at `a` = s_i - 1.
    """
    lam, counts, rate, eps = (more_spread_bound().concludes[0].symbols[name] for name in ("lam", "m", "s", "eps"))
    of_corner = greatest_at_corner().concludes[0].symbols
    steps = [
        *_eigenvalue_steps(),
        positive("unit", one),
        inferred(
            "every eigenvalue once",
            "As given.",
            quantity("product", _lam**_once),
            "<=",
            _R**_n * _T,
            Use("prod_i s_i^2 <= R^n T"),
            "once",
        ),
        *(step for order in _ORDERS for step in _shift_steps(order)),
        *_corner_steps(),
    ]
    for order, (stated, _, exchanged) in _ORDERS.items():
        for path in _PATHS:
            of_mean, of_cov, mean_factor, factor = _sides(path)
            at_zero = "y >= 0" if path == "mean first" else "x >= 0"
            greatest = Use(
                f"greatest, {'Q' if exchanged else 'P'} first",
                of=greatest_at_corner,
                at={
                    **dict.fromkeys((of_corner["lam"], entry(of_corner["lam"])), _lam),
                    **dict.fromkeys((of_corner["m"], entry(of_corner["m"])), _once),
                    **{of_corner[name]: symbol for name, symbol in (("R", _R), ("T", _T), ("n", _n), ("eps", of_cov))},
                },
                weight=factor,
                granted={
                    "lam_i >= 1": "more spread",
                    "lam_i <= R": "s_i^2 <= R",
                    "m_i >= 1": "once",
                    "prod_i lam_i^m_i <= R^n T": "every eigenvalue once",
                    "eps >= 0": at_zero,
                },
            )
            bound = Use(
                "the other direction" if exchanged else "the more spread law first",
                of=more_spread_bound,
                at={lam: _corner, counts: _times, rate: u, eps: of_cov},
                weight=factor,
                granted={
                    "lam_i >= 1": "eigenvalues of the corner",
                    "m_i >= 1": "multiplicities of the corner",
                    "s (lam_i - 1) < 1": "range at the corner",
                    "s > 0": "u > 0",
                    "eps >= 0": at_zero,
                },
            )
            far, name = _farthest[order], "x" if path == "mean first" else "y"
            steps.append(
                inferred(
                    f"{path}, {order}",
                    "The largest shift, and the corner's covariance term.",
                    quantity("independent", mu, stated, e1 + e2),
                    "<=",
                    mean_factor * quantity("mean_shift", far, of_mean) + factor * _corner_term(of_cov),
                    Use(f"{path}, {order}", of=two_divergences),
                    Use(f"shift at {name}, {order}", weight=mean_factor),
                    *(greatest, bound, "level", "product", "once"),
                )
            )
    names = {"mu": mu, "s": s, "u": u, "x": e1, "y": e2, "R": _R, "T": _T, "n": _n}
    names |= {str(far): far for far in _farthest.values()}
    ends = [f"{path}, {order}" for order in _ORDERS for path in _PATHS]
    return Derivation(
        id="two_paths.at_corner",
        title="Both paths over an envelope, with the Chernoff bound at its corner",
        sources=("N26-D6",),
        hypotheses=(*_OF_LAWS, *_CORNER_HYPOTHESES),
        steps=tuple(steps),
        result_step="eigenvalue",
        symbols={"a": _excess},
        faults=(
            Fault("e^x dropped", ends[0], lambda rhs: rhs.subs(sp.exp(e1), 1)),
            Fault("half the covariance term", ends[3], lambda rhs: rhs - _corner_term(e1) / 2),
            Fault("square of a_i left out", "eigenvalue", lambda rhs: rhs - _excess**2),
        ),
        concludes=tuple(Conclusion("N26-D6-corrected", end, names) for end in ends),
    )
