"""The exact delta between the actual Gaussian output laws of a mechanism on a database and on its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.composition import compose
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.fast.spectrum import spectrum
from ndis_verify.gaussian_pair import GaussianPair


@dataclass(frozen=True)
class OutputLaw:
    """The law of a release: `copies` independent columns, each N(mean, cov). mean has d entries, cov is d x d."""

    mean: np.ndarray
    cov: np.ndarray
    copies: int = 1


@dataclass(frozen=True)
class WorstNeighbour:
    """Which single-record change costs most: the row, the direction ("delete": P from the larger database) and its delta."""

    row: int
    direction: str
    delta: float


def law_delta(first: OutputLaw, second: OutputLaw, epsilon: float) -> float:
    """delta_{P,Q}(epsilon) of two output laws, exactly as the float64 engine gives it; 1 where their supports differ.

    Singular covariances are compared on the range that both share. Raises `InputError` where the shapes differ.
    """
    if first.copies != second.copies or first.mean.shape != second.mean.shape:
        raise InputError("second", second.mean.shape, "must have the shape and the copies of the first law")
    basis = _common_range(first, second)
    if basis is None:
        return 1.0
    if basis.shape[1] == 0:
        return 0.0
    one = spectrum(GaussianPair(*_within(first, basis), *_within(second, basis)))
    return float(hockey_stick(compose(one, first.copies), epsilon).ravel()[0])


def worst_neighbour(law: Callable[[Any], OutputLaw], data: np.ndarray, epsilon: float) -> WorstNeighbour:
    """The worst delta over the deletion and the insertion of every single row of `data`, from the output laws alone."""
    if not len(data):
        raise InputError("data", "no rows", "must have a row to change")
    whole = law(data)
    worst = WorstNeighbour(0, "delete", -1.0)
    for row in range(len(data)):
        less = law(np.delete(data, row, axis=0))
        for direction, pair in (("delete", (whole, less)), ("insert", (less, whole))):
            delta = law_delta(*pair, epsilon)
            if delta > worst.delta:
                worst = WorstNeighbour(row, direction, delta)
    return worst


def _within(law: OutputLaw, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cov = basis.T @ law.cov @ basis
    return basis.T @ law.mean, (cov + cov.T) / 2


def _common_range(first: OutputLaw, second: OutputLaw) -> np.ndarray | None:
    """An orthonormal basis of the support's directions; None where the two supports are not the same set."""
    bases = [_range(law.cov) for law in (first, second)]
    if bases[0].shape[1] != bases[1].shape[1]:
        return None
    shift = first.mean - second.mean
    basis = bases[0]
    scale = np.finfo(float).eps * 1e4
    if np.abs(bases[1] - basis @ (basis.T @ bases[1])).max(initial=0.0) > scale:
        return None
    outside = shift - basis @ (basis.T @ shift)
    if np.abs(outside).max(initial=0.0) > scale * max(np.abs(first.mean).max(), np.abs(second.mean).max(), 1e-300):
        return None
    return np.eye(len(shift)) if basis.shape[1] == len(shift) else basis


def _range(cov: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(cov)
    return vectors[:, values > max(values[-1], 0.0) * len(values) * 4 * np.finfo(float).eps]
