"""N26-L3 for three distinct eigenvalues, certified on a box: both divergences rise with every eigenvalue and fall with
eps, so one certified value at each of two opposite corners settles a box of parameters.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndis_verify.claim import CertificateError, Check, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.certificate_store import Content, StoredCheck, stored
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.engine.curve import log_entries, to_delta
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import precisions_used
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import vector as coordinates
from ndis_verify.symbolic import covariance_envelope

_DIMENSION = 3
_QUICK = ((1.5, 4.0), (0.5, 2.0))  # range of every eigenvalue, range of eps
_FULL = ((1.125, 16.0), (0.25, 4.0))
_MAX_BOXES = 50_000
_DIGITS = 8
_SIDE = _DIMENSION + 1
_SAMPLE = 24
_FLOAT_NOISE = 1e-6
Ranges = tuple[tuple[float, float], tuple[float, float]]
Boxes = np.ndarray  # rows: lower corner (eigenvalues, eps), then upper corner


def _float_delta(eigenvalues: np.ndarray, epsilon: np.ndarray, spread_first: bool) -> np.ndarray:
    laws = Spectrum(eigenvalues - 1.0)
    return to_delta(log_entries(laws if spread_first else laws.swapped(), np.arange(len(epsilon)), epsilon))


def _certified(eigenvalues: np.ndarray, epsilon: float, spread_first: bool):
    zero = [0] * _DIMENSION
    pair = GaussianPair(zero, np.sort(eigenvalues), zero, 1)
    return certified_hockey_stick(pair if spread_first else pair.swapped(), float(epsilon), digits=_DIGITS)


def _partition(start: Ranges, direction: bool) -> tuple[list[str], np.ndarray | None]:
    """Levels of a bisection whose boxes float64 finds settled; or a point where the order is the other way round.

    A level is a string with one character for each box of it, `#` settled or `.` cut in two; `_boxes` reads it back.
    """
    boxes, levels, total = _whole(start), [], 0
    while len(boxes):
        done = _float_gap(boxes, direction) > _FLOAT_NOISE
        levels.append("".join(np.where(done, "#", ".")))
        boxes = boxes[~done]
        total += int(done.sum())
        middle = (boxes[:, :_SIDE] + boxes[:, _SIDE:]) / 2
        if len(boxes):
            ahead, behind = (
                _float_delta(middle[:, :_DIMENSION], middle[:, _DIMENSION], d) for d in (direction, not direction)
            )
            wrong = np.flatnonzero(ahead < behind * (1 - _FLOAT_NOISE))
            if wrong.size:
                return levels, middle[wrong[0]]
        if total + len(boxes) > _MAX_BOXES:
            raise ArithmeticError(f"more than {_MAX_BOXES} boxes")
        boxes = _bisected(boxes)
    return levels, None


def _whole(start: Ranges) -> Boxes:
    (low, high), (first, last) = start
    return np.array([[low] * _DIMENSION + [first] + [high] * _DIMENSION + [last]])


def _boxes(start: Ranges, levels: Sequence[str]) -> Boxes:
    """The settled boxes of `levels`; whatever the levels say, they cover the whole box up to the order of eigenvalues.

    Raises `ValueError` where the levels are not those of a bisection.
    """
    boxes, settled = _whole(start), []
    for level in levels:
        if len(level) != len(boxes) or set(level) - set("#."):
            raise ValueError("the levels are not those of a bisection")
        done = np.array(list(level)) == "#"
        settled.append(boxes[done])
        boxes = _bisected(boxes[~done])
    if len(boxes):
        raise ValueError("the bisection is not finished")
    return np.concatenate(settled)


def _bisected(boxes: Boxes) -> Boxes:
    """Each box cut in half along its relatively longest side; of boxes that differ by order only one is kept."""
    rows = np.arange(len(boxes))
    lengths = boxes[:, _SIDE:] - boxes[:, :_SIDE]
    lengths[:, :_DIMENSION] /= boxes[:, :_DIMENSION]
    longest = lengths.argmax(axis=1)
    lower, upper = boxes.copy(), boxes.copy()
    lower[rows, _SIDE + longest] = upper[rows, longest] = (boxes[rows, longest] + boxes[rows, _SIDE + longest]) / 2
    halves = np.concatenate([lower, upper])
    ordered = (halves[:, _SIDE] >= halves[:, 1]) & (halves[:, _SIDE + 1] >= halves[:, 2])  # meets l_1 >= l_2 >= l_3
    return halves[ordered]


def _float_gap(boxes: Boxes, direction: bool) -> np.ndarray:
    """The relative gap between the divergences at the two corners that settle each box."""
    smaller = _float_delta(boxes[:, :_DIMENSION], boxes[:, -1], direction)
    larger = _float_delta(boxes[:, _SIDE : _SIDE + _DIMENSION], boxes[:, _DIMENSION], not direction)
    return relative_margin(smaller, larger)


def _least_gap(boxes: Boxes, direction: bool) -> tuple[float, Boxes | None]:
    """The least certified relative gap over `boxes`, and the box in which it is not above 0, if there is one."""
    least = float("inf")
    for box in boxes:
        smaller = _certified(box[:_DIMENSION], box[-1], direction).lower
        larger = _certified(box[_SIDE : _SIDE + _DIMENSION], box[_DIMENSION], not direction).upper
        if not smaller > larger:
            return least, box
        least = min(least, float(1 - larger / smaller))
    return least, None


@dataclass(frozen=True)
class BoxOrder:
    """`run(effort)`: the order of the two directions on a box, from certified values at two corners of its parts."""

    direction: bool = True
    quick: Ranges = _QUICK
    full: Ranges = _FULL

    def __call__(self, effort: str) -> Evidence:
        return stored(self.stored_check(), effort) if self.direction else self._computed(effort)[0]

    def stored_check(self) -> StoredCheck:
        """The partition of the full box is what is kept."""
        parameters = {"eigenvalues": list(self.full[0]), "epsilon": list(self.full[1]), "digits": _DIGITS}
        return StoredCheck("N26-L3-three-eigenvalues-corners", parameters, {__name__}, self._computed, self._sampled)

    def _computed(self, effort: str) -> tuple[Evidence, Content | None]:
        start, started = self.full if effort == "full" else self.quick, time.perf_counter()
        levels, wrong = _partition(start, self.direction)
        if wrong is not None:
            ahead, behind = (
                _certified(wrong[:_DIMENSION], wrong[_DIMENSION], d) for d in (self.direction, not self.direction)
            )
            outcome = Outcome.FAILED if ahead.upper < behind.lower else Outcome.UNDECIDED
            return Evidence(outcome, "Arb", f"the order is the other way round at {wrong.tolist()}", count=1), None
        boxes = _boxes(start, levels)
        with precisions_used() as bits:
            least, unsettled = _least_gap(boxes, self.direction)
        if unsettled is not None:
            return (
                Evidence(
                    Outcome.UNDECIDED,
                    "Arb",
                    f"box {unsettled.tolist()} is not settled",
                    count=len(boxes),
                    counted="boxes",
                ),
                None,
            )
        seconds = time.perf_counter() - started
        content = {
            "boxes": len(boxes),
            "depth": len(levels) - 1,
            "bits": max(bits),
            "least gap": least,
            "levels": levels,
        }
        detail = f"{_text(start, content)}, {seconds:.2f} s; two certified corners for each box, least gap {least:.2g}"
        return Evidence(Outcome.HELD, "Arb", detail, count=len(boxes), counted="boxes"), content

    def _sampled(self, content: Content) -> Evidence:
        """All boxes of a stored partition in float64, the narrowest and some others certified again."""
        boxes = _boxes(self.full, content["levels"])
        if (content["boxes"], content["depth"]) != (len(boxes), len(content["levels"]) - 1):
            raise CertificateError("it has another number of boxes")
        gaps = _float_gap(boxes, self.direction)
        others = np.random.default_rng(0).choice(len(boxes), min(_SAMPLE, len(boxes)), replace=False)
        chosen = np.unique(np.concatenate([np.argsort(gaps)[:_SAMPLE], others]))
        least, unsettled = _least_gap(boxes[chosen], self.direction)
        if not gaps.min() > 0 or unsettled is not None:
            raise CertificateError("one of its boxes is not settled")
        if not float(content["least gap"]) <= least * (1 + 1e-6):
            raise CertificateError("the least gap is smaller than it says")
        detail = (
            f"{_text(self.full, content)}, least gap {content['least gap']:.2g}; computed again: every box in float64,"
            f" {len(chosen)} certified"
        )
        return Evidence(Outcome.HELD, "Arb", detail, count=len(boxes), counted="boxes")


def _text(start: Ranges, content: Content) -> str:
    (low, high), (first, last) = start
    size = f"{content['boxes']} boxes, depth {content['depth']}, {content['bits']} bits"
    return f"eigenvalues in [{low}, {high}]^{_DIMENSION}, eps in [{first}, {last}]: {size}"


CLAIMS = (
    stated_claim(
        id="N26-L3-three-eigenvalues",
        source="N26",
        title="the order of the two directions for three distinct eigenvalues, on a box",
        stated=statement(
            "delta_{P,Q}(lam, m; eps) > delta_{Q,P}(lam, m; eps)",
            "1.5 <= lam_i <= 4",
            "m_i = 1",
            "0.5 <= eps <= 2",
            over=(coordinates("m", "integers", 3, 1, 1),),
        ),
        about="Equal means, three relative eigenvalues: the more spread law first has the larger divergence.",
        declared=Verdict.CERTIFIED,
        parts=("monotone in the eigenvalues", "boxes"),
        checks=(
            proof(
                "both divergences rise with every eigenvalue",
                covariance_envelope.exact_envelope,
                part="monotone in the eigenvalues",
            ),
            Check(
                "corners of every box",
                Kind.ENCLOSURE,
                BoxOrder(),
                {"directions exchanged": BoxOrder(False)},
                part="boxes",
            ),
        ),
        note=(
            "It follows from N26-L3, which is proved; what stands here are numbers, by another route. With --full, and"
            " in the certificate kept of it, the box is [1.125, 16]^3 and eps in [0.25, 4]. Near eps = 0 the two"
            " directions agree, so no box reaches it."
        ),
    ),
)
