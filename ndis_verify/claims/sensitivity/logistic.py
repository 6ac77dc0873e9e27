"""Claims about how far one record moves the logistic-regression surrogate: the printed bounds, and a sharper one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.sensitivity.neighbours import (
    LONE,
    PUBLIC,
    RECORDS,
    attacked,
    attained_check,
    bound_check,
    worst_ratio,
)
from ndis_verify.claims.sensitivity.stated import FIRST, OF_ONE_FEATURE, ONE_EIGENVALUE, SURROGATE
from ndis_verify.court.domain import Domain, choice, continuous, integer, stacked, vector
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.sensitivity import logistic_surrogate
from ndis_verify.statements.reading import under
from ndis_verify.symbolic import sensitivity, surrogate_order


def _bounds(length: float, penalty: float, added: float, n: int, d: int) -> tuple[float, float, float]:
    """The printed (Delta, rho_inf, nu)."""
    least = added + 1 / (penalty + n * length**2 / 4)
    rho = math.log((added + 1 / penalty) / least)
    return length / penalty / math.sqrt(least), rho, d * rho


def _sharper(length: float, penalty: float, added: float, n: int, d: int) -> tuple[float, float, float]:
    """Delta as printed; one eigenvalue, as if n = 1 and d = 1."""
    printed, _, _ = _bounds(length, penalty, added, n, d)
    _, rho, _ = _bounds(length, penalty, added, 1, 1)
    return printed, rho, rho


def _margin(bounds: Callable[..., tuple]) -> Callable[..., float]:
    def margin(length, penalty, added, n, d, **columns):
        d, n, length = int(d), int(n), float(length)
        entries = stacked("entry", {name: [value] for name, value in columns.items()})[0][: n * d].reshape(n, d)
        rows = entries * (
            length
            / np.maximum(np.linalg.norm(entries, axis=1, keepdims=True), 1e-300)
            * np.abs(entries).max(axis=1, keepdims=True)
        )
        labels = np.array([1 if columns[f"label_{i + 1}"] > 0 else -1 for i in range(n)])
        pair = tuple(logistic_surrogate(rows[:m], labels[:m], float(penalty)) for m in (n, n - 1))
        return worst_ratio(bounds(length, float(penalty), float(added), n, d), pair, float(added))

    return margin


_DOMAIN = Domain(
    (
        continuous("length", "0.5", 10, "log"),
        continuous("penalty", "0.01", 10, "log"),
        continuous("added", "0.001", 10, "log"),
        integer("n", 1, RECORDS),
        integer("d", 1, 2),
        *vector("entry", 2 * RECORDS, -1, 1),
        *(choice(f"label_{i + 1}", (1, -1)) for i in range(RECORDS)),
    )
)
_ALONE = LONE | {"length": "0.5", "penalty": 10, "added": "0.001", "n": 1, "d": 1}


def _found_ratio(length: Fraction, penalty: Fraction, added: Fraction) -> Fraction:
    """Of the inflated variances of no record and one of norm l."""
    return (added + 1 / penalty) / (added + 1 / (penalty + length**2 / 4))


def _stated_ratio(length: Fraction, penalty: Fraction, added: Fraction) -> Fraction:
    return 1 / (1 - length**2 / ((4 * penalty + length**2) * (1 + penalty * added)))


def _optimum(penalty_factor: float) -> Callable[[str], Evidence]:
    """At the computed mean the gradient vanishes, and no nearby point is better; the covariance is exact to
    rounding.
    """

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(43)
        total = count(effort, 20, 200)
        for _ in range(total):
            n, d = int(rng.integers(0, 6)), int(rng.integers(1, 4))
            x, y, penalty = rng.standard_normal((n, d)) * 3, rng.choice([-1.0, 1.0], n), float(rng.uniform(0.05, 5))
            mean, cov = logistic_surrogate(x, y, penalty * penalty_factor)
            value = lambda theta: np.logaddexp(0, -(x * y[:, None]) @ theta).sum() + penalty * theta @ theta / 2  # noqa: E731
            nearby = min(value(mean + 1e-3 * step) for step in rng.standard_normal((20, d)))
            residual = np.abs(cov @ (penalty * np.eye(d) + x.T @ x / 4) - np.eye(d)).max()
            if nearby < value(mean) or residual > 1e-9 or np.linalg.eigvalsh(cov)[0] <= 0:
                return Evidence(
                    Outcome.FAILED,
                    "fast",
                    f"not the minimiser, or not its covariance (residual {residual:.1g})",
                    count=total,
                )
        return Evidence(Outcome.HELD, "fast", "a minimiser with a positive definite covariance", 9, total, "databases")

    return run


CLAIMS = (
    Claim(
        id="N26-D7",
        source="N26",
        title="the logistic-regression surrogate is a Gaussian-output algorithm",
        statement=(
            "The objective has one minimiser, and (lambda I + X^T X/4)^{-1} is positive definite, for every database."
        ),
        formula="mu = argmin sum log(1 + exp(-y x^T theta)) + (lambda/2)|theta|^2, S = (lambda I + X^T X/4)^{-1}",
        hypotheses=("lambda > 0", "any number of records, none included"),
        declared=Verdict.PROVED,
        checks=(
            proof("strongly convex", sensitivity.one_minimiser),
            Check(
                "minimiser and covariance computed", Kind.CROSSCHECK, _optimum(1.0), {"other penalty": _optimum(1.5)}
            ),
        ),
        note=(
            "A definition: strong convexity gives the minimiser, and S^{-1} >= lambda I. S bounds the inverse Hessian"
            " from below."
        ),
    ),
    stated_claim(
        id="N26-Pr7",
        source="N26",
        title="sensitivity of the logistic-regression surrogate",
        stated=SURROGATE,
        about=(
            "With n = rows(X) + 1 at least the size of both databases: Delta = (l/lambda)/sqrt(v + 1/(lambda + n"
            " l^2/4)), rho_inf = log(k) and nu = d rho_inf are at most these printed values, for X, of records of norm"
            " at most l with labels -1 or 1, and u one more; the inflated covariances S and R are ordered."
        ),
        search={"starts": (FIRST,)},
        declared=Verdict.PROVED,
        checks=(
            proof("shift of the mean", sensitivity.logistic_shift),
            proof("covariances in order", surrogate_order.with_more_records),
            attacked(_margin, _DOMAIN, _bounds, (0.3, 0.8), _ALONE),
            bound_check("derived Delta", sensitivity.logistic_shift, lambda l, p, v, n: _bounds(l, p, v, n, 1)[0]),
        ),
        note=PUBLIC + "Free of n: Delta <= l/(lambda sqrt v); for rho_inf and nu see N26-Pr7-improved.",
    ),
    stated_claim(
        id="N26-Pr7-smaller-n",
        tags=("reading",),
        source="N26",
        title="the same with n the size of the smaller database",
        stated=OF_ONE_FEATURE,
        stands=under(OF_ONE_FEATURE, "n >= 1"),
        fails_at=({"lam": 1, "v": 1, "l": 2, "x": 0, "y": 2, "n": 0},),
        parts=("with a record", "n = 0"),
        corrected="With n the size of the larger database; for rho_inf any n >= 1 will do.",
        about=(
            "The printed rho_inf with n the number of records of the smaller one of two neighbours, here of one"
            " feature: x is the sum of its squares, y the record more, and n = 0 is no record against one."
        ),
        declared=Verdict.RESTRICTED,
        checks=(proof("the printed factor", sensitivity.ratio_of_one_feature, part="with a record"),),
        note="The neighbour of a database of n records may have n + 1.",
    ),
    stated_claim(
        id="N26-Pr7-improved",
        source="N26",
        title="one record moves one eigenvalue of the surrogate: rho_inf and nu without n and d",
        stated=ONE_EIGENVALUE,
        about=(
            "rho_inf = nu = log(k), the printed rho_inf at n = 1, for databases X of any size in any dimension and a"
            " record u more; attained by no record against one."
        ),
        search={"starts": (FIRST,)},
        declared=Verdict.PROVED,
        checks=(
            proof("covariances in order, and determinants", surrogate_order.one_eigenvalue),
            attained_check(_stated_ratio, _found_ratio),
            attacked(_margin, _DOMAIN, _sharper, (0.3, 0.98), _ALONE),
            bound_check("derived rho_inf", sensitivity.logistic_rank_one, lambda l, p, v: _sharper(l, p, v, 1, 1)[1]),
        ),
        note="At n = 1000, d = 20, l = lambda = v = 1 the printed pair is (0.689, 13.8); this one is 0.105 for both.",
    ),
)
