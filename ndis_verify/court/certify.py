"""Branch and bound with ball arithmetic: an inequality settled on a whole box, a point that breaks it, or the rest.

The function takes one Arb ball for each axis and returns a ball that contains its values on that box. A box is settled
where the enclosure's lower end is >= 0; otherwise it is bisected. With a gradient the mean-value form is used, and an
axis along which the function is monotone is replaced by the end where it is smallest.

Where the margin touches 0 on the boundary no enclosure of it can succeed: divide the zero out by hand and pass
`factors`. With `factors=((j, anchor, power), ...)` the margin is `prod |x_j - anchor|^power * function`, every anchor
at or outside an end of its axis, so that the first part is positive inside the box; the function given is then the
cofactor, and `margin`, the undivided function, is compared with the product at points of the box. That comparison can
only expose a wrong division; that the identity holds everywhere is for a derivation to show.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from flint import arb

from ndis_verify.court.certify_box import Axis, Box, Sides, as_balls, bisect, centre, sides_text, text_sides
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.runs.identity import held, identity
from ndis_verify.runs.journal import Journal

Function = Callable[..., arb]
Gradient = Callable[..., Sequence[arb]]
Functions = tuple[Callable[..., Any] | None, ...]  # the function and its gradient
Progress = Callable[[int, int, str], None]
Factor = tuple[int, Any, int]
Outcome = Literal["certified", "refuted", "undecided"]
_JOURNAL_SECONDS = 5.0
_SAMPLES = 24


@dataclass(frozen=True)
class CertifyRecord:
    """What a branch and bound ended with.

    certified: the inequality holds on the whole box. refuted: `point` breaks it, `value` encloses the function there.
    undecided: `remaining` holds the boxes not settled, each with its depth; they are of `functions`, the function and
    its gradient. `worst_box` is the settled box with the least lower bound, `worst_lower`. `bits` is the largest
    precision used.
    """

    outcome: Outcome
    box: Box
    boxes: int
    depth: int
    bits: int
    seconds: float
    worst_box: Sides | None
    worst_lower: float | None
    point: Mapping[str, Fraction] | None = None
    value: Enclosure | None = None
    remaining: tuple[tuple[Sides, int], ...] = ()
    functions: Functions = field(default=(), compare=False, repr=False)

    def line(self) -> str:
        """One line for a report."""
        where = " x ".join(str(axis) for axis in self.box)
        text = f"{where}: {self.boxes} boxes, depth {self.depth}, {self.bits} bits, {self.seconds:.2f} s"
        if self.outcome == "refuted":
            at = ", ".join(f"{name} = {float(x):.6g}" for name, x in (self.point or {}).items())
            return f"refuted at {at}, value {self.value.decimal(3)[0] if self.value else 'below 0'}; {text}"
        if self.outcome == "undecided":
            return f"{len(self.remaining)} boxes left; {text}"
        return f"{text}, least lower bound {self.worst_lower:.3g}"


def certify_nonnegative(
    function: Function,
    box: Iterable[Axis],
    *,
    gradient: Gradient | None = None,
    factors: Sequence[Factor] = (),
    margin: Function | None = None,
    max_boxes: int = 100_000,
    min_width: float = 2.0**-40,
    digits: int = 20,
    max_digits: int = 120,
    resume: CertifyRecord | None = None,
    journal: Path | None = None,
    name: str = "",
    progress: Progress = lambda done, total, label: None,
) -> CertifyRecord:
    """Decide `function >= 0` on `box` (see `axis`), by enclosures alone.

    `gradient(*balls)` encloses the partial derivatives. `factors` and `margin`: see the
    module. `max_boxes`: boxes evaluated in this call; `min_width`: share of the first width below which an axis is not
    split. Precision starts at `digits` and doubles up to `max_digits` where rounding hides a sign at a point.
    `resume`: an undecided record of the same function, gradient and box to go on from. `journal` (needs `name`): the
    state is kept there while running, and taken up again by a run of the same functions, with what they hold, and box.
    `progress(settled, known, label)` may raise to stop. Depth first, deterministic.
    """
    box = tuple(box)
    if not box or max_boxes < 1 or not 0 < min_width < 1 or not 1 <= digits <= max_digits:
        raise InputError(
            "box", len(box), "must have an axis; max_boxes >= 1, 0 < min_width < 1, 1 <= digits <= max_digits"
        )
    if journal is not None and not name:
        raise InputError("name", name, "must be given with a journal, to tell one run from another")
    _require_factors(function, box, factors, margin, _bits(digits))
    run = _Run(function, box, gradient, min_width, _bits(digits), _bits(max_digits))
    if journal is None:
        return _loop(run, resume, max_boxes, None, progress)
    header = identity("certify", name, box, min_width, digits, functions=run.functions)
    read = lambda key, state: _read(state, box, run.functions)  # noqa: E731
    with Journal(journal, header, "states of the branch and bound", read) as states:
        record = _loop(run, resume or states.last, max_boxes, states, progress)
        states.kept = record.outcome == "undecided"
    return record


def monotone(function: Callable[[arb], arb], x: arb) -> arb:
    """The values on `x` of a function that the caller knows to be monotone there, from its values at the two ends.

    Arb's special functions (incomplete gamma, erfc) give wide enclosures on wide balls; this is tight.
    """
    if x.is_exact() or not x.is_finite():
        return function(x)
    return function(x.lower()).union(function(x.upper()))


class _Run:
    """The stack of open boxes and the tallies of one branch and bound."""

    def __init__(
        self, function: Function, box: Box, gradient: Gradient | None, min_width: float, bits: int, max_bits: int
    ):
        self.function, self.box, self.gradient = function, box, gradient
        self.functions: Functions = (function, gradient)
        self.min_width, self.bits, self.max_bits = min_width, bits, max_bits
        self.boxes = self.depth = 0
        self.worst_box: Sides | None = None
        self.worst_lower: float | None = None
        self.open: list[tuple[Sides, int, int]] = []
        self.stuck: list[tuple[Sides, int]] = []
        self.point: dict[str, Fraction] | None = None
        self.value: Enclosure | None = None
        self.used_bits = bits
        self.before, self.started = 0.0, time.monotonic()

    def begin(self, resume: CertifyRecord | None) -> None:
        if resume is None:
            self.open = [(tuple((a.low, a.high) for a in self.box), 0, self.bits)]
            return
        if resume.box != self.box or resume.outcome == "refuted":
            raise InputError("resume", resume.outcome, "must be a record of the same box that is not refuted")
        if resume.functions != self.functions and held(resume.functions) != held(self.functions):
            raise InputError("resume", resume.line(), "must be a record of the same function and gradient")
        self.open = [(sides, depth, self.bits) for sides, depth in reversed(resume.remaining)]
        self.boxes, self.depth, self.before = resume.boxes, resume.depth, resume.seconds
        self.worst_box, self.worst_lower = resume.worst_box, resume.worst_lower

    def step(self) -> None:
        """Settle, refute, split or set aside one box."""
        sides, depth, bits = self.open.pop()
        self.boxes += 1
        self.depth = max(self.depth, depth)
        self.used_bits = max(self.used_bits, bits)
        with working_bits(bits):
            lower = self._lower(sides)
        if lower is not None and lower >= 0:
            if self.worst_lower is None or float(lower) < self.worst_lower:
                self.worst_box, self.worst_lower = sides, float(lower)
            return
        middle = centre(sides, self.box)
        value, bits = self._at(middle, bits)
        self.used_bits = max(self.used_bits, bits)
        if value < 0:
            self.point = {axis.name: x for axis, x in zip(self.box, middle, strict=True)}
            with working_bits(bits):
                self.value = enclosure(value)
            return
        halves = bisect(sides, self.box, self.min_width)
        if halves is None:
            self.stuck.append((sides, depth))
        else:
            self.open += [(half, depth + 1, bits) for half in reversed(halves)]

    def _lower(self, sides: Sides) -> arb | None:
        """A lower bound of the function on a box, or None where the enclosure is not finite."""
        balls = as_balls(sides)
        bounds = [self.function(*balls)]
        if self.gradient is not None and not bounds[0] >= 0:
            slopes = list(self.gradient(*balls))
            if all(slope.is_finite() for slope in slopes):
                bounds += [self._mean_value(sides, balls, slopes), self._at_low_ends(sides, balls, slopes)]
        found = [bound.lower() for bound in bounds if bound.is_finite()]
        return max(found, key=lambda bound: float(bound)) if found else None

    def _mean_value(self, sides: Sides, balls: list[arb], slopes: list[arb]) -> arb:
        middle = [ball(x) for x in centre(sides, self.box)]
        steps = [slope * (whole - at) for slope, whole, at in zip(slopes, balls, middle, strict=True)]
        return sum(steps, self.function(*middle))

    def _at_low_ends(self, sides: Sides, balls: list[arb], slopes: list[arb]) -> arb:
        """The function with every axis of monotone dependence held at its lower end."""
        ends = list(balls)
        for j, (slope, (low, high)) in enumerate(zip(slopes, sides, strict=True)):
            if slope >= 0:
                ends[j] = ball(low)
            elif slope <= 0:
                ends[j] = ball(high)
        return self.function(*ends)

    def _at(self, point: Sequence[Fraction], bits: int) -> tuple[arb, int]:
        """The function at a point, at a precision that shows its sign or the largest allowed."""
        while True:
            with working_bits(bits):
                value = self.function(*(ball(x) for x in point))
            if value > 0 or value < 0 or value.is_zero() or 2 * bits > self.max_bits:
                return value, bits
            bits *= 2

    def record(self) -> CertifyRecord:
        remaining = tuple((sides, depth) for sides, depth, _ in reversed(self.open)) + tuple(self.stuck)
        outcome: Outcome = "refuted" if self.point is not None else "undecided" if remaining else "certified"
        return CertifyRecord(
            outcome,
            self.box,
            self.boxes,
            self.depth,
            self.used_bits,
            round(self.before + time.monotonic() - self.started, 3),
            self.worst_box,
            self.worst_lower,
            self.point,
            self.value,
            remaining if outcome == "undecided" else (),
            self.functions,
        )


def _loop(
    run: _Run, resume: CertifyRecord | None, max_boxes: int, journal: Journal | None, progress: Progress
) -> CertifyRecord:
    run.begin(resume)
    last = run.boxes + max_boxes
    saved = time.monotonic()
    try:
        while run.open and run.point is None and run.boxes < last:
            run.step()
            progress(run.boxes, run.boxes + len(run.open), f"depth {run.depth}")
            if journal is not None and time.monotonic() - saved > _JOURNAL_SECONDS:
                _write(journal, run.record())
                saved = time.monotonic()
    finally:
        record = run.record()
        if journal is not None:
            _write(journal, record)
    return record


def _write(journal: Journal, record: CertifyRecord) -> None:
    if not record.remaining:  # decided: nothing is left to go on with
        return
    worst = record.worst_box
    state = {
        "boxes": record.boxes,
        "depth": record.depth,
        "seconds": record.seconds,
        "worst": worst and [sides_text(worst), record.worst_lower],
        "remaining": [[sides_text(sides), depth] for sides, depth in record.remaining],
    }
    journal.append(f"{record.boxes} boxes", state)


def _read(state: dict[str, Any], box: Box, functions: Functions) -> CertifyRecord:
    """The undecided record that a journal's state stands for."""
    remaining = tuple((text_sides(sides), int(depth)) for sides, depth in state["remaining"])
    worst, lower = (text_sides(state["worst"][0]), float(state["worst"][1])) if state["worst"] else (None, None)
    boxes, depth, seconds = int(state["boxes"]), int(state["depth"]), float(state["seconds"])
    if not remaining or any(len(sides) != len(box) for sides, _ in remaining):
        raise ValueError("no boxes of this run")
    return CertifyRecord(
        "undecided", box, boxes, depth, 0, seconds, worst, lower, remaining=remaining, functions=functions
    )


