"""The random-projection spectrum on real records: every leverage, and the deletion of the worst record."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.comparisons import digits_of_agreement
from ndis_verify.datasets import load_dataset
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import as_exact, exact, exact_array
from ndis_verify.fast.hockey_stick import hockey_stick as fast_hockey_stick
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores

COLUMNS = 10  # r, the columns of the projection
EPSILONS = tuple(np.linspace(0.0, 12.0, 25).tolist())
LEVERAGE_TOLERANCE = 1e-12
CURVE_DIGITS = 11


@dataclass(frozen=True, eq=False)
class DeletionCurve:
    """delta(eps) for deleting record `row`: from the d r x d r covariances and from its leverage in float64, and the
    certified values of the closed form at the exact leverage."""

    dataset: str
    records: int
    features: int
    row: int
    leverage: Enclosure
    columns: int
    epsilons: np.ndarray
    from_covariance: np.ndarray
    from_leverage: np.ndarray
    certified: tuple[Enclosure, ...]

    def digits(self) -> float:
        """The least number of digits in which either float64 curve agrees with the certified values."""
        curves = (self.from_covariance, self.from_leverage)
        return min(digits_of_agreement(a, b) for curve in curves for a, b in zip(curve, self.certified))


@cache
def gram_matrices(name: str, row: int) -> tuple[np.ndarray, np.ndarray]:
    """D^T D with and without one record, exactly: Fractions, from products of whole numbers."""
    records = as_exact(exact_array(load_dataset(name).records, "records", 2))
    common = math.lcm(*(entry.denominator for entry in records.flat))
    whole = (records * common) // 1
    with_row, unit = whole.T @ whole, Fraction(1, common * common)
    return with_row * unit, (with_row - np.outer(whole[row], whole[row])) * unit


def deletion_pair(name: str, row: int, columns: int) -> GaussianPair:
    """The projections of the database with and without the record, as Gaussians on R^{d r} (N24-C2)."""
    larger, smaller = (_block_diagonal(gram, columns) for gram in gram_matrices(name, row))
    zero = [0] * larger.shape[0]
    return GaussianPair(zero, larger, zero, smaller)


def _block_diagonal(block: np.ndarray, count: int) -> np.ndarray:
    size = block.shape[0]
    matrix = np.full((size * count, size * count), Fraction(0), dtype=object)
    for k in range(count):
        matrix[k * size : (k + 1) * size, k * size : (k + 1) * size] = block
    return matrix


@cache
def deletion_curve(name: str) -> DeletionCurve:
    """The curve for the record of largest leverage of a bundled data set."""
    data = load_dataset(name).records
    row = int(leverage_scores(data).argmax())
    (leverage,) = exact_leverage_scores(data, [row], digits=60)
    epsilons = np.array(EPSILONS)
    pair = deletion_pair(name, row, COLUMNS)
    return DeletionCurve(
        dataset=name,
        records=data.shape[0],
        features=data.shape[1],
        row=row,
        leverage=leverage,
        columns=COLUMNS,
        epsilons=epsilons,
        from_covariance=fast_hockey_stick(pair, epsilons),
        from_leverage=fast_rp_hockey_stick(float(leverage.mid), COLUMNS, epsilons, "delete"),
        certified=tuple(
            certified_rp_hockey_stick(exact(leverage.mid), COLUMNS, epsilon, "delete", digits=20)
            for epsilon in EPSILONS
        ),
    )


@cache
def _certified_leverages(name: str) -> list[Enclosure]:
    """The leverage of every record, to 20 digits: the same for the check and for what is planted in it."""
    records = load_dataset(name).records
    return exact_leverage_scores(records, range(len(records)), digits=20)


def with_data(run: Callable[[str], Evidence]) -> Callable[[str], Evidence]:
    """Without scikit-learn nothing can be decided, and nothing is."""

    def guarded(effort: str) -> Evidence:
        try:
            return run(effort)
        except ModuleNotFoundError as error:
            return Evidence(Outcome.UNDECIDED, "absent", str(error))

    return guarded


def _all_leverages(name: str, power: int = 1) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        data = load_dataset(name).records
        certified = _certified_leverages(name)
        found = leverage_scores(data) ** power
        worst = max(abs(exact(float(value)) - exact(score.mid)) for value, score in zip(found, certified))
        inside = all(score.upper > 0 and score.lower <= 1 for score in certified)
        held = inside and worst <= LEVERAGE_TOLERANCE
        largest = max(certified, key=lambda score: score.mid)
        detail = f"largest leverage {largest.decimal(6)[0]}, largest difference {float(worst):.0e}, all in (0, 1]"
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED, "fast QR, exact rational", detail, 12, len(data), "records"
        )

    return with_data(run)


def _curve_agrees(name: str, shift: float = 0.0) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        curve = deletion_curve(name)
        changed = fast_rp_hockey_stick(float(curve.leverage.mid) * (1 + shift), COLUMNS, curve.epsilons, "delete")
        digits = min(dataclasses.replace(curve, from_leverage=changed).digits(), curve.digits())
        size = curve.features * curve.columns
        detail = (
            f"record {curve.row}: lemma on {size} x {size} covariances, and the closed form, against certified values"
        )
        held = digits >= CURVE_DIGITS
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED,
            "fast, certified",
            detail,
            int(max(digits, 0)),
            len(curve.epsilons),
            "epsilons",
        )

    return with_data(run)


def _certified_curve(name: str, direction: str = "delete") -> Callable[[str], Evidence]:
    """Certified values from the exact covariances of one and of two columns against the certified closed form."""

    def run(effort: str) -> Evidence:
        curve = deletion_curve(name)
        leverage = exact(exact_leverage_scores(load_dataset(name).records, [curve.row], digits=60)[0].mid)
        worst, cases = (
            60.0,
            [(r, eps) for r in ((1, 2) if effort == "full" else (1,)) for eps in ("0", "0.5", "3", "12")],
        )
        for r, epsilon in cases:
            general = certified_hockey_stick(deletion_pair(name, curve.row, r), epsilon, digits=25)
            closed = certified_rp_hockey_stick(leverage, r, epsilon, direction, digits=25)
            worst = min(worst, digits_of_agreement(general, closed))
        detail = f"record {curve.row}: exact rational covariances against the closed form at the exact leverage"
        held = worst >= 20
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED, "certified twice", detail, int(max(worst, 0)), len(cases)
        )

    return with_data(run)


def _claim(name: str, title: str) -> Claim:
    return Claim(
        id=f"DATA-{name}",
        source="DATA",
        title=f"{title}: leverage alone gives the spectrum of deleting the worst record",
        statement=(
            f"For every record of scikit-learn's {title} data the float64 leverage is right to 1e-12; the spectrum of"
            " deleting the record of largest leverage under random projection to r columns is the same from the full d"
            " r x d r covariances by the lemma and from the leverage by the closed form of N26-L4."
        ),
        formula="delta_{RP(D),RP(D')}(eps) = delta_r(eps; p)",
        hypotheses=(
            "records as they are, no intercept",
            f"r = {COLUMNS} in float64, r = 1 (and 2 with --full) certified",
        ),
        declared=Verdict.CERTIFIED,
        checks=(
            Check(
                "every leverage",
                Kind.CROSSCHECK,
                _all_leverages(name),
                {"leverages squared": _all_leverages(name, power=2)},
            ),
            Check(
                "the whole curve in float64",
                Kind.CROSSCHECK,
                _curve_agrees(name),
                {"leverage off by 1e-9": _curve_agrees(name, 1e-9)},
            ),
            Check(
                "certified values on the exact covariances",
                Kind.ENCLOSURE,
                _certified_curve(name),
                {"direction swapped": _certified_curve(name, "insert")},
            ),
        ),
        note="Needs scikit-learn (extra `data`).",
    )


CLAIMS = (_claim("breast_cancer", "breast cancer"), _claim("diabetes", "diabetes"))
