"""Statements on float64 columns: the domain that their hypotheses leave, and the margin that an attack minimises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import erf, erfc

from ndis_verify.court.attack import Problem
from ndis_verify.court.domain import Condition, Domain, Parameter, Point, continuous, integer
from ndis_verify.court.scaled_floats import (
    Scaled,
    absolute,
    added,
    divided,
    exponential,
    from_log,
    larger,
    logarithm,
    multiplied,
    normal_cdf,
    power,
    relative_excess,
    scaled,
    upper_gamma,
)
from ndis_verify.court.statement_balls import ExactMargin, admits, length
from ndis_verify.exact_number import InputError
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta
from ndis_verify.statements.json_form import to_json
from ndis_verify.statements.statement import Claimed, Relation, Statement, Variable
from ndis_verify.statements.terms import Term, coordinate_names

_ENGINE = 1e-11  # relative error granted to the logarithm of the contour engine
_EXTREMUM_POINTS = 9
TOLERANCE = 1e-9
Values = Mapping[str, Any]  # name -> Scaled, or a list of them


def _unknown(count: int) -> Scaled:
    return scaled(np.zeros(count), np.inf)


def _spectrum_divergence(lams: list[Scaled], counts: list[Scaled], epsilon: Scaled, shift: Any = None) -> Scaled:
    """The contour integral of the pair with relative eigenvalues `lams`; nothing is known outside its domain.

    delta(eps) = 1 - e^eps + e^eps delta'(-eps), delta' of the pair turned round, gives negative epsilon.
    """
    lam, count = (np.stack([x.value() for x in xs], axis=-1) for xs in (lams, counts))
    eps = epsilon.value()
    rows = len(eps)
    square = np.zeros(lam.shape) if shift is None else np.square(shift.value())[:, None]
    whole = (count == np.floor(count)) & (count >= 1)
    good = (np.isfinite(lam) & (lam > 0) & whole & np.isfinite(square)).all(axis=-1) & np.isfinite(eps)
    lam, count = np.where(good[:, None], lam, 1.0), np.where(good[:, None], count, 1.0)
    square, eps = np.where(good[:, None], square, 1.0), np.where(good, eps, 0.0)
    turned = (eps < 0)[:, None]
    logs = np.where(turned, -np.log(lam), np.log(lam))
    squares = np.where(turned, square / lam, square)
    laws = Spectrum(np.expm1(logs), squares, count, logs)
    log = to_log_delta(log_entries(laws, np.arange(rows), np.abs(eps)))
    log = np.where((logs == 0).all(axis=-1) & (squares == 0).all(axis=-1), -np.inf, log)
    same = from_log(log, _ENGINE * np.maximum(1.0, np.where(np.isfinite(log), np.abs(log), 0.0)))
    growth = exponential(scaled(np.minimum(eps, 0.0)))
    other = added(scaled(-np.expm1(np.minimum(eps, 0.0))), multiplied(growth, same))
    picked = [np.where(eps >= 0, getattr(same, f), getattr(other, f)) for f in ("mantissa", "exponent", "error")]
    return Scaled(picked[0], picked[1], np.where(good, picked[2], np.inf))


def _mean_shift(shift: Scaled, epsilon: Scaled) -> Scaled:
    one = scaled(np.ones(np.shape(shift.mantissa)))
    found = _spectrum_divergence([one], [one], epsilon, shift)
    return Scaled(found.mantissa, found.exponent, np.where(shift.value() >= 0, found.error, np.inf))


def _projection(leverage: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    p = leverage.value()
    lam = 1 - p if insert else 1 / np.where(p < 1, 1 - p, np.nan)
    found = _spectrum_divergence([scaled(lam)], [r], epsilon)
    return Scaled(found.mantissa, found.exponent, np.where(p >= 0, found.error, np.inf))


def _special(function: Callable[..., Any], slope: float) -> Callable[[Scaled], Scaled]:
    def apply(x: Scaled) -> Scaled:
        value = function(x.value())
        return scaled(value, slope * x.slack() + 1e-15 + 1e-15 * np.abs(value))

    return apply


def _centred_reverse(lams: list[Scaled], counts: list[Scaled], epsilon: Scaled) -> Scaled:
    return _spectrum_divergence([divided(scaled(np.ones(len(lam.value()))), lam) for lam in lams], counts, epsilon)


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
    "erf": _special(erf, 1.13),
    "erfc": _special(erfc, 1.13),
    "gamma_q": upper_gamma,
    "mean_shift": _mean_shift,
    "projection": _projection,
    "projection_insert": lambda p, r, eps: _projection(p, r, eps, True),
    "centred": _spectrum_divergence,
    "centred_reverse": _centred_reverse,
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
        case "pow":
            if term.args[1].head != "number":
                exponent, base = (
                    value_on(term.args[1], values, rows, index),
                    value_on(term.args[0], values, rows, index),
                )
                return exponential(multiplied(exponent, logarithm(base)))
            return power(value_on(term.args[0], values, rows, index), float(term.args[1].number))
    return FLOATS[term.head](*(value_on(arg, values, rows, index) for arg in term.args))


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

    def stated(self) -> str:
        """The statement as text: a kept attack is of this one."""
        return to_json(self.statement)

    def __call__(self, **columns: Any) -> np.ndarray:
        rows = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            values = columns_of(self.statement, columns)
            for name, term in self.statement.where:
                values[name] = value_on(term, values, rows)
            margin, error = _claimed_margin(self.statement.claimed, values, rows)
            loss = np.maximum(-margin, 0.0)
            explained = TOLERANCE * np.where(np.isfinite(error), loss / np.maximum(error, loss + 1e-300), 0.0)
            return np.where(margin < 0, -np.maximum(loss - error, 0.0) - explained, margin)


def columns_of(statement: Statement, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The variables as Scaled columns; laws are normalised."""
    values: dict[str, Any] = {}
    for v in statement.variables:
        if not v.is_vector:
            values[v.name] = scaled(columns[v.name])
            continue
        parts = [np.asarray(columns[f"{v.name}_{i + 1}"], dtype=float) for i in range(v.size)]
        total = np.sum(parts, axis=0) if v.kind == "law" else 1.0
        error = 2.0**-50 if v.kind == "law" else 0.0
        values[v.name] = [scaled(part / total, part / total * error) for part in parts]
    return values