def _require_factors(
    function: Function, box: Box, factors: Sequence[Factor], margin: Function | None, bits: int
) -> None:
    """Every factor is positive inside the box, and the product is the margin at points spread over the box."""
    if not factors:
        return
    if margin is None:
        raise InputError("margin", margin, "must be given with factors, to be compared with the product")
    for index, anchor, power in factors:
        low, high, anchor = box[index].low, box[index].high, exact(anchor, "anchor")
        if power < 1 or low < anchor < high:
            raise InputError(
                "factors", f"|{box[index].name} - {anchor}|^{power}", "must have power >= 1, anchor not inside the axis"
            )
        if low == high == anchor:
            raise InputError("factors", f"{box[index].name} - {anchor}", "is 0 on the whole box")
    for k in range(1, _SAMPLES + 1):
        # Kronecker points: spread over the box, the same in every run.
        share = [Fraction(int(1000 * ((k * (0.6180339887 + 0.2 * j)) % 1)), 1000) for j in range(len(box))]
        point = [a.low + (a.high - a.low) * s for a, s in zip(box, share, strict=True)]
        with working_bits(bits):
            balls = [ball(x) for x in point]
            product = function(*balls)
            for index, anchor, power in factors:
                product *= ball(abs(point[index] - exact(anchor))) ** power
            whole = margin(*balls)
            if product.is_finite() and whole.is_finite() and not product.overlaps(whole):
                at = ", ".join(f"{a.name} = {x}" for a, x in zip(box, point, strict=True))
                raise InputError("factors", at, "their product with the function is not the margin there")


def _bits(digits: int) -> int:
    return int(digits * 3.33) + 16
