"""Statements on float64 columns: the margin that an attack minimises, and whether a hypothesis holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import erf, erfc

from ndis_verify.court.quantities.rooms import ROOMS, quantity, rooms_of
from ndis_verify.court.scaled_floats import (
    Scaled,
    absolute,
    added,
    chi2_density,
    divided,
    exponential,
    gamma_function,
    larger,
    logarithm,
    lower_gamma,
    multiplied,
    normal_cdf,
    normal_density,
    normal_quantile,
    power,
    relative_excess,
    scaled,
    upper_gamma,
)
from ndis_verify.court.statement_arrays import ARRAYS, Arithmetic, Multiple, applied, assembled, is_array, scalar_sides
from ndis_verify.exact_number import InputError
from ndis_verify.statements.calculus import differentiated
from ndis_verify.statements.statement import Claimed, Relation, Statement, plain_relations
from ndis_verify.statements.terms import Term, arguments_of, coordinate_names, length

_EXTREMUM_POINTS = 9
TOLERANCE = 1e-9
Values = Mapping[str, Any]  # name -> Scaled, or a list of them


def _special(function: Callable[..., Any], slope: float) -> Callable[[Scaled], Scaled]:
    def apply(x: Scaled) -> Scaled:
        value = function(x.value())
        return scaled(value, slope * x.slack() + 1e-15 + 1e-15 * np.abs(value))

    return apply


FLOATS: Mapping[str, Callable[..., Scaled]] = {
    "neg": lambda x: Scaled(-x.mantissa, x.exponent, x.error),
    "add": added,
    "sub": lambda x, y: added(x, y, -1.0),
    "mul": multiplied,
    "div": divided,
    "exp": exponential,
    "log": logarithm,
    "sqrt": lambda x: power(x, 0.5),
    "abs": absolute,
    "max": larger,
    "min": lambda x, y: larger(x, y, -1.0),
    "Phi": normal_cdf,
    "Phi_inverse": normal_quantile,
    "phi": normal_density,
    "erf": _special(erf, 1.13),
    "erfc": _special(erfc, 1.13),
    "gamma": gamma_function,
    "gamma_q": upper_gamma,
    "gamma_p": lower_gamma,
    "chi2_density": chi2_density,
}


def value_on(term: Term, values: Values, rows: int, index: int | None = None) -> Any:
    """The Scaled column of `term` (a list of them for a vector)."""
    match term.head:
        case "number":
            return scaled(np.full(rows, float(term.number)), abs(float(term.number)) * 2.0**-53)
        case "variable":
            return values[term.name]
        case "coordinate":
            if index is None:
                raise InputError("coordinate", term.name, "must stand inside a sum, a product or a relation")
            return values[term.name][index]
        case "sum" | "product":
            parts = [value_on(term.args[0], values, rows, i) for i in range(length(term, values))]
            found = parts[0]
            for part in parts[1:]:
                found = added(found, part) if term.head == "sum" else multiplied(found, part)
            return found
        case "sup" | "inf":
            return _extremum(term, values, rows, index)
        case "identity":
            return Multiple(scaled(np.ones(rows)))
        case "pi":
            return scaled(np.full(rows, np.pi), 2.0**-51)
        case "derivative":
            nothing = multiplied(scaled(np.zeros(rows)), value_on(term.args[0], values, rows, index))  # nan without one
            return added(value_on(differentiated(term.args[0], term.name), values, rows, index), nothing)
        case "pow":
            if term.args[1].head != "number":
                exponent, base = (
                    value_on(term.args[1], values, rows, index),
                    value_on(term.args[0], values, rows, index),
                )
                return exponential(multiplied(exponent, logarithm(base)))
            raised = value_on(term.args[0], values, rows, index)
            if is_array(raised):
                return applied("pow", [raised, term.args[1].number], _entries(rows))
            return power(raised, float(term.args[1].number))
    args = arguments_of(term, values, lambda arg, i: value_on(arg, values, rows, i), index)
    if term.head in ROOMS:
        return quantity("float", term.head)(*args)
    if term.head in ARRAYS or any(map(is_array, args)):
        return applied(term.head, args, _entries(rows))
    return FLOATS[term.head](*args)


def _entries(rows: int) -> Arithmetic:
    """The arithmetic of the entries of matrices."""

    def of(head: str, *args: Any) -> Scaled:
        return scaled(np.full(rows, float(args[0]))) if head == "number" else FLOATS[head](*args)

    return of


def _extremum(term: Term, values: Values, rows: int, index: int | None) -> Scaled:
    """The largest or least value at a few points of the interval, its ends included: enough to search with."""
    low, high = (value_on(arg, values, rows, index) for arg in term.args[:2])
    found: Any = None
    for share in np.linspace(0, 1, _EXTREMUM_POINTS):
        at = scaled((1 - share) * low.value() + share * high.value())
        value = value_on(term.args[2], {**values, term.name: at}, rows, index)
        found = value if found is None else larger(found, value, 1.0 if term.head == "sup" else -1.0)
    return found


@dataclass(frozen=True)
class StatementMargin:
    """The margin of a statement on float columns: below -TOLERANCE only by more than the rounding errors explain, and
    within it by the share of them that is met, so that a search knows where to go.

    Relations give the relative excess of the larger side, equalities minus the relative distance.
    """

    statement: Statement

    def rests_on(self) -> frozenset[str]:
        """The modules of its quantities, which no import names."""
        return rooms_of(self.statement, "float")

    def __call__(self, **columns: Any) -> np.ndarray:
        rows = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            values = values_on(self.statement, columns, rows)
            margin, error = _claimed_margin(self.statement.claimed, values, rows)
            loss = np.maximum(-margin, 0.0)
            explained = TOLERANCE * np.where(np.isfinite(error), loss / np.maximum(error, loss + 1e-300), 0.0)
            return np.where(margin < 0, -np.maximum(loss - error, 0.0) - explained, margin)


def columns_of(statement: Statement, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The variables as Scaled columns; laws are normalised."""
    values: dict[str, Any] = {}
    for v in statement.variables:
        parts = [np.asarray(columns[name], dtype=float) for name in v.entries]
        if not v.is_vector:
            values[v.name] = assembled(v, list(map(scaled, parts)), _entries(len(parts[0])))
            continue
        total = np.sum(parts, axis=0) if v.kind == "law" else 1.0
        error = 2.0**-50 if v.kind == "law" else 0.0
        values[v.name] = [scaled(part / total, part / total * error) for part in parts]
    return values


