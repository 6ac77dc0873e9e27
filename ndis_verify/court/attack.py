"""Attacks on universal claims: the most negative margin is hunted, confirmed, certified and made simple.

A margin is a function on the claim's declared domain that is >= 0 exactly where the claim holds, preferably relative
(`relative_margin`), so that tails count. The search runs on float64; what it finds is put to the oracle (`confirm`) and
to ball arithmetic (`certify`) before anything is called a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import mpmath
import numpy as np

from ndis_verify.arguments import whole
from ndis_verify.court.attack_search import BudgetSpent, Search, run_round
from ndis_verify.court.domain import Columns, Domain, Point, VacuityError, shown, shown_point
from ndis_verify.court.shrink import shrink
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal

Finding = Literal["nothing", "suspected", "confirmed", "certified", "engine failure"]
DEFAULT_EVALUATIONS = 20_000
_SUSPECTS = 8
_DANGEROUS = 8
_SCALAR_BATCH = 8


@dataclass(frozen=True)
class Problem:
    """What is attacked. `margin` takes the parameters by keyword: float arrays, or scalars if not `vectorised`.

    `tolerance`: margins in [-tolerance, 0) are within the noise of the engine and are no suspicion.
    `branches`: functions of the same keywords whose sign changes where two branches of the statement meet; always
    vectorised. `confirm(point)` and `certify(point)` enclose the exact margin, or anything of its sign, at an exact
    point (a mapping from names to Fractions, ints and choices); `certify` gives basis "bound".
    `starts`: points known to be dangerous.
    """

    name: str
    margin: Callable[..., Any]
    domain: Domain
    tolerance: float = 1e-9
    vectorised: bool = True
    branches: tuple[Callable[..., Any], ...] = ()
    confirm: Callable[[Point], Enclosure] | None = None
    certify: Callable[[Point], Enclosure] | None = None
    starts: tuple[Mapping[str, Any], ...] = ()

    def margins(self, columns: Columns) -> np.ndarray:
        """The margin at every row of `columns`, in float64."""
        if self.vectorised:
            return np.asarray(self.margin(**columns), dtype=np.float64)
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return np.array([self.margin(**dict(zip(columns, row, strict=True))) for row in rows], dtype=np.float64)

    def at(self, points: Sequence[Point]) -> np.ndarray:
        """The float64 margin at exact points."""
        return np.broadcast_to(self.margins(self.domain.columns_of(points)), len(points))


@dataclass(frozen=True)
class AttackRecord:
    """What an attack did and found, also when it found nothing.

    finding: "nothing" (no margin below -tolerance), "suspected" (below, not decided by an oracle), "confirmed" (the
    oracle agrees, basis agreement), "certified" (the sign is proved), "engine failure" (NaN, an exception, a suspicion
    that the oracle refutes, or a margin that is the same everywhere; `failure` says which).
    `point` is the worst point found, `margin` its float64 margin; `simple` the shrunk violation with its `enclosure`.
    `dangerous`: margins and unit coordinates of the worst points that lie apart.
    """

    name: str
    finding: Finding
    seed: int
    evaluations: int
    seconds: float
    rounds: int
    tolerance: float
    point: Point
    margin: float | None
    simple: Point | None
    enclosure: Enclosure | None
    infeasible: int
    crossings: int
    failures: int
    failure: str
    dangerous: tuple[tuple[float, tuple[float, ...]], ...] = ()

    def line(self) -> str:
        """One line for a report."""
        text = f"seed {self.seed}, {self.seconds:.1f} s"
        if self.margin is not None:
            text = f"worst margin {self.margin:.3g} at {shown_point(self.point)}; {text}"
        if self.finding == "engine failure":
            return f"{self.failure}; {text}"
        if self.simple is not None:
            value = self.enclosure.decimal(3)[0] if self.enclosure is not None else "below 0"
            return f"violated ({self.finding}) at {shown_point(self.simple)}, where the margin is {value}; {text}"
        if self.finding == "suspected":
            return f"suspected violation, not decided; {text}"
        return text + (f", {self.crossings} branch crossings" if self.crossings else "")

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; exact numbers as text."""
        data = asdict(self) | {"enclosure": None}
        del data["dangerous"]
        for name in ("point", "simple"):
            point = getattr(self, name)
            data[name] = point and {k: shown(v) if isinstance(v, Fraction) else v for k, v in point.items()}
        if self.enclosure is not None:
            value, radius = self.enclosure.decimal(20)
            data["enclosure"] = {"value": value, "radius": radius, "basis": self.enclosure.basis}
        return data


