"""Margins of the three shapes that universal claims have: two values that agree, one that bounds another, a search
nearby.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.claim import Check
from ndis_verify.court.attack import Problem, relative_margin
from ndis_verify.court.attack_checks import PointRun, attack_check, negated
from ndis_verify.court.domain import Domain, Parameter, Point, choice, continuous, integer
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact

QUICK, FULL = 600, 8_000
Values = Callable[..., Any]
_WHOLE = ("d", "k", "m", "n", "r", "N", "FN", "FP")
_SPREAD = 4


def agree(left: Values, right: Values, scale: Values | None = None) -> Values:
    """-|left - right|/scale: the margin of an identity, whose engine noise is the tolerance. Scale: the larger of the
    two.
    """

    def margin(**columns: Any) -> np.ndarray:
        a, b = np.broadcast_arrays(np.asarray(left(**columns), dtype=float), np.asarray(right(**columns), dtype=float))
        size = np.maximum(np.abs(a), np.abs(b)) if scale is None else np.broadcast_to(scale(**columns), a.shape)
        return -np.divide(np.abs(a - b), size, out=np.where(a == b, 0.0, np.inf), where=(size > 0) & (a != b))

    return margin


def agree_logs(left: Values, right: Values) -> Values:
    """-|left - right|/max(1, |left|) of two logarithms: relative where the value is a float, else of the logarithm."""

    def margin(**columns: Any) -> np.ndarray:
        a, b = np.broadcast_arrays(np.asarray(left(**columns), dtype=float), np.asarray(right(**columns), dtype=float))
        with np.errstate(invalid="ignore"):
            return np.where(a == b, 0.0, -np.abs(a - b) / np.maximum(1.0, np.minimum(np.abs(a), np.abs(b))))

    return margin


def bounds(larger: Values, smaller: Values) -> Values:
    """The relative margin of `larger >= smaller`."""
    return lambda **columns: relative_margin(larger(**columns), smaller(**columns))


def identity(
    name: str,
    left: Values,
    right: Values,
    domain: Domain,
    faults: Mapping[str, Values],
    *,
    tolerance: float = 1e-9,
    scale: Values | None = None,
    logs: bool = False,
    **options: Any,
) -> Check:
    """The search for a point where `left` and `right`, two independent evaluations, differ; faults stand in
    for `left`.
    """
    pair = agree_logs if logs else lambda one, other: agree(one, other, scale)
    mutants = {fault: pair(faulty, right) for fault, faulty in faults.items()}
    return search(name, pair(left, right), domain, mutants, tolerance=tolerance, **options)


def inequality(
    name: str,
    larger: Values,
    smaller: Values,
    domain: Domain,
    faults: Mapping[str, Values],
    *,
    tolerance: float = 1e-9,
    **options: Any,
) -> Check:
    """The search for a point where `smaller` exceeds `larger`; faults stand in for `larger`."""
    mutants = {fault: bounds(faulty, smaller) for fault, faulty in faults.items()}
    return search(name, bounds(larger, smaller), domain, mutants, tolerance=tolerance, **options)


def search(
    name: str,
    margin: Values,
    domain: Domain,
    mutants: Mapping[str, Values],
    *,
    quick: int = QUICK,
    full: int = FULL,
    **options: Any,
) -> Check:
    """`attack_check` with the budgets of this package's attacks."""
    return attack_check(name, margin, domain, mutants=mutants, quick=quick, full=full, **options)


def box(*parameters: Parameter | tuple[Parameter, ...], **options: Any) -> Domain:
    """A domain; vectors of parameters are laid out."""
    flat = [p for entry in parameters for p in (entry if isinstance(entry, tuple) else (entry,))]
    return Domain(tuple(flat), **options)


def around(claim_id: str, run: PointRun) -> Problem:
    """The search of a statement that is known to fail: every number from a quarter (whole ones: from itself) to four
    times the one on record; shares stay below 1, zeros stay.

    The margin is the certified one at float points, so that the search needs no second formula; it starts at the
    record.
    """
    printed = {name.replace(" ", "_"): name for name in run.point}  # a parameter is an identifier
    point = {name: run.point[original] for name, original in printed.items()}
    domain = run.domain or Domain(tuple(_near(name, value) for name, value in point.items()))
    violation = negated(run.certify)

    def certify(at: Point) -> Enclosure:
        try:
            return violation({printed[name]: value for name, value in at.items()})
        except ValueError as error:  # beyond what the statement admits: no violation is to be had there
            raise ArithmeticError(str(error)) from error

    def margin(**values: Any) -> float:
        try:
            return float(certify(domain.exact_point(values)).mid)
        except ArithmeticError:
            return math.inf

    return Problem(
        f"{claim_id} as printed, around the recorded counterexample",
        margin,
        domain,
        tolerance=0.0,
        vectorised=False,
        certify=certify,
        starts=(point,),
    )


def _near(name: str, value: Any) -> Parameter:
    if isinstance(value, str) and not _is_number(value):
        return choice(name, (value,))
    number = exact(value, name)
    if number == 0:
        return choice(name, (0,))
    if name in _WHOLE:
        return integer(name, int(number), int(number) * _SPREAD)
    low, high = sorted((number / _SPREAD, number * _SPREAD))
    if 0 < number < 1:
        high = min(high, (1 + number) / 2)
    return continuous(name, low, high, "log" if low > 0 else "linear")


def _is_number(text: str) -> bool:
    try:
        Fraction(text)
    except ValueError:
        return False
    return True
