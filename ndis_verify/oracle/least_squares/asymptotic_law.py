"""Approximate least squares, asymptotic law: exact parameters, the Gaussian pair they define, values by two routes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from ndis_verify import arguments
from ndis_verify.arguments import exactly
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.engine.inputs import checked_count
from ndis_verify.oracle.hockey_stick import hockey_stick

MAX_FEATURES = 10_000


class Record(NamedTuple):
    """p, q (leverage of the record in B and in [B b]), d, r and the direction, checked and exact."""

    p: Fraction
    q: Fraction
    d: int
    r: int
    direction: str


def als_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete", digits: int = 30
) -> Enclosure:
    """delta(epsilon) of N(x_opt, (||w||^2/r)(B^T B)^{-1}) with and without one record (N24-T4), two routes agreeing.

    p = leverage, q = augmented_leverage; "delete": P from the larger database. 0 <= p <= q < 1, 1 <= d <= 10^4, r >= 1.
    Accuracy and errors as `hockey_stick.hockey_stick`. direction: "delete" or "insert". Relative radius at most
    10^-digits. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import als_hockey_stick
    >>> print(als_hockey_stick("0.125", "0.25", 3, 50, 1, digits=12).decimal(12)[0])
    0.140433565742
    """
    return hockey_stick(als_pair(leverage, augmented_leverage, d, r, direction), epsilon, digits)


def als_pair(leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: str = "delete") -> GaussianPair:
    """A pair on R^d with the relative spectrum of the two asymptotic laws (N24-T4, Table VI), in rationals.

    Relative covariance `(1-p)^2/(1-q)` once and `(1-p)/(1-q)` d-1 times, squared shift `m^2 = r p (q-p)/(1-q)` on the
    first ("delete"; the roles of P and Q swapped for "insert"). Only m^2 is rational, not m: so the first coordinate is
    scaled to have mean difference 1 and variance 1/m^2 under Q.
    """
    record = checked_record(leverage, augmented_leverage, d, r, direction)
    p, q = record.p, record.q
    shift = record.r * p * (q - p) / (1 - q)
    unit = 1 / shift if shift else Fraction(1)
    first, others = (1 - p) ** 2 / (1 - q) * unit, (1 - p) / (1 - q)
    rest = record.d - 1
    means = [Fraction(1 if shift else 0)] + [Fraction(0)] * rest, [Fraction(0)] * record.d
    pair = GaussianPair(means[0], [first] + [others] * rest, means[1], [unit] + [Fraction(1)] * rest)
    return pair if direction == "delete" else pair.swapped()


def checked_record(leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: Any) -> Record:
    """The checked arguments; raises `InputError`."""
    p, q = exact(leverage, "leverage"), exactly(augmented_leverage, "augmented_leverage", "[0, 1)")
    if not 0 <= p <= q:
        raise InputError("leverage", leverage, "must lie between 0 and augmented_leverage")
    arguments.direction(direction)
    try:
        features = checked_count(d)
    except InputError as error:
        raise InputError("d", d, error.rule) from None
    if features > MAX_FEATURES:
        raise InputError("d", d, f"must be at most {MAX_FEATURES}")
    return Record(p, q, features, checked_count(r), direction)


def checked_sketch(leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: Any) -> Record:
    """As `checked_record`, with r >= d: a sketch with fewer rows than features determines no solution."""
    record = checked_record(leverage, augmented_leverage, d, r, direction)
    if record.r < record.d:
        raise InputError("r", r, f"must be at least d = {record.d}")
    return record
