"""What becomes of a statement within a budget: violated, certified over its ranges, supported by a search, or not
decided.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from ndis_verify.arguments import within
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack import AttackRecord, Problem, attack_problem, shrunk
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.certify import CertifyRecord, certify_nonnegative
from ndis_verify.court.certify_box import Axis, axis
from ndis_verify.court.certify_checks import certified_box_check
from ndis_verify.court.checks import Mutants
from ndis_verify.court.domain import Point, shown_point
from ndis_verify.court.statement_balls import ExactMargin, decide, margin_on_boxes, numbers_at
from ndis_verify.court.statement_checks import Violation, counterexample_text, stated_claim, statement_attack
from ndis_verify.court.statement_domains import domain_of, problem_of, random_points
from ndis_verify.exact_number import InputError
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.ranges import within_ranges
from ndis_verify.statements.statement import Claimed, Relation, Sign, Statement

DEFAULT_SECONDS = 30.0
EVALUATIONS = 20_000
_SHARE = 0.45  # of the seconds, for the search and for the boxes
_FIRST_BOXES, _MOST_BOXES = 64, 4096
_LARGEST_RUN = 100_000
_CORNERS = 17  # of a box in four dimensions, and its centre
_RANGES = 6  # that a detail names
_TELLING = 2  # faults by rule that the check of a claim of one's own has to catch

SettledAs = Literal["violated", "certified", "supported", "undecided"]
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Ending:
    """How a statement ended, in words (`detail`), and at which point: what the claim is made from."""

    statement: Statement
    outcome: SettledAs
    detail: str
    point: Point | None

    @property
    def stated(self) -> Statement:
        """What the outcome is of: the statement; where it is certified, with its ranges as hypotheses."""
        return within_ranges(self.statement) if self.outcome == "certified" else self.statement

    def kept(self) -> dict[str, Any]:
        """Plain data for JSON, without the statement."""
        point = self.point and {name: str(value) for name, value in self.point.items()}
        return {"outcome": self.outcome, "detail": self.detail, "point": point}

    @classmethod
    def taken_up(cls, statement: Statement, data: Mapping[str, Any]) -> Ending:
        """The inverse of `kept`. ValueError, TypeError or KeyError where it is no ending of the statement."""
        point = data["point"]
        if point is not None:
            values = {name: Fraction(text) for name, text in point.items()}
            point = problem_of(statement, statement.formula).domain.exact_point(values)
        if data["outcome"] not in get_args(SettledAs) or not isinstance(data["detail"], str):
            raise ValueError(f"no ending of {statement.formula}")
        return cls(statement, data["outcome"], data["detail"], point)


@dataclass(frozen=True)
class Settled(Ending):
    """An ending, and what was spent on it."""

    attack: AttackRecord
    boxes: CertifyRecord | None
    seconds: float

    def __str__(self) -> str:
        spent = f"{self.attack.evaluations} evaluations" + (f", {self.boxes.boxes} boxes" if self.boxes else "")
        said = ", ".join(self.stated.hypothesis_lines)
        what = f"{self.outcome}: {self.statement.formula}\n  for all {said}\n  {self.detail}"
        return f"{what}\n  {spent}, {self.seconds:.1f} s"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; exact numbers as text, the point in the numbers of the variables."""
        numbers = self.point and numbers_at(self.statement, self.point)
        return {
            "statement": self.statement.formula,
            "hypotheses": list(self.stated.hypothesis_lines),
            **self.kept(),
            "point": numbers and {name: str(value) for name, value in numbers.items()},
            "evaluations": self.attack.evaluations,
            "boxes": self.boxes.boxes if self.boxes else 0,
            "seconds": round(self.seconds, 3),
        }

    def _repr_markdown_(self) -> str:
        """What a notebook cell shows."""
        return f"$${self.stated.tex}$$\n\n**{self.outcome}**: {self.detail}"