def attack_problem(
    problem: Problem,
    seed: int = 0,
    evaluations: int | None = None,
    budget_seconds: float | None = None,
    journal: Path | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, label: None,
    stop_at_first: bool = False,
    stop_when_certified: bool = False,
) -> AttackRecord:
    """Search the domain of `problem` for its most negative margin.

    Ends after `evaluations` of the margin (then the result depends on the seed alone), after `budget_seconds`, or
    whichever comes first; without either, after `DEFAULT_EVALUATIONS`; with `stop_at_first` at the first margin below
    -tolerance; with `stop_when_certified` at one whose sign `certify` proves. With `journal` every finished round is
    kept in that file: a run that was stopped goes on there, and a finished run removes it. `progress(done, total,
    label)` may raise to stop. Raises `VacuityError` where the domain is empty or breaks its hypotheses.
    """
    if evaluations is None and budget_seconds is None:
        evaluations = DEFAULT_EVALUATIONS
    for argument, value in (("evaluations", evaluations), ("budget_seconds", budget_seconds)):
        if value is not None and not 0 < value < np.inf:
            raise InputError(argument, value, "must be positive and finite")
    seed = whole(seed, "seed", 0)
    certifies = stop_when_certified and problem.certify is not None
    stop_below = -problem.tolerance if stop_at_first or certifies else -np.inf
    settles = None if stop_at_first else partial(_certified_below, problem)
    limits: dict[str, Any] = {"seconds_allowed": budget_seconds, "stop_below": stop_below, "settles": settles}
    search = new_search(problem, seed, evaluations, progress=progress, **limits)
    if journal is None:
        searched(search, problem)
        return _judged(search, problem)
    parts = (
        *("attack", problem.name, problem.domain.lines(), problem.tolerance, seed, evaluations),
        *(stop_at_first, certifies),
    )
    run = identity(*parts, functions=(problem.margin, *problem.branches))
    with Journal(journal, run, "finished rounds", lambda key, state: search.checked(state)) as rounds:
        if rounds.last is not None:
            search.restore(rounds.last)
        searched(search, problem, lambda: rounds.append(f"round {search.rounds}", search.state()))
        return _judged(search, problem)


def new_search(problem: Problem, seed: int, evaluations: int | None, **options: Any) -> Search:
    """A search of the problem's domain before its first round, `options` as `Search` has them; raises `VacuityError`
    where there is nothing to search.
    """
    problem.domain.satisfiable(np.random.default_rng(seed))
    search = Search(problem.domain, problem.margins, seed, evaluations, **options)
    if not problem.vectorised:
        search.batch = _SCALAR_BATCH
    return search


def searched(search: Search, problem: Problem, finished: Callable[[], None] = lambda: None) -> None:
    """Rounds until the budget is spent or the search is settled; `finished()` after each."""
    starts = np.array([problem.domain.unit(problem.domain.exact_point(p)) for p in problem.starts])
    try:
        while True:
            run_round(search, problem.branches, starts)
            finished()
    except BudgetSpent:
        if not search.elite and not search.failures:
            raise VacuityError(f"none of {search.evaluations} points of the search satisfies the constraints") from None


def suspects(search: Search, problem: Problem) -> list[tuple[float, list[float]]]:
    """The worst points of a search whose margins are below what the tolerance explains, and that are points of the
    domain without rounding.
    """
    below = (entry for entry in search.elite if entry[0] < -problem.tolerance)
    return list(
        islice((entry for entry in below if problem.domain.contains(problem.domain.point(entry[1]))), _SUSPECTS)
    )


def failure_of(search: Search, problem: Problem) -> str:
    """Why a search that has no suspects says nothing either; empty where it does."""
    if search.failures:
        return f"{search.failure} at {shown_point(problem.domain.point(search.failed_at or []))}"
    if search.lowest == search.highest and search.evaluations > 1 and not suspects(search, problem):
        return "the margin is the same at every point: nothing is tested"
    return ""


def _judged(search: Search, problem: Problem) -> AttackRecord:
    """The record of a finished search: suspicions decided, the first real one shrunk."""
    domain = problem.domain
    failed_at = search.failed_at or []
    found_below = suspects(search, problem)
    inside = [*found_below, *(entry for entry in search.elite if entry[0] >= -problem.tolerance)]
    met = inside or search.elite
    worst: tuple[float | None, list[float]] = met[0] if met else (None, failed_at)
    finding: Finding = "nothing"
    simple, proof = None, None
    failure = failure_of(search, problem)
    if search.elite and not inside:
        failure = failure or "the search met points that satisfy the constraints by rounding alone"
    false_alarm = ""
    decide = problem.certify or problem.confirm
    for margin, unit in found_below:
        point = domain.point(unit)
        found = _decided(decide, point)
        sign = found.sign() if found is not None else None
        if found is not None and sign == -1:
            simple, proof = shrunk(problem, decide, point, found)
            finding = "certified" if proof.basis == "bound" else "confirmed"
            worst = (margin, unit)
            break
        if sign is None:
            finding = "suspected"
        elif not false_alarm:
            false_alarm = f"the engine's margin {margin:.3g} is not below 0 in truth, at {shown_point(point)}"
    if simple is None and finding == "nothing":
        failure = failure or false_alarm
        finding = "engine failure" if failure else "nothing"
    return AttackRecord(
        name=problem.name,
        finding=finding,
        seed=search.seed,
        evaluations=search.evaluations,
        seconds=round(search.seconds, 3),
        rounds=search.rounds,
        tolerance=problem.tolerance,
        point=domain.point(worst[1]),
        margin=worst[0],
        simple=simple,
        enclosure=proof,
        infeasible=search.infeasible,
        crossings=search.crossings,
        failures=search.failures + bool(false_alarm),
        failure=failure,
        dangerous=tuple((margin, tuple(unit)) for margin, unit in inside[:_DANGEROUS]),
    )


