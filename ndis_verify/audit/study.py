"""How often auditors cry wolf and how tight they get, on pairs of laws whose privacy is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from ndis_verify.audit.gdp_parameter import GaussianCurve, largest_mu
from ndis_verify.audit.histogram import audit_by_methods
from ndis_verify.audit.limits import clopper_pearson_upper
from ndis_verify.audit.set_limits import ScoreAudit
from ndis_verify.tables import markdown_table

GUARANTEED = ("best-set", "family", "dkw", "tv", "threshold", "gdp-mu")
BASELINES = ("threshold-jeffreys", "gdp", "credible", "credible-mu", "plug-in")
MU = {"gdp-mu": "gdp", "credible-mu": "credible"}  # what the same audit says of mu, judged as such
METHODS = (
    "best-set",
    "family",
    "dkw",
    "tv",
    "threshold",
    "threshold-jeffreys",
    "gdp",
    "gdp-mu",
    "credible",
    "credible-mu",
    "plug-in",
)
FALSE_ALARM = 1e-6
SURE = 0.99  # confidence below which a cell says that its runs are too few
_SLOW = {"credible": 200}  # repetitions that have to be enough
_BLOCKS = ((1_000, 250), (100_000, 50), (np.inf, 10))  # scores up to which a block has that many runs
Progress = Callable[[int, int, str], None]
Tally = dict[str, dict[str, float]]


@dataclass(frozen=True, eq=False)
class Case:
    """A pair of laws: `draw(rng, n)` gives n scores of P and n of Q; `deltas` and `epsilons` are its privacy.

    deltas: {epsilon: delta}, epsilons: {delta: epsilon}, the larger of both orders, as upper ends of certified values.
    mu: the smallest for which the pair is mu-GDP, infinity where none is.
    """

    name: str
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
    deltas: Mapping[float, float]
    epsilons: Mapping[float, float]
    mu: float

    @cached_property
    def gaussian_mu(self) -> float:
        """The largest mu whose Gaussian curve is nowhere above the truth."""
        points = [*self.deltas.items(), *((eps, delta) for delta, eps in self.epsilons.items())]
        return min(largest_mu(eps, delta) for eps, delta in points)

    def exceeded(self, found: ScoreAudit) -> bool:
        """Whether any of the limits, along the whole profile, is above the truth."""
        if hasattr(found.curve, "mu"):
            return bool(found.curve.mu > self.gaussian_mu)
        profiles = ((found.delta, self.deltas), (found.epsilon, self.epsilons))
        return any((limit(list(true)) > list(true.values())).any() for limit, true in profiles)


@dataclass(frozen=True)
class Block:
    """Some runs of one case at one n, with a stream of random numbers of their own."""

    case: str
    n: int
    index: int
    runs: int

    @property
    def key(self) -> str:
        return f"{self.case} | {self.n} | {self.index} | {self.runs}"


@dataclass(frozen=True)
class Validity:
    """How often a limit at `confidence` was above the truth anywhere on the profile.

    `highest`: upper limit of the rate at confidence 0.99 (Clopper-Pearson). `sure`: the confidence at which that limit
    is 1 - confidence: how sure it is that the rate is no larger. `verdict`: "at most" where sure >= 0.99; "above" where
    so many or more have a chance of at most the stated false alarm at the rate 1 - confidence; else "consistent".
    `enough`: whether so many runs can say "at most" at all, with none above.
    """

    case: str
    method: str
    n: int
    runs: int
    exceeded: int
    highest: float
    sure: float
    enough: bool
    verdict: str


@dataclass(frozen=True)
class Power:
    """The mean limit of epsilon at `delta`, its standard error, and the true epsilon."""

    case: str
    method: str
    n: int
    runs: int
    delta: float
    mean: float
    error: float
    true: float

    @property
    def share(self) -> float:
        """mean / true."""
        return self.mean / self.true


def judged(case: str, method: str, n: int, runs: int, exceeded: int, failure: float, cells: int = 1) -> Validity:
    """`Validity` of `exceeded` limits above the truth in `runs`; the false alarm 1e-6 is shared by `cells` such
    judgements.
    """
    highest = float(clopper_pearson_upper(exceeded, runs, 1 - SURE))
    surprising = exceeded > 0 and scipy.stats.binom.sf(exceeded - 1, runs, failure) <= FALSE_ALARM / cells
    verdict = "above" if surprising else "at most" if highest <= failure else "consistent"
    enough = (1 - failure) ** runs <= 1 - SURE
    return Validity(
        case, method, n, runs, exceeded, highest, float(scipy.stats.binom.sf(exceeded, runs, failure)), enough, verdict
    )


def blocks(names: Iterable[str], repetitions: Mapping[int, int]) -> list[Block]:
    """The runs in parts, small n first and the cases in turn; a part is the same whatever else is run."""
    found, cases = [], list(names)
    for n, runs in sorted(repetitions.items()):
        size = next(size for most, size in _BLOCKS if n <= most)
        found += [Block(name, n, k, min(size, runs - k * size)) for k in range(-(-runs // size)) for name in cases]
    return found


def run_block(case: Case, block: Block, methods: Sequence[str], delta: float, confidence: float, seed: int) -> Tally:
    """For each method: runs, limits above the truth, the limits of epsilon at `delta` as sums, and how many are
    infinite.
    """
    rng = np.random.default_rng([seed, block.n, block.index, *case.name.encode()])
    tally: Tally = {method: {"runs": 0, "above": 0, "sum": 0.0, "squares": 0.0, "infinite": 0} for method in methods}
    first = block.index * next(size for most, size in _BLOCKS if block.n <= most)
    for run in range(first, first + block.runs):
        wanted = [method for method in methods if run < _SLOW.get(MU.get(method, method), np.inf)]
        audits = audit_by_methods(
            *case.draw(rng, block.n),
            list(dict.fromkeys(MU.get(m, m) for m in wanted)),
            delta=delta,
            confidence=confidence,
        )
        for method in wanted:
            audit, cell = audits[MU.get(method, method)], tally[method]
            cell["runs"] += 1
            if method in MU:
                assert isinstance(audit.curve, GaussianCurve)
                cell["above"] += int(audit.curve.mu > case.mu)
            else:
                cell["above"] += int(case.exceeded(audit))
            epsilon = 0.0 if method in MU else float(audit.epsilon(delta))
            cell["infinite"] += int(epsilon == np.inf)
            if epsilon < np.inf:
                cell["sum"] += epsilon
                cell["squares"] += epsilon * epsilon
    return tally


def run_study(
    cases: Sequence[Case],
    repetitions: Mapping[int, int],
    *,
    methods: Sequence[str] = METHODS,
    delta: float = 1e-5,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
    measured: Callable[[Sequence[Block]], Iterable[tuple[Block, Tally]]] | None = None,
) -> tuple[list[Validity], list[Power]]:
    """Audit every case `repetitions[n]` times with n scores of each law: validity and power of every method, on the
    same draws.

    Sets are chosen for `delta`. The same seed gives the same rows, whatever other cases or sizes are run. "credible" is
    slow and runs on the first 200 draws only. measured(blocks) gives each block with the result of `run_block`, in any
    order (in processes, from a file), or only some of them; by default they are run here, one after the other.
    """
    by_name = {case.name: case for case in cases}

    def in_turn(parts: Sequence[Block]) -> Iterator[tuple[Block, Tally]]:
        return ((part, run_block(by_name[part.case], part, methods, delta, confidence, seed)) for part in parts)

    parts = blocks(by_name, repetitions)
    tallies: dict[tuple[str, int], list[tuple[int, Tally]]] = {}
    done, total = 0, sum(part.runs for part in parts)
    for part, tally in (measured or in_turn)(parts):
        tallies.setdefault((part.case, part.n), []).append((part.index, tally))
        done += part.runs
        if progress is not None:
            progress(done, total, f"{part.case}, n = {part.n}")
    return tables(cases, repetitions, tallies, methods, delta, confidence)


def tables(
    cases: Sequence[Case],
    repetitions: Mapping[int, int],
    tallies: Mapping[tuple[str, int], Sequence[tuple[int, Tally]]],
    methods: Sequence[str],
    delta: float,
    confidence: float,
) -> tuple[list[Validity], list[Power]]:
    """The rows of both tables from the tallies of the blocks, by case and n."""
    cells = len(cases) * len(repetitions) * len(methods)
    validity, power = [], []
    for case in cases:
        for n in repetitions:
            found = [tally for _, tally in sorted(tallies.get((case.name, n), ()), key=lambda item: item[0])]
            for method in methods if found else ():
                runs, above, total, squares, infinite = (
                    sum(t[method][name] for t in found) for name in ("runs", "above", "sum", "squares", "infinite")
                )
                validity.append(judged(case.name, method, n, int(runs), int(above), 1 - confidence, cells))
                if case.epsilons[delta] > 0 and method not in MU:
                    mean = total / runs if not infinite else np.inf
                    error = np.sqrt(max(squares / runs - mean**2, 0.0) / runs) if not infinite else 0.0
                    power.append(
                        Power(case.name, method, n, int(runs), delta, float(mean), float(error), case.epsilons[delta])
                    )
    return validity, power


def validity_table(rows: Sequence[Validity]) -> str:
    """Markdown: limits above the truth over runs, and how sure it is that their rate is at most 1 - confidence."""
    cells = {}
    for row in rows:
        sure = ">99.99 %" if row.sure > 0.9999 else f"{np.floor(1e4 * row.sure) / 100:.4g} %"
        unsaid = "not shown" if row.enough else "too few runs"
        mark = {"at most": sure, "consistent": f"{sure}, {unsaid}", "above": "**above**"}[row.verdict]
        cells[row.case, row.n, row.method] = f"{row.exceeded}/{row.runs}, {mark}"
    return _table(cells)


def power_table(rows: Sequence[Power]) -> str:
    """Markdown: mean limit of epsilon over the true epsilon."""
    return _table({(row.case, row.n, row.method): f"{row.share:.3f}" for row in rows})


def summary_table(validity: Sequence[Validity], power: Sequence[Power]) -> str:
    """Markdown, one line per method: at each n the runs above the truth over all pairs, how many pairs are "above", and
    the range of power.
    """
    sizes = list(dict.fromkeys(row.n for row in validity))
    heads = [f"above the truth, n = {n}" for n in sizes] + [f"epsilon over true epsilon, n = {n}" for n in sizes]
    lines = []
    for method in dict.fromkeys(row.method for row in validity):
        cells = []
        for n in sizes:
            rows = [row for row in validity if row.n == n and row.method == method]
            bad = sum(row.verdict == "above" for row in rows)
            cells.append(
                f"{sum(row.exceeded for row in rows)}/{sum(row.runs for row in rows)}"
                + (f", **{bad} of {len(rows)} pairs**" if bad else "")
            )
        for n in sizes:
            shares = [row.share for row in power if row.n == n and row.method == method]
            cells.append(f"{min(shares):.2f} to {max(shares):.2f}" if shares else "")
        lines.append([method, *cells])
    return markdown_table(["method", *heads], lines)


def _table(cells: Mapping[tuple[str, int, str], Any]) -> str:
    methods = list(dict.fromkeys(method for _, _, method in cells))
    lines = [
        [case, n, *(cells[case, n, method] for method in methods)]
        for case, n in dict.fromkeys((case, n) for case, n, _ in cells)
    ]
    return markdown_table(["case", "n", *methods], lines, right={1})