def _claimed_margin(claimed: Claimed, values: Values, rows: int) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(claimed, Relation):
        left, right = (value_on(term, values, rows) for term in claimed.terms)
        if claimed.sign in ("<", "<="):
            left, right = right, left
        margin, error = relative_excess(left, right)
        return (-np.abs(margin), error) if claimed.sign == "=" else (margin, error)
    found = [_claimed_margin(part, values, rows) for part in claimed.parts]
    if claimed.how == "iff":
        (a, a_error), (b, b_error) = found
        apart = np.minimum(np.maximum(np.abs(a) - a_error, 0), np.maximum(np.abs(b) - b_error, 0))
        return np.where((a >= 0) == (b >= 0), apart, -apart), np.zeros(rows)
    worst = np.argmin([np.where(m < 0, np.minimum(m + e, 0), m) for m, e in found], axis=0)
    pick = lambda k: np.choose(worst, [pair[k] for pair in found])  # noqa: E731
    return pick(0), pick(1)


def domain_of(statement: Statement) -> Domain:
    """The ranges of the variables, cut down by the hypotheses and by nothing else."""
    parameters = [p for v in statement.variables for p in _parameters(v, statement)]
    constraints = [_condition(h, statement) for h in statement.hypotheses]
    return Domain(tuple(parameters), tuple(constraints))


def problem_of(statement: Statement, name: str, **options: Any) -> Problem:
    """What an attack on the statement searches; its certificate decides points in ball arithmetic."""
    options = {"tolerance": TOLERANCE, **options}
    return Problem(name, StatementMargin(statement), domain_of(statement), certify=ExactMargin(statement), **options)


def _parameters(v: Variable, statement: Statement) -> list[Parameter]:
    low, high = v.low, v.high
    for h in statement.hypotheses:
        for side, other, signs in ((h.left, h.right, (">", ">=")), (h.right, h.left, ("<", "<="))):
            if side.head in ("variable", "coordinate") and side.name == v.name and other.head == "number":
                low = max(low, other.number) if h.sign in signs else low
                high = min(high, other.number) if h.sign in ("<", "<=", ">", ">=") and h.sign not in signs else high
    names = [f"{v.name}_{i + 1}" for i in range(v.size)] if v.is_vector else [v.name]
    if v.kind in ("integer", "integers"):
        scale: Literal["linear", "log"] = "log" if v.scale == "log" else "linear"
        return [integer(name, -(-low.numerator // low.denominator), high.__floor__(), scale) for name in names]
    return [continuous(name, low, high, v.scale) for name in names]


def _condition(hypothesis: Relation, statement: Statement) -> Condition:
    def holds(**columns: Any) -> np.ndarray:
        rows = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            values = columns_of(statement, columns)
            for name, term in statement.where:
                values[name] = value_on(term, values, rows)
            sizes = [length(t, values) for t in hypothesis.terms if coordinate_names(t)]
            each = range(sizes[0]) if sizes else [None]
            return np.all([_holds(hypothesis, values, rows, i) for i in each], axis=0)

    return Condition(hypothesis.plain(), holds, lambda **point: admits(statement, hypothesis, point))


def _holds(hypothesis: Relation, values: Values, rows: int, index: int | None) -> np.ndarray:
    left, right = (value_on(term, values, rows, index).value() for term in hypothesis.terms)
    compare = {"=": np.equal, "<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater}
    return compare[hypothesis.sign](left, right)


def point_of(statement: Statement, values: Mapping[str, Any]) -> Point:
    """Exact values by variable (a list for a vector) as a point of the statement's domain."""
    flat: dict[str, Any] = {}
    for v in statement.variables:
        given = values[v.name]
        flat |= {f"{v.name}_{i + 1}": x for i, x in enumerate(given)} if v.is_vector else {v.name: given}
    return domain_of(statement).exact_point(flat)
