"""The quantities of the line protocol: their names, the names of their inputs and the shape of each input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ndis_verify.exact_number import MAX_DIGITS as MAX_NUMBER_LENGTH
from ndis_verify.exact_number import InputError, exact

MAX_DIMENSION = 1_000_000
MAX_DENSE_DIMENSION = 2_000
MAX_COUNT = 10**12
MAX_EPSILON = 10**20
Answer = tuple[str, str, str]  # value, radius, basis


@dataclass(frozen=True)
class Quantity:
    """A quantity and, for each input, the function that checks its JSON type (TypeError, OverflowError)."""

    name: str
    inputs: dict[str, Callable[[Any], Any]]


def number(value: Any) -> Any:
    """A decimal string, or a JSON integer."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TypeError("must be a number written as a decimal string")
    if isinstance(value, str) and len(value) > MAX_NUMBER_LENGTH:
        raise OverflowError(f"a number must have at most {MAX_NUMBER_LENGTH} characters")
    return value


def epsilon(value: Any) -> Any:
    """A number of magnitude at most `MAX_EPSILON`: beyond it an evaluation takes the digits of epsilon itself."""
    try:
        if abs(exact(number(value))) > MAX_EPSILON:
            raise OverflowError("must be at most 1e20 in magnitude")
    except InputError:
        pass  # no number: the engine says so
    return value


def count(value: Any) -> int:
    """A positive integer, as a JSON integer or a string of digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("must be a positive integer")
    if abs(value) > MAX_COUNT:
        raise OverflowError(f"must be at most {MAX_COUNT}")
    return value


def vector(value: Any) -> list[Any]:
    """A list of numbers."""
    if not isinstance(value, list):
        raise TypeError("must be a list of numbers")
    if len(value) > MAX_DIMENSION:
        raise OverflowError(f"must have at most {MAX_DIMENSION} entries")
    return [number(entry) for entry in value]


def covariance(value: Any) -> Any:
    """A number (times the identity), a list (a diagonal) or a list of rows."""
    if not isinstance(value, list):
        return number(value)
    if not any(isinstance(row, list) for row in value):
        return vector(value)
    if len(value) > MAX_DENSE_DIMENSION:
        raise OverflowError(f"a dense matrix must have at most {MAX_DENSE_DIMENSION} rows")
    return [vector(row) for row in value]


def direction(value: Any) -> str:
    """`delete` (P from the larger database) or `insert` (P from the smaller)."""
    if value not in ("delete", "insert"):
        raise TypeError("must be 'delete' or 'insert'")
    return value


_PAIR = {"mean_p": vector, "cov_p": covariance, "mean_q": vector, "cov_q": covariance}
_CHI2: dict[str, Callable[[Any], Any]] = {
    "weights": vector,
    "dofs": vector,
    "noncentralities": vector,
    "std": number,
    "shift": number,
    "x": number,
}

_LEAST_SQUARES: dict[str, Callable[[Any], Any]] = {
    "leverage": number,
    "augmented_leverage": number,
    "d": count,
    "r": count,
    "epsilon": epsilon,
    "direction": direction,
}

QUANTITIES: dict[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("hockey_stick", {**_PAIR, "epsilon": epsilon}),
        Quantity("log_hockey_stick", {**_PAIR, "epsilon": epsilon}),
        Quantity("epsilon_for_delta", {**_PAIR, "delta": number}),
        Quantity("generalized_chi2_cdf", _CHI2),
        Quantity("generalized_chi2_sf", _CHI2),
        Quantity("gaussian_hockey_stick", {"sensitivity": number, "std": number, "epsilon": epsilon}),
        Quantity("gaussian_std", {"sensitivity": number, "epsilon": epsilon, "delta": number}),
        Quantity("rp_hockey_stick", {"leverage": number, "r": count, "epsilon": epsilon, "direction": direction}),
        Quantity("rp_leverage", {"r": count, "epsilon": epsilon, "delta": number}),
        Quantity("rp_ridge", {"norm_bound": number, "r": count, "epsilon": epsilon, "delta": number}),
        Quantity("als_hockey_stick", _LEAST_SQUARES),
        Quantity("als_exact_hockey_stick", _LEAST_SQUARES),
    )
}