def values_on(
    statement: Statement, columns: Mapping[str, Any], rows: int, spoken_in: Sequence[Term] | None = None
) -> dict[str, Any]:
    """The variables and the named terms; those alone that some terms speak of, where these are given."""
    values = columns_of(statement, columns)
    for name, term in statement.named_in(spoken_in):
        values[name] = value_on(term, values, rows)
    return values


def _claimed_margin(claimed: Claimed, values: Values, rows: int) -> tuple[np.ndarray, np.ndarray]:
    margin, error, _ = _judged(claimed, values, rows)
    return margin, error


def _judged(claimed: Claimed, values: Values, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The margin, its error, and whether the relation holds as far as floats tell: an equality within its error."""
    if isinstance(claimed, Relation):
        parts = [_margin(claimed.sign, *sides) for sides in _sides(claimed, values, rows)]
        margin, error = parts[0] if len(parts) == 1 else _worst(parts, [claimed] * len(parts))
        strict = claimed.sign in ("<", ">")
        return margin, error, margin > 0 if strict else margin + error * (claimed.sign == "=") >= 0
    found = [_judged(part, values, rows) for part in claimed.parts]
    if claimed.how == "and":
        margin, error = _worst([(m, e) for m, e, _ in found], claimed.parts)
        return margin, error, np.all([holds for _, _, holds in found], axis=0)
    (a, a_error, a_holds), (b, b_error, b_holds) = found
    alike = a_holds == b_holds
    sure = (np.abs(a) > a_error) & (np.abs(b) > b_error)  # at an edge floats are not: what is 0 may be a tail
    near = np.minimum(np.maximum(np.abs(a) - a_error, 0), np.maximum(np.abs(b) - b_error, 0))
    far = np.maximum(np.abs(a), np.abs(b))
    return np.where(alike, near, -far), np.where(alike | sure, 0.0, far), alike


def _sides(relation: Relation, values: Values, rows: int, index: int | None = None) -> list[tuple[Scaled, Scaled]]:
    left, right = (value_on(term, values, rows, index) for term in relation.terms)
    return scalar_sides(left, relation.sign, right, _entries(rows))


def _margin(sign: str, left: Scaled, right: Scaled) -> tuple[np.ndarray, np.ndarray]:
    if sign in ("<", "<="):
        left, right = right, left
    margin, error = relative_excess(left, right)
    return (-np.abs(margin), error) if sign == "=" else (margin, error)


def _worst(found: Sequence[tuple[np.ndarray, np.ndarray]], parts: Sequence[Claimed]) -> tuple[np.ndarray, np.ndarray]:
    # A part that holds without any rounding, and an equality, whose margin is never more than 0, hide no other.
    sure = [
        np.where(
            (m + e >= 0) & ((m == 0) & (e == 0) & (not _is_strict(part)) | _is_equality(part)),
            np.inf,
            np.where(m < 0, np.minimum(m + e, 0), m),
        )
        for part, (m, e) in zip(parts, found, strict=True)
    ]
    worst = np.argmin(sure, axis=0)
    pick = lambda k: np.take_along_axis(np.array([pair[k] for pair in found]), worst[None], axis=0)[0]  # noqa: E731
    return pick(0), pick(1)


def _is_equality(claimed: Claimed) -> bool:
    return isinstance(claimed, Relation) and claimed.sign == "="


def _is_strict(claimed: Claimed) -> bool:
    """Whether a margin of 0 may break it."""
    return any(relation.sign in ("<", ">") for relation in plain_relations(claimed))


@dataclass(frozen=True)
class Holds:
    """Whether a hypothesis of a statement holds on float columns."""

    hypothesis: Relation
    statement: Statement

    def rests_on(self) -> frozenset[str]:
        """The modules of its quantities, which no import names."""
        return rooms_of(self.statement, "float")

    def __call__(self, **columns: Any) -> np.ndarray:
        rows = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            values = values_on(self.statement, columns, rows, self.hypothesis.terms)
            sizes = [length(t, values) for t in self.hypothesis.terms if coordinate_names(t)]
            each = range(sizes[0]) if sizes else [None]
            return np.all([_holds(self.hypothesis, values, rows, i) for i in each], axis=0)


def _holds(hypothesis: Relation, values: Values, rows: int, index: int | None) -> np.ndarray:
    compare = {"=": np.equal, "<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater}
    sides = _sides(hypothesis, values, rows, index)
    known = [np.isfinite(side.error) for pair in sides for side in pair]  # a side without a value holds nowhere
    return np.all([*known, *(compare[hypothesis.sign](left.value(), right.value()) for left, right in sides)], axis=0)
