"""Agreement of independent routes at points: the digits to which two values agree, and the worst point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeVar

import mpmath
import numpy as np

from ndis_verify.claim import CertificateError, Evidence, Outcome
from ndis_verify.court.certificate_store import Content, StoredCheck, file_name, stored
from ndis_verify.court.source_closure import defining_modules
from ndis_verify.court.source_names import PACKAGE
from ndis_verify.court.tolerances import TELLING_DIGITS
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair

T = TypeVar("T")
Points = Callable[[str], Iterable[tuple[Any, ...]]]
MAX_DIGITS = 60
_SAMPLE = 2


def always(value: T) -> Callable[[], T]:
    """The function that gives it."""
    return lambda: value


def compare(
    left: Callable[[], Callable[..., Any]], right: Callable[..., Any], points: Points, digits: float, route: str
) -> Comparison:
    """A check's `run`: `left()` gives the candidate, which must agree with `right` to `digits` at every point."""
    return Comparison(left, right, points, digits, route)


@dataclass(frozen=True)
class Comparison:
    """`run(effort)` of `compare`. `name`: set by `kept`; `owner`: the claim, set by the ledger.

    `references`: values of `right` by effort and point, shared with the planted faults (`of_fault`), of which each ends
    at the first point that tells it apart.
    """

    left: Callable[[], Callable[..., Any]]
    right: Callable[..., Any]
    points: Points
    digits: float
    route: str
    name: str = ""
    owner: str = ""
    fault: bool = False
    references: dict[tuple[str, int], Any] = field(default_factory=dict, compare=False, repr=False)

    def of_fault(self, left: Callable[[], Callable[..., Any]]) -> Comparison:
        """The same comparison of another candidate, which has to fail."""
        return replace(self, left=left, fault=True)

    def __call__(self, effort: str) -> Evidence:
        if not self.fault:
            self.references.clear()  # what an earlier run computed is no evidence of this one
        check = self.stored_check()
        return self._computed(effort)[0] if check is None else stored(check, effort)

    def stored_check(self) -> StoredCheck | None:
        """The number of points, the worst of them and its digits are what is kept, of a comparison that has a name."""
        if not self.name or not self.owner:
            return None
        modules = {m for m in defining_modules([self.left, self.right, self.points]) if m.startswith(PACKAGE)} | {
            __name__
        }
        parameters = {"digits": self.digits, "route": self.route}
        return StoredCheck(file_name(self.owner, self.name), parameters, modules, self._computed, self._sampled)

    def _computed(self, effort: str) -> tuple[Evidence, Content | None]:
        points = list(self.points(effort))

        def reference(k: int) -> Any:
            if (effort, k) not in self.references:
                self.references[effort, k] = self.right(*points[k])
            return self.references[effort, k]

        digits = self.digits - TELLING_DIGITS if self.fault else self.digits
        evidence, worst = _compared(self.left(), reference, points, digits, self.route, self.fault)
        return evidence, {"points": len(points), "digits": evidence.digits, "worst": worst}

    def _sampled(self, content: Content) -> Evidence:
        """The stored worst point and some others compared again."""
        points = list(self.points("full"))
        if content["points"] != len(points) or content["worst"] not in range(len(points)):
            raise CertificateError("it is about other points")
        others = np.random.default_rng(0).choice(len(points), min(_SAMPLE, len(points)), replace=False)
        sample = [points[k] for k in {content["worst"], *others.tolist()}]
        evidence, _ = _compared(self.left(), lambda k: self.right(*sample[k]), sample, self.digits, self.route)
        digits = evidence.digits or 0.0
        if evidence.outcome is not Outcome.HELD or not digits - 1 <= content["digits"] <= digits:
            raise CertificateError("the sample agrees to other digits")
        detail = f"{evidence.detail}; computed again: {evidence.count} of {len(points)} points"
        return replace(evidence, digits=content["digits"], count=len(points), detail=detail)


def _compared(
    left: Callable[..., Any],
    reference: Callable[[int], Any],
    points: list[tuple[Any, ...]],
    digits: float,
    route: str,
    stop: bool = False,
) -> tuple[Evidence, int]:
    """The evidence and the index of the worst point; `stop`: at the first that has too few digits."""
    if not points:
        return Evidence(Outcome.FAILED, route, "there is no point to compare at", count=0), 0
    worst, at = float(MAX_DIGITS), 0
    for k, point in enumerate(points):
        wanted = reference(k)
        try:
            found = digits_of_agreement(left(*point), wanted)
        except InputError as error:  # the candidate has no value where the reference has one
            return Evidence(Outcome.FAILED, route, f"no value at {_shown(point)}: {error}", 0, len(points)), k
        if found < worst:
            worst, at = found, k
        if stop and worst < digits:
            break
    where = _shown(points[at])
    if worst < digits:
        return Evidence(Outcome.FAILED, route, f"only {worst:.1f} digits at {where}", max(worst, 0.0), len(points)), at
    return Evidence(Outcome.HELD, route, f"worst point {where}", float(int(worst)), len(points)), at


def digits_of_agreement(left: Any, right: Any) -> float:
    """-log10 of the relative difference, radii included; at most `MAX_DIGITS`, negative where they disagree."""
    left_mid, left_radius = _interval(left)
    right_mid, right_radius = _interval(right)
    difference = abs(left_mid - right_mid) + left_radius + right_radius
    if difference == 0:
        return float(MAX_DIGITS)
    scale = max(abs(left_mid), abs(right_mid))
    if scale == 0:
        return -float("inf")
    ratio = difference / scale
    with mpmath.workdps(15):
        return min(float(-mpmath.log10(mpmath.mpf(ratio.numerator) / ratio.denominator)), float(MAX_DIGITS))


def _interval(value: Any) -> tuple[Fraction, Fraction]:
    if isinstance(value, Enclosure):
        return exact(value.mid), exact(value.rad)
    return exact(value if isinstance(value, mpmath.mpf) else float(value)), Fraction(0)


def _shown(point: tuple[Any, ...]) -> str:
    return ", ".join(_short(value) for value in point)


def _short(value: Any) -> str:
    if isinstance(value, GaussianPair):
        return f"pair with d = {value.dimension}"
    if isinstance(value, np.ndarray):
        return f"matrix {' x '.join(map(str, value.shape))}"
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
