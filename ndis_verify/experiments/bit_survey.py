"""The auditor of bits on planted holes, on other libraries and on every mechanism of ours; and how often its limits
fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ndis_verify.audit.bits import audit_bits
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.bit_cases import own_cases, peer_cases, planted_cases

_GRID = 2.0**-20
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class SurveyRow:
    """One sampler: what is claimed of it, the lower limit of its delta, the event behind that; `outcome`: refuted, not
    refuted or refused.
    """

    group: str
    sampler: str
    attack: str
    epsilon: float
    claimed: float
    limit: float
    event: str
    outcome: str


@dataclass(frozen=True, eq=False)
class KnownPair:
    """Samplers on a grid whose delta at every epsilon is known in closed form."""

    name: str
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
    delta: Callable[[float], float]


@dataclass(frozen=True)
class ValidityRow:
    """How often limits at `confidence` were above the true delta at any of a few epsilons; `mean`: mean limit at
    `epsilon`, `true` delta there.
    """

    pair: str
    confidence: float
    draws: int
    runs: int
    above: int
    epsilon: float
    mean: float
    true: float


def survey(draws: int, own_draws: int, seed: int, progress: Progress | None = None) -> Iterator[SurveyRow]:
    """A row for every sampler with planted holes, every installed one of others, every mechanism of ours."""
    groups = [("planted", case, draws) for case in planted_cases()]
    groups += [("others", case, draws) for case in peer_cases()]
    groups += [("ours", case, own_draws) for case in own_cases()]
    for done, (group, case, count) in enumerate(groups):
        if progress is not None:
            progress(done, len(groups), case.name)
        try:
            found = case.audit(count, seed)
        except InputError as error:
            yield SurveyRow(group, case.name, case.attack, case.epsilon, case.delta, 0.0, str(error), "refused")
            continue
        limit = float(found.delta(case.epsilon))
        event = f"{found.best.family}: {found.best.words}" if limit > 0 else ""
        outcome = "refuted" if found.refutes(case.epsilon, case.delta) else "not refuted"
        yield SurveyRow(group, case.name, case.attack, case.epsilon, case.delta, limit, event, outcome)


def known_pairs() -> list[KnownPair]:
    """Exact samplers on a grid: noise of two-sided geometric law, a randomised last bit, a randomised kind of ratio,
    two equal laws.
    """
    gap = 0.7

    def geometric(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        noise = rng.geometric(-np.expm1(-gap), (4, n)) - 1
        return _GRID * (1 + noise[0] - noise[1]), _GRID * (noise[2] - noise[3])

    def last_bit(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        high, odd = 2 * rng.integers(2**20, size=(2, n)), rng.random((2, n)) < 1 / (1 + np.exp(gap))
        return _GRID * (high[0] + ~odd[0]), _GRID * (high[1] + odd[1])

    def ratio(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        simple = rng.integers(1, 1000, (2, n)) / rng.integers(1, 1000, (2, n))
        chosen = rng.random((2, n)) < np.array([[0.3], [0.1]])
        return tuple(np.where(chosen, simple, rng.integers(2**30, 2**33, (2, n)) * 2.0**-32))

    def same(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        return tuple(_GRID * rng.integers(-(2**22), 2**22, (2, n)))

    odds = np.exp(gap)
    return [
        KnownPair(
            "two-sided geometric noise", geometric, lambda eps: max(0.0, (1 - np.exp(eps - gap)) / (1 + np.exp(-gap)))
        ),
        KnownPair("a randomised last bit", last_bit, lambda eps: max(0.0, (odds - np.exp(eps)) / (1 + odds))),
        KnownPair(
            "a ratio of small integers, 30 % or 10 %",
            ratio,
            lambda eps: max(0.0, 0.3 - np.exp(eps) * 0.1, 0.9 - np.exp(eps) * 0.7),
        ),
        KnownPair("one law twice", same, lambda eps: 0.0),
    ]


def validity_study(
    runs: int, seed: int, progress: Progress | None = None, draws: int = 400, confidences: Sequence[float] = (0.95, 0.5)
) -> Iterator[ValidityRow]:
    """Audits of samplers of known privacy at epsilon 0.25; a limit above the truth at any of 0, 0.25, 0.5, 1 counts."""
    epsilon, grid = 0.25, (0.0, 0.25, 0.5, 1.0)
    pairs = known_pairs()
    for place, pair in enumerate(pairs):
        for confidence in confidences:
            rng = np.random.default_rng([seed, place, int(1000 * confidence)])
            above, limits = 0, []
            for run in range(runs):
                if progress is not None:
                    progress(run, runs, f"{pair.name}, confidence {confidence:g}")
                found = audit_bits(*pair.draw(rng, draws), epsilon=epsilon, confidence=confidence)
                above += any(found.delta(eps) > pair.delta(eps) for eps in grid)
                limits.append(float(found.delta(epsilon)))
            yield ValidityRow(
                pair.name, confidence, draws, runs, above, epsilon, float(np.mean(limits)), float(pair.delta(epsilon))
            )