def settle(
    statement: Statement,
    seconds: float = DEFAULT_SECONDS,
    evaluations: int = EVALUATIONS,
    seed: int = 0,
    progress: Progress = lambda done, total, label: None,
) -> Settled:
    """Decide a statement as far as `seconds` allow; it ends at the first proof.

    violated: a point of its domain where ball arithmetic proves it wrong, made simple. certified: inequalities of
    scalars, by branch and bound over all of the ranges. supported: a search found nothing and the worst points that it
    met hold. undecided: a suspicion that no precision tried decides, sides that it does not tell apart, or a point of
    the domain at which a side has no value.
    """
    within(seconds, "seconds", "(0, inf)")
    started = time.monotonic()
    problem = problem_of(statement, statement.formula)
    record = attack_problem(problem, seed, evaluations, _SHARE * seconds, progress=progress, stop_when_certified=True)

    def ended(outcome: SettledAs, detail: str, point: Point | None, boxes: CertifyRecord | None = None) -> Settled:
        return Settled(statement, outcome, detail, point, record, boxes, time.monotonic() - started)

    if record.finding == "certified" and record.simple is not None:
        return ended("violated", counterexample_text(statement, record.simple), record.simple)
    boxes = _over_boxes(statement, _SHARE * seconds)
    if boxes is not None and boxes.outcome == "refuted":
        point = _violation(statement, problem, boxes)
        if point is not None:
            return ended("violated", counterexample_text(statement, point), point, boxes)
    if (outside := _without_value(statement, problem, record, started + seconds)) is not None:
        where = f"at {shown_point(outside)} a side has no value: a hypothesis has to keep it out"
        return ended("undecided", where, outside, boxes)
    if (
        boxes is not None
        and boxes.outcome == "certified"
        and (_weak(statement.claimed) or (boxes.worst_lower or 0) > 0)
    ):
        return ended("certified", f"over {boxes.line()}", None, boxes)
    if record.finding != "nothing":
        return ended("undecided", _line(statement, record), record.point, boxes)
    return ended(*_at_worst_points(statement, problem, record), boxes)


def _weak(claimed: Claimed) -> bool:
    """Whether the relation holds where both sides are equal."""
    if isinstance(claimed, Relation):
        return claimed.sign in ("=", "<=", ">=")
    return all(_weak(part) for part in claimed.parts)


def _over_boxes(statement: Statement, seconds: float) -> CertifyRecord | None:
    """Branch and bound over the ranges that hypotheses of numbers leave; None where the language has no boxes."""
    try:
        margin, box = margin_on_boxes(statement), _box(statement)
    except InputError:
        return None
    ends, count = time.monotonic() + seconds, _FIRST_BOXES
    record = certify_nonnegative(margin, box, max_boxes=count)
    while record.outcome == "undecided" and record.remaining and time.monotonic() < ends:
        count = min(2 * count, _MOST_BOXES)
        before = record.boxes
        record = certify_nonnegative(margin, box, max_boxes=count, resume=record)
        if record.boxes == before:  # what is left is narrower than a box is split
            break
    return record


def _box(statement: Statement) -> tuple[Axis, ...]:
    parameters = domain_of(statement).parameters
    scales = {v.name: v.scale for v in statement.variables}
    return tuple(axis(p.name, p.low, p.high, "log" if scales[p.name] == "log" else "linear") for p in parameters)


def _violation(statement: Statement, problem: Problem, boxes: CertifyRecord) -> Point | None:
    """The point of a branch and bound, if it is one of the statement's domain, made simple."""
    point = dict(boxes.point or {})
    whole = [v.name for v in statement.variables if v.kind == "integer"]
    if any(point[name].denominator != 1 for name in whole) or problem.certify is None:
        return None
    try:
        exact = problem.domain.exact_point({n: int(x) if n in whole else x for n, x in point.items()})
        if not problem.domain.contains(exact) or decide(statement, exact).outcome != "violated":
            return None
    except InputError:
        return None
    return shrunk(problem, problem.certify, exact, problem.certify(exact))[0]


def _without_value(statement: Statement, problem: Problem, record: AttackRecord, until: float) -> Point | None:
    """A point of the domain at which a side certainly has no value: of the worst points, the corners, some others."""
    domain = problem.domain
    corners = domain.corners(np.random.default_rng(0))[:_CORNERS]
    units = (unit for _, unit in record.dangerous)
    points = (domain.point(unit) for unit in (*units, *corners.tolist()))
    for point in (*points, *random_points(statement, _CORNERS)):
        try:
            if domain.contains(point) and decide(statement, point).outside:
                return point
        except (InputError, ArithmeticError):  # on the edge of the domain, where floats and exact numbers differ
            continue
        if time.monotonic() > until:
            break
    return None


def _line(statement: Statement, record: AttackRecord) -> str:
    """What a search found, its points in the numbers of the variables."""
    simple = record.simple and numbers_at(statement, record.simple)
    return replace(record, point=numbers_at(statement, record.point), simple=simple).line()


