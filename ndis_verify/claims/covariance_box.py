"""N26-L3 for three distinct eigenvalues, certified on a box: both divergences rise with every eigenvalue and fall with eps,
so one certified value at each of two opposite corners settles a box of parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndis_verify import oracle
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.checks import proof
from ndis_verify.fast.curve import log_entries, to_delta
from ndis_verify.fast.spectrum import Spectrum
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.symbolic import covariance_shift

_DIMENSION = 3
_QUICK = ((1.5, 4.0), (0.5, 2.0))  # range of every eigenvalue, range of eps
_FULL = ((1.25, 8.0), (0.25, 4.0))
_MAX_BOXES = 50_000
Boxes = np.ndarray  # rows: lower corner (eigenvalues, eps), then upper corner


def _float_delta(eigenvalues: np.ndarray, epsilon: np.ndarray, spread_first: bool) -> np.ndarray:
    laws = Spectrum(eigenvalues - 1.0)
    return to_delta(log_entries(laws if spread_first else laws.swapped(), np.arange(len(epsilon)), epsilon))


def _certified(eigenvalues: np.ndarray, epsilon: float, spread_first: bool):
    zero = [0] * _DIMENSION
    pair = GaussianPair(zero, np.sort(eigenvalues), zero, 1)
    return oracle.certified_hockey_stick(pair if spread_first else pair.swapped(), float(epsilon), digits=8)


def _partition(start: tuple, direction: bool) -> tuple[list[Boxes], np.ndarray | None]:
    """Boxes that float64 finds settled, found by bisection; or a point where the order is the other way round."""
    (low, high), (first, last) = start
    boxes = np.array([[low] * _DIMENSION + [first] + [high] * _DIMENSION + [last]])
    settled, total, side = [], 0, _DIMENSION + 1
    while len(boxes):
        smaller = _float_delta(boxes[:, :_DIMENSION], boxes[:, -1], direction)
        larger = _float_delta(boxes[:, side : side + _DIMENSION], boxes[:, _DIMENSION], not direction)
        done = smaller > larger * (1 + 1e-6)
        settled.append(boxes[done])
        boxes = boxes[~done]
        total += int(done.sum())
        middle = (boxes[:, :side] + boxes[:, side:]) / 2
        if len(boxes):
            ahead, behind = (_float_delta(middle[:, :_DIMENSION], middle[:, _DIMENSION], d) for d in (direction, not direction))
            wrong = np.flatnonzero(ahead < behind * (1 - 1e-6))
            if wrong.size:
                return settled, middle[wrong[0]]
        if total + len(boxes) > _MAX_BOXES:
            raise ArithmeticError(f"more than {_MAX_BOXES} boxes")
        boxes = _bisected(boxes, middle)
    return settled, None


def _bisected(boxes: Boxes, middle: np.ndarray) -> Boxes:
    """Each box cut in half along its relatively longest side; of boxes that differ by order only one is kept."""
    side, rows = _DIMENSION + 1, np.arange(len(boxes))
    lengths = boxes[:, side:] - boxes[:, :side]
    lengths[:, :_DIMENSION] /= boxes[:, :_DIMENSION]
    longest = lengths.argmax(axis=1)
    lower, upper = boxes.copy(), boxes.copy()
    lower[rows, side + longest] = upper[rows, longest] = middle[rows, longest]
    halves = np.concatenate([lower, upper])
    ordered = (halves[:, side] >= halves[:, 1]) & (halves[:, side + 1] >= halves[:, 2])  # meets l_1 >= l_2 >= l_3
    return halves[ordered]


def _box_order(direction: bool = True) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        start = _FULL if effort == "full" else _QUICK
        settled, wrong = _partition(start, direction)
        if wrong is not None:
            ahead, behind = (_certified(wrong[:_DIMENSION], wrong[_DIMENSION], d) for d in (direction, not direction))
            outcome = Outcome.FAILED if ahead.upper < behind.lower else Outcome.UNDECIDED
            return Evidence(outcome, "Arb", f"the order is the other way round at {wrong.tolist()}", count=1)
        boxes = np.concatenate(settled)
        side = _DIMENSION + 1
        for box in boxes:
            smaller = _certified(box[:_DIMENSION], box[-1], direction)
            larger = _certified(box[side : side + _DIMENSION], box[_DIMENSION], not direction)
            if not smaller.lower > larger.upper:
                return Evidence(Outcome.UNDECIDED, "Arb", f"box {box.tolist()} is not settled", count=len(boxes), counted="boxes")
        (low, high), (first, last) = start
        detail = f"eigenvalues in [{low}, {high}]^3, eps in [{first}, {last}], two certified corners for each box"
        return Evidence(Outcome.HELD, "Arb", detail, count=len(boxes), counted="boxes")

    return run


CLAIMS = (
    Claim(
        id="N26-L3-three-eigenvalues",
        source="N26",
        title="the order of the two directions for three distinct eigenvalues, on a box",
        statement="For equal means and relative eigenvalues in [1.5, 4]^3 the more spread law first has the larger divergence at every eps in "
        "[0.5, 2].",
        formula="delta_{P,Q}(eps) > delta_{Q,P}(eps)",
        hypotheses=("d = 3", "relative eigenvalues in [1.5, 4]", "0.5 <= eps <= 2"),
        declared=Verdict.CERTIFIED,
        checks=(
            proof("both divergences rise with every eigenvalue", covariance_shift.exact_envelope, part="monotone in the eigenvalues"),
            Check("corners of every box", Kind.ENCLOSURE, _box_order(), {"directions exchanged": _box_order(False)}, part="boxes"),
        ),
        note="With --full the box is [1.25, 8]^3 and eps in [0.25, 4]. Near eps = 0 the two directions agree, so no box reaches it.",
    ),
)
