"""How far a check may be off before it fails and how little it may search: what all checks are granted, and what a few
are granted more, and why.

A check names its own tolerance; the judge fails one that is looser than what stands here. A tighter one needs no entry.
Tolerances of attacks are margins, relative unless the check says otherwise; those of comparisons are digits that agree.
A planted fault counts as caught only where it is told apart by `TELLING` tolerances, or by `TELLING_DIGITS` digits
fewer than asked, so that a tolerance that swallows what it has to tell apart fails too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MARGIN = 1e-8  # ten times what rounding leaves of the contour engine's 1e-11 in a difference of divergences at 1e-290
DIGITS = 9.0  # what float64 promises of a curve (1e-11), less two digits for the arguments' own rounding
EVALUATIONS = 40.0  # below it a search is a few points
TELLING = 10.0
TELLING_DIGITS = 0.5


@dataclass(frozen=True)
class Grant:
    """`limit` for the checks of these names, because of `reason`."""

    limit: float
    reason: str
    checks: tuple[str, ...]


MARGINS = (
    Grant(
        1e-7,
        "matrices of random databases with condition numbers up to 1e6, in float64: their product with 2^-52 and"
        " the dimension",
        (
            "(p, q, d, r) against the limit laws' means and covariances",
            "1 less the leverage against the ratio of the determinants",
            "eigenvalues and shift of the deletion from (p, q, r) against the matrices",
            "leverage by angles with eigenvectors against an orthogonal basis",
            "leverage by the normal equations against an orthogonal basis",
            "leverage plus residual share against the leverage in [B b], at most 1",
        ),
    ),
    Grant(
        1e-7,
        "the mixture's divergence is a quotient by the sampling rate, down to 1e-2, of the engine's own",
        ("target over both divergences of the sampled mixture, one record against none",),
    ),
    Grant(
        1e-6,
        "both sides come from float64 matrices of databases and from a search for a largest value, ended at 1e-7",
        (
            "the curve at the leverage of the set over the divergence of a pair of it",
            "the envelope's largest divergence over that of neighbouring databases",
            "the envelope's largest divergence over that of neighbouring databases, groups of copies",
        ),
    ),
    Grant(
        1e-5,
        "one side is the slope of the contour integral by a difference of step 1e-5",
        ("e^eps Pr[L' <= -eps] against the slope of the contour integral, Pr[L >= eps] against their sum",),
    ),
    Grant(
        1e-3,
        "the joint law is integrated over a grid of readings; halving the grid moves the divergence by 2e-4",
        ("joint divergence of test and release",),
    ),
)
COMPARISONS = (
    Grant(
        8,
        "one side is a quadrature or a maximum over a grid in float64",
        (
            "James-Stein risk: hypergeometric form against the definition",
            "the formula against the Neyman-Pearson curve of pairs that are their own mirror image",
        ),
    ),
    Grant(
        7,
        "float64 eigenvalues of dense pairs with condition numbers up to 1e3, in a tail",
        ("delta from the invariants alone against the certified divergence",),
    ),
)

SEARCHES = (
    Grant(
        6,
        "one evaluation is the calibration of a data set and a search over its worst pairs: about a second",
        ("the target over the worst delta at the float64 noise, logistic regression",),
    ),
)


def _by_check(grants: tuple[Grant, ...]) -> Mapping[str, float]:
    return {check: grant.limit for grant in grants for check in grant.checks}


_MARGIN_OF, _DIGITS_OF, _EVALUATIONS_OF = _by_check(MARGINS), _by_check(COMPARISONS), _by_check(SEARCHES)


def largest_margin(check: str) -> float:
    """The largest tolerance that an attack with this name may have."""
    return _MARGIN_OF.get(check, MARGIN)


def fewest_evaluations(check: str) -> float:
    """The fewest evaluations that a search with this name may be granted."""
    return _EVALUATIONS_OF.get(check, EVALUATIONS)


def fewest_digits(check: str) -> float:
    """The fewest digits that a comparison with this name may ask for."""
    return _DIGITS_OF.get(check, DIGITS)