def _at_worst_points(
    statement: Statement, problem: Problem, record: AttackRecord
) -> tuple[SettledAs, str, Point | None]:
    """The worst points that the search met, put to ball arithmetic: a margin within the noise of floats hides there."""
    close: list[tuple[Point, str]] = []
    held = 0
    for _, unit in record.dangerous:
        point = problem.domain.point(unit)
        if not problem.domain.contains(point):
            continue
        try:
            decision = decide(statement, point)
        except (InputError, ArithmeticError):  # on the edge of the domain, where floats and exact numbers differ
            continue
        if decision.outcome == "violated":
            return "violated", f"at {shown_point(numbers_at(statement, point))}: {decision.detail}", point
        held += decision.outcome == "held"
        if decision.outcome == "undecided":
            close.append((point, decision.detail))
    equality = isinstance(statement.claimed, Relation) and statement.claimed.sign == "="
    line = _line(statement, record)
    if close and not held and not equality:
        return (
            "undecided",
            f"no precision tried tells the sides apart: {close[0][1]}; {line}",
            close[0][0],
        )
    alike = f"; at {len(close)} of the worst points the sides are alike: {close[0][1]}" if close else ""
    ranges = [str(parameter) for parameter in problem.domain.parameters]
    more = f" and {len(ranges) - _RANGES} more" if len(ranges) > _RANGES else ""
    return "supported", f"{line}{alike}; searched over {', '.join(ranges[:_RANGES])}{more}", None


def settled_claim(claim_id: str, settled: Ending) -> Claim:
    """The claim with the verdict that a settled statement has, and the checks that carry it: none where it is open."""
    stated, point = settled.stated, settled.point
    search = statement_attack("search", stated, {}, quick=2_000, full=EVALUATIONS)
    search = replace(search, mutants=Mutants(lambda: _telling_faults(stated)))
    verdict: Verdict = Verdict.OPEN
    checks: tuple[Check, ...] = ()
    if settled.outcome == "supported":
        verdict, checks = Verdict.SUPPORTED, (search,)
    if settled.outcome == "certified":
        verdict, checks = Verdict.CERTIFIED, (search, _box_check(stated))
    if settled.outcome == "violated" and point is not None:
        turned = {"the sign of the violation turned": ExactMargin(stated)}
        found = counterexample_check("counterexample", Violation(stated), point, turned, domain=domain_of(stated))
        checks = (found,) if Violation(stated)(point).sign() == 1 else (search, _equality_check(stated, point))
        verdict = Verdict.REFUTED
    texts: dict[str, Any] = {
        "id": claim_id,
        "source": "OWN",
        "title": claim_id,
        "declared": verdict,
        "reason": settled.detail,
    }
    if not checks:
        return Claim(statement=stated.sentence, hypotheses=stated.hypothesis_lines, **texts)
    return stated_claim(stated=stated, checks=checks, alone=True, **texts)


def _telling_faults(stated: Statement) -> dict[str, Callable[[str], Evidence]]:
    """The first faults by rule that a short search finds violated: they show that the check can fail."""
    found: dict[str, Callable[[str], Evidence]] = {}
    for mutant in mutants(stated):
        faulty = {mutant.fault: mutant.statement}
        try:
            run = statement_attack("search", stated, faulty, quick=400, full=4_000).mutants[mutant.fault]
            caught = run("quick").outcome is Outcome.FAILED
        except (ValueError, ArithmeticError):  # a fault that leaves no variable, no point or no meaning
            continue
        if caught:
            found[mutant.fault] = run
        if len(found) == _TELLING:
            break
    return found


@dataclass(frozen=True)
class Broken:
    """`run(effort)` that holds if a statement is decided violated at a point, be it that its sides are equal there."""

    statement: Statement
    point: Point

    def __call__(self, effort: str) -> Evidence:
        found = decide(self.statement, self.point)
        outcome = Outcome.HELD if found.outcome == "violated" else Outcome.FAILED
        detail = f"{found.detail} at {shown_point(numbers_at(self.statement, self.point))}"
        return Evidence(outcome, "ball arithmetic", detail, count=1)


def _equality_check(stated: Statement, point: Point) -> Check:
    """The counterexample to a strict relation where both sides are equal; where that is allowed it is none."""
    weak = replace(stated, claimed=_weakened(stated.claimed))
    faults = {"equality allowed": Broken(weak, point)}
    return Check("counterexample", Kind.COUNTEREXAMPLE, Broken(stated, point), faults)


def _weakened(claimed: Claimed) -> Claimed:
    if isinstance(claimed, Relation):
        weak: dict[Sign, Sign] = {"<": "<=", ">": ">="}
        return replace(claimed, sign=weak.get(claimed.sign, claimed.sign))
    return replace(claimed, parts=tuple(_weakened(part) for part in claimed.parts))


def _box_check(stated: Statement) -> Check:
    margin = margin_on_boxes(stated)
    turned = {"the sides exchanged": lambda *balls: -margin(*balls)}
    return certified_box_check("over the ranges", margin, _box(stated), mutants=turned, max_boxes=_LARGEST_RUN)
