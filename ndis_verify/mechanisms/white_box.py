"""The exact delta between the actual Gaussian output laws of a mechanism on a database and on its neighbours.

Which directions a law leaves without noise is decided over the rationals, never by a threshold. Laws that carry their
records are compared through the records: the leverage of the one that changes is enclosed in balls of as many bits as
it takes.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

import flint
import numpy as np

from ndis_verify.exact_number import InputError, as_exact, exact_array
from ndis_verify.fast.composition import compose
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.calibration import number, require_function, whole
from ndis_verify.mechanisms.records import number_array

_BITS = 256  # of the first attempt at a leverage
_WANTED = 80  # bits of p and of 1 - p
_MOST = 1e150  # relative eigenvalues above this have delta 1 to all digits of a float


@dataclass(frozen=True, eq=False)
class OutputLaw:
    """The law of a release: `copies` independent columns, each N(mean, cov). mean has d entries, cov is d x d.

    Entries are floats or Fractions, meant exactly. records, ridge: where given, the covariance is `records^T records +
    ridge I` exactly, and `cov` its rounding. exact: mean and covariance in Fractions, where given, and `mean` and `cov`
    their rounding. No comparison of laws uses what is rounded. Raises `InputError` for what is no vector of finite
    numbers with a matrix of that size.
    """

    mean: np.ndarray
    cov: np.ndarray
    copies: int = 1
    records: np.ndarray | None = None
    ridge: float = 0.0
    exact: tuple[np.ndarray, np.ndarray] | None = None

    def __post_init__(self) -> None:
        mean, cov = exact_array(self.mean, "mean", 1), exact_array(self.cov, "cov", 2)
        checked: dict[str, Any] = {
            "mean": mean,
            "cov": cov,
            "copies": whole(self.copies, "copies"),
            "ridge": number(self.ridge, "ridge", 0.0, sys.float_info.max),
        }
        d = mean.size
        if cov.shape != (d, d):
            raise InputError("cov", f"shape {cov.shape}", f"must be {d} x {d}, as there are {d} means")
        if self.records is not None:
            checked["records"] = number_array(self.records, "records")
            if checked["records"].ndim != 2 or checked["records"].shape[1] != d:
                raise InputError("records", f"shape {checked['records'].shape}", f"must have {d} columns")
        if self.exact is not None and not (isinstance(self.exact, tuple) and len(self.exact) == 2):
            raise InputError("exact", type(self.exact).__name__, "must be a mean and a covariance")
        if self.exact is not None:
            checked["exact"] = exact_array(self.exact[0], "exact", 1), exact_array(self.exact[1], "exact", 2)
            if [part.shape for part in checked["exact"]] != [(d,), (d, d)]:
                raise InputError("exact", type(self.exact).__name__, "must have the shapes of mean and cov")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def _given(self) -> tuple[np.ndarray, np.ndarray]:
        return (self.mean, self.cov) if self.exact is None else self.exact

    @cached_property
    def _covariance(self) -> flint.fmpq_mat:
        if self.records is None:
            return _rational(self._given[1])
        d = len(self.mean)
        level = flint.fmpq(*float(self.ridge).as_integer_ratio())
        diagonal = flint.fmpq_mat(d, d, [level if i == j else 0 for i in range(d) for j in range(d)])
        if not len(self.records):
            return diagonal
        rows = _rational(self.records)
        return rows.transpose() * rows + diagonal

    @cached_property
    def _pivots(self) -> list[int]:
        """Coordinates that determine all the others, and have a law of full rank."""
        matrix, rank = self._covariance, self._covariance.rank()
        if rank == matrix.nrows():
            return list(range(rank))
        reduced = matrix.rref()[0]
        return [next(j for j in range(reduced.ncols()) if reduced[i, j] != 0) for i in range(rank)]

    @cached_property
    def _multiset(self) -> Counter[bytes]:
        rows = np.ascontiguousarray(self.records, dtype=np.float64) + 0.0
        return Counter(row.tobytes() for row in rows)

    @cached_property
    def _inverses(self) -> dict[int, flint.arb_mat]:
        return {}

    def _inverse(self, bits: int) -> flint.arb_mat | None:
        """Of the covariance of the pivots, in balls; None where those bits do not prove it regular. Call at that
        precision.
        """
        if bits not in self._inverses:
            try:
                self._inverses[bits] = flint.arb_mat(_minor(self._covariance, self._pivots)).inv()
            except ZeroDivisionError:
                return None
        return self._inverses[bits]


@dataclass(frozen=True)
class WorstNeighbour:
    """Which single-record change costs most: the row, the direction ("delete": P from the larger database) and its
    delta.
    """

    row: int
    direction: str
    delta: float


def law_delta(first: OutputLaw, second: OutputLaw, epsilon: float) -> float:
    """delta_{P,Q}(epsilon) of two output laws; 1 where their supports differ, which is decided exactly.

    Laws with `records` that differ by one record: relative error at most 1e-11 where delta >= 1e-290, whatever the
    condition and the scales of the columns, with or without a ridge, as `hockey_stick` has it for a relative
    eigenvalue. Next to the largest loss of an insertion, the loss less epsilon is good to 1e-18 of the loss, 1e-15
    where a long double is a double, and delta so far. Cost: one inverse in balls for each larger database. Other laws:
    the same as `hockey_stick` for the pair as given. Those of least squares are given to 200 bits of every standard
    deviation; where a mechanism computed its entries in float64, as predictions and classifiers do, their rounding is
    not in that: it moves an eigenvalue by about 1e-16 times the condition of the covariance scaled to unit diagonal.
    Raises `InputError` where the shapes differ, and for a float covariance that rounding cannot tell from a singular
    one though it is none, or that is not positive semidefinite: its support is not known. `records` or Fractions decide
    it. first, second: the laws P and Q.

    Examples
    --------
    >>> from ndis_verify.mechanisms import law_delta
    >>> from ndis_verify.mechanisms import OutputLaw
    >>> print(f"{law_delta(OutputLaw([0.5], [[2.0]]), OutputLaw([0.0], [[1.0]]), 1.0):.12f}")
    0.086150968453
    """
    for name, law in (("first", first), ("second", second)):
        if not isinstance(law, OutputLaw):
            raise InputError(name, type(law).__name__, "must be an OutputLaw")
    if first.copies != second.copies or first.mean.shape != second.mean.shape:
        raise InputError("second", second.mean.shape, "must have the shape and the copies of the first law")
    level = number(epsilon, "epsilon", -1e300, 1e300)
    changed = _changed_record(first, second)
    if changed is not None:
        laws = _one_eigenvalue(*changed, changed[0] is first)
    elif _regular(first) and _regular(second):
        laws = spectrum(GaussianPair(first.mean, _symmetric(first.cov), second.mean, _symmetric(second.cov)))
    else:
        laws = _exact_spectrum(first, second)
    return 1.0 if laws is None else float(hockey_stick(compose(laws, first.copies), level))


def worst_neighbour(law: Callable[[Any], OutputLaw], data: Any, epsilon: float) -> WorstNeighbour:
    """The worst delta over the deletion and the insertion of every single row of `data`, an array of numbers, from the
    output laws alone.

    Every delta is that of `law_delta`, with its accuracy and its errors: 1e-11 for the random projections, whose laws
    carry their records. Raises `InputError` where there is no row. law: data -> the law of the output; epsilon >= 0.

    Examples
    --------
    >>> from ndis_verify.mechanisms import worst_neighbour
    >>> from ndis_verify.mechanisms import random_projection
    >>> mechanism = random_projection(5, epsilon=1.0, delta=1e-3, norm_bound=1.0)
    >>> worst = worst_neighbour(mechanism.output_law, [[0.6, 0.0], [0.0, 1.0]], 1.0)
    >>> worst.row, worst.direction, worst.delta <= 1e-3
    (1, 'delete', True)
    """
    require_function(law, "law")
    data = number_array(data, "data")
    if not (data.ndim and len(data)):
        raise InputError("data", f"shape {data.shape}", "must have a row to change")
    complete = law(data)
    worst = WorstNeighbour(0, "delete", -1.0)
    for row in range(len(data)):
        less = law(np.delete(data, row, axis=0))
        for direction, pair in (("delete", (complete, less)), ("insert", (less, complete))):
            delta = law_delta(*pair, epsilon)
            if delta > worst.delta:
                worst = WorstNeighbour(row, direction, delta)
    return worst


def _changed_record(first: OutputLaw, second: OutputLaw) -> tuple[OutputLaw, np.ndarray] | None:
    """The law of the larger database and the record that the other lacks; None where that is not all they differ by."""
    if (
        first.records is None
        or second.records is None
        or first.ridge != second.ridge
        or (first.mean != second.mean).any()
    ):
        return None
    gone, come = first._multiset - second._multiset, second._multiset - first._multiset
    if gone.total() + come.total() != 1:
        return None
    return first if gone else second, np.frombuffer(next((gone + come).elements()))


def _one_eigenvalue(whole: OutputLaw, record: np.ndarray, deleted: bool) -> Spectrum | None:
    """One column of the pair: eigenvalue 1/(1 - p) where P is the larger database, 1 - p where it is the smaller
    (N26-L4).

    None at p = 1, where the record is all there is in a direction.
    """
    if not record.any():
        return Spectrum([0.0])
    before, bits = flint.ctx.prec, _BITS
    try:
        while True:
            flint.ctx.prec = bits
            p, rest = _leverage(whole, record, bits)
            if rest == 0:
                return None
            if min(p.rel_accuracy_bits(), rest.rel_accuracy_bits()) >= _WANTED:
                break
            bits *= 2
        log = -((-p).log1p() if p < 0.5 else rest.log())  # of 1/(1 - p)
        alpha = min(float((p / rest).mid()), _MOST) if deleted else -float(p.mid())
        high = float(log.mid())
        wide = np.longdouble(high) + np.longdouble(float((log - high).mid()))
    finally:
        flint.ctx.prec = before
    return Spectrum([alpha], 0.0, 1, [min(wide, np.log(np.longdouble(_MOST)))] if deleted else [-wide])


def _leverage(whole: OutputLaw, record: np.ndarray, bits: int) -> tuple[flint.arb, flint.arb]:
    """p and 1 - p of a record of `whole`, in balls; 1 - p is 0 exactly where the rank falls with the record."""
    inverse, kept = whole._inverse(bits), whole._pivots
    if inverse is None:
        return flint.arb(0, 1), flint.arb(0, 1)
    column = _rational(record[kept][:, None])
    p = (flint.arb_mat(column.transpose()) * inverse * flint.arb_mat(column))[0, 0]
    rest = 1 - p
    if rest.contains(0) and (_minor(whole._covariance, kept) - column * column.transpose()).rank() < len(kept):
        rest = flint.arb(0)
    return p, rest


def _regular(law: OutputLaw) -> bool:
    """Whether floats show that a covariance of floats is positive definite."""
    return (
        law.records is None
        and law.exact is None
        and law.cov.dtype == np.float64
        and _float_rank(law.cov) == len(law.mean)
    )


def _float_rank(cov: np.ndarray) -> int:
    """Eigenvalues that rounding tells from 0, after scaling to unit diagonal."""
    diagonal = np.diagonal(cov)
    kept = diagonal > 0
    scale = np.sqrt(diagonal[kept])
    values = np.linalg.eigvalsh(_symmetric(cov)[np.ix_(kept, kept)] / scale[:, None] / scale)
    return int((values > 8 * np.finfo(float).eps * len(values)).sum())


def _exact_spectrum(first: OutputLaw, second: OutputLaw) -> Spectrum | None:
    """One column of the pair in coordinates in which both are regular; None where the supports differ."""
    for law in (first, second):
        cov = law._given[1]
        if law.records is None and cov.dtype == np.float64 and _float_rank(cov) != law._covariance.rank():
            rule = (
                "must be positive semidefinite, and singular exactly where rounding cannot tell; give records or"
                " Fractions"
            )
            raise InputError("cov", f"a matrix of shape {cov.shape}", rule)
    shift = np.subtract(*(as_exact(law._given[0]) for law in (first, second)))
    kept, d = first._pivots, len(shift)
    if second._covariance.rank() != len(kept) or (len(kept) < d and _joint_rank(first, second, shift) != len(kept)):
        return None
    if not kept:
        return Spectrum([0.0])
    return spectrum(GaussianPair(shift[kept], _fractions(first, kept), [0] * len(kept), _fractions(second, kept)))


def _joint_rank(first: OutputLaw, second: OutputLaw, shift: np.ndarray) -> int:
    """Of both covariances and the mean difference side by side."""
    parts = [matrix.table() for matrix in (first._covariance, second._covariance, _rational(shift[:, None]))]
    return flint.fmpq_mat([list(chain.from_iterable(rows)) for rows in zip(*parts)]).rank()


def _symmetric(cov: np.ndarray) -> np.ndarray:
    return (cov + cov.T) / 2


def _rational(matrix: np.ndarray) -> flint.fmpq_mat:
    entries = [flint.fmpq(x.numerator, x.denominator) for x in as_exact(exact_array(matrix, "law", 2)).ravel()]
    return flint.fmpq_mat(matrix.shape[0], matrix.shape[1], entries)


def _minor(matrix: flint.fmpq_mat, kept: list[int]) -> flint.fmpq_mat:
    return matrix if len(kept) == matrix.nrows() else flint.fmpq_mat([[matrix[i, j] for j in kept] for i in kept])


def _fractions(law: OutputLaw, kept: list[int]) -> np.ndarray:
    entries = [Fraction(int(x.p), int(x.q)) for x in _minor(law._covariance, kept).entries()]
    return np.array([*entries, None], dtype=object)[:-1].reshape(len(kept), len(kept))
