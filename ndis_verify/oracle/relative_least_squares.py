"""The ridge of least squares that is private relative to a set of databases (N24-Fig13 corrected), certified: arguments
as in the mechanism.

The cost of a set need not fall with the ridge, so there are two answers. Eight records (1, 1) and eight (0, 1), d = 1,
r = 200, epsilon = 3: beside no ridge no change costs more than 7e-12, beside a ridge of 4 one costs 6.2e-8, beside one
of 16 none more than 7e-12. For delta = 1e-9 the smallest ridge is 0, and only from 11.22 on is every ridge enough.
"smallest" is the least noise that will do, what the mechanism is held to: it promises a ridge at which the set meets
the target. "lasting" is what a user needs who rounds the ridge up, or adds to it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ndis_verify.arguments import one_of, positive
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import exact_zero
from ndis_verify.oracle.certified.engine.summit_root import between
from ndis_verify.oracle.certified.relative_least_squares.curve import LEAST_TARGET, Curve, NormalCurve
from ndis_verify.oracle.certified.relative_least_squares.path import changes
from ndis_verify.oracle.certified.relative_least_squares.search import Crossings
from ndis_verify.oracle.certified.relative_least_squares.sketch import SketchCurve
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.least_squares.asymptotic_law import MAX_FEATURES
from ndis_verify.oracle.relative_projection import database_set

_CURVES: dict[str, type[NormalCurve | SketchCurve]] = {"normal": NormalCurve, "sketch": SketchCurve}
DIRECTIONS = ("delete", "insert")


@keyword_only
def relative_least_squares(
    base: Any,
    additions: Any,
    norm_bound: Any,
    r: Any,
    *,
    epsilon: Any,
    delta: Any,
    law: str = "normal",
    ridge: str = "smallest",
    digits: int = 15,
) -> Enclosure:
    """The ridge of least squares relative to the set of `base` and its neighbours (N24-Fig13 corrected), exactly 0
    where none is needed.

    base: n x (d+1) exact records [B b]; additions: m x (d+1), the records that may come in, or "rows" for copies of the
    base's own; all of norm at most `norm_bound`. law "normal" (N24-T4) or "sketch" (finite r >= d). epsilon >= 0, delta
    in [1e-6000, 1). ridge "smallest": the infimum of the ridges at which every deletion and every insertion, in both
    directions, costs at most delta; no ridge up to the lower end of the enclosure does, the upper end does. "lasting":
    the infimum of the ridges from which every larger one does; one change costs more at the lower end, none from the
    upper end on. All of that is proved; relative radius at most 10^-digits. For want of rank a ridge of 0 does not do;
    where every positive one does, there is no least, which is refused. Raises `InputError`; `PrecisionError` where a
    cost is too close to the target over too long a way, or two changes cross it, one up, one down, within the digits
    asked for, or where a search takes too many steps. Time grows with the number of different records, d, r and digits.
    law "normal": over 1 to 40 records of 20 bits or of float64, d to 6, r to 10^6, epsilon 1e-6 to 100, delta 1e-30 to
    0.4, 6 to 40 digits, half a second of one core in the median and 4 s at most, also where delta is within 1e-8 of a
    local maximum of the cost. What may take longer, or end in `PrecisionError`: targets closer still to such a maximum
    (records fitted exactly without a ridge, or with a leverage equal to what the target adds to it, have them),
    hundreds of digits or records. law "sketch": the same with d <= r <= 10^4 and 1 to 20 records, 1.3 s in the median
    of a busy core and 20 s at most; r = 10^6, 30 s.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_relative_least_squares
    >>> data = [["0.5", 0], [0, "0.75"], ["0.5", "0.5"]]
    >>> print(certified_relative_least_squares(data, "rows", 1, 5, epsilon=1, delta="0.1", digits=6).decimal(6)[0])
    0.184702
    """
    for name, value, allowed in (("law", law, tuple(_CURVES)), ("ridge", ridge, ("smallest", "lasting"))):
        one_of(value, name, allowed)
    length, (size, epsilon, delta, digits) = (
        positive(norm_bound, "norm_bound"),
        checked_calibration("r", r, epsilon, delta, digits),
    )
    r = int(size)
    rows, come, every = database_set(base, additions, length)
    if every:
        raise InputError("additions", additions, "must be 'rows' or a finite list of records")
    if delta < LEAST_TARGET:
        raise InputError("delta", delta, "must be at least 1e-6000")
    d = _features(rows, come, r if law == "sketch" else MAX_FEATURES)
    found, singular = changes(rows, come)
    curves: list[Curve] = [_CURVES[law](change, d, r, epsilon, way, delta) for change in found for way in DIRECTIONS]
    crossings = Crossings(curves, delta, length**2, digits)
    if ridge == "lasting":
        ends = crossings.last_unsafe()
    else:
        ends = crossings.first_safe() if any(crossings.above(curve, Fraction(0)) for curve in curves) else None
    if ends is not None:
        return between(*ends, digits)
    if singular:
        raise InputError(
            "base",
            f"shape {rows.shape}",
            "has not full column rank, and every small ridge is enough: none is the least",
        )
    return exact_zero()


def _features(rows: Any, come: Any, most: int) -> int:
    """d, the number of features of the records; `InputError` where there are none, more than `most`, or no record."""
    d = rows.shape[1] - 1
    if not 1 <= d <= min(most, MAX_FEATURES):
        raise InputError(
            "base", f"shape {rows.shape}", "must have a feature and a target, and for a sketch at most r features"
        )
    if not len(rows) + len(come):
        raise InputError("base", "no records", "must have a record, or one that may come in")
    return int(d)