def _certified_below(problem: Problem, unit: list[float]) -> bool:
    point = problem.domain.point(unit)
    found = _decided(problem.certify, point) if problem.domain.contains(point) else None
    return found is not None and found.basis == "bound" and found.sign() == -1


def _decided(decide: Callable[[Point], Enclosure] | None, point: Point) -> Enclosure | None:
    if decide is None:
        return None
    try:
        return decide(point)
    except ArithmeticError:  # the precision ceiling: undecided is an outcome, not a crash
        return None


def shrunk(
    problem: Problem, decide: Callable[[Point], Enclosure] | None, point: Point, found: Enclosure
) -> tuple[Point, Enclosure]:
    """A violation at short numbers near `point`, where the margin is `found`, and its enclosure there."""
    proofs = {_key(point): found}

    def screen(points: Sequence[Point]) -> Iterator[bool]:
        # One margin at a time where they are not vectorised: `shrink` asks for no more than it needs.
        for batch in [points] if problem.vectorised else [[point] for point in points]:
            with np.errstate(invalid="ignore"):
                yield from (problem.at(batch) < -problem.tolerance).tolist()

    def violates(candidate: Point) -> bool:
        enclosure = _decided(decide, candidate)
        if enclosure is None or enclosure.sign() != -1:
            return False
        proofs[_key(candidate)] = enclosure
        return True

    simple = shrink(point, problem.domain, screen, violates)
    return simple, proofs[_key(simple)]


def _key(point: Point) -> tuple[tuple[str, Any], ...]:
    return tuple(point.items())


def relative_margin(larger: Any, smaller: Any) -> np.ndarray:
    """(larger - smaller) / max(|larger|, |smaller|): the margin of `larger >= smaller`, in [-2, 2].

    0 where both are 0; 1 or -1 where one of them overflowed to infinity; nan where both did, as nothing is known there.
    """
    larger, smaller = np.broadcast_arrays(np.asarray(larger, dtype=np.float64), np.asarray(smaller, dtype=np.float64))
    scale = np.maximum(np.abs(larger), np.abs(smaller))
    with np.errstate(invalid="ignore"):
        difference = larger - smaller
        ratio = np.divide(difference, scale, out=np.zeros(scale.shape), where=scale != 0)
    return np.where(np.isinf(difference), np.sign(difference), ratio)[()]


def log_margin(log_larger: Any, log_smaller: Any) -> np.ndarray:
    """log_larger - log_smaller, the margin of `larger >= smaller` for positive numbers given by logarithms.

    0 where both are -inf, +inf where only the smaller one is.
    """
    log_larger, log_smaller = np.asarray(log_larger, dtype=np.float64), np.asarray(log_smaller, dtype=np.float64)
    both = (log_larger == -np.inf) & (log_smaller == -np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(both, 0.0, log_larger - log_smaller)[()]


def enclosed_difference(larger: Enclosure, smaller: Enclosure) -> Enclosure:
    """`larger - smaller`, with outward rounding; basis "bound" only where both are."""
    basis: Literal["bound", "agreement"] = "bound" if larger.basis == smaller.basis == "bound" else "agreement"
    return enclosure_of(larger.lower - smaller.upper, larger.upper - smaller.lower, basis)


def enclosure_of(lower: Fraction, upper: Fraction, basis: Literal["bound", "agreement"] = "bound") -> Enclosure:
    """The interval [lower, upper] of rationals as an `Enclosure`, rounded outward."""
    with mpmath.workprec(256):
        middle = (lower + upper) / 2
        mid = mpmath.mpf(middle.numerator) / middle.denominator
        radius = max(upper - exact(mid), exact(mid) - lower)
        rad = mpmath.mpf(radius.numerator) / radius.denominator * (1 + mpmath.mpf(2) ** -200)
        return Enclosure(mid, rad, basis)
