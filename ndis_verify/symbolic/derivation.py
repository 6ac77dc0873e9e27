"""A derivation: named steps, each an equation or inequality that SymPy decides, ending in a computable expression.

The number comes from the right-hand side of one of the steps, so derivation and number cannot drift apart; a
fault planted in a step is a fault in what `verify` checks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import mpmath
import numpy as np
import sympy as sp

from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.symbolic.block_algebra import BlockAlgebra
from ndis_verify.symbolic.zero import as_expression, is_zero

StepKind = Literal["definition", "identity", "argument"]
_RELATIONS = {"=": sp.Eq, ">=": sp.Ge, ">": sp.Gt, "<=": sp.Le, "<": sp.Lt}
_CEILING = 16


@dataclass(frozen=True, eq=False)
class Step:
    """One line of a derivation: `lhs relation rhs`, and why.

    kind "identity": decided. An equation holds when `reduce(lhs, rhs)`, by default lhs - rhs, is zero; with
    `algebra` it is decided by that block algebra's rules. An inequality holds when lhs - rhs equals `witness`
    identically and SymPy's assumptions give `witness` the sign.
    kind "definition": introduces notation, asserts nothing. kind "argument": prose, never counted as decided.
    """

    name: str
    why: str
    lhs: Any = None
    rhs: Any = None
    relation: str = "="
    witness: Any = None
    reduce: Callable[[Any, Any], Any] | None = None
    algebra: BlockAlgebra | None = None
    kind: StepKind = "identity"

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise InputError("relation", self.relation, "must be one of =, >=, >, <=, <")
        if self.kind == "identity" and (self.lhs is None or self.rhs is None):
            raise InputError("step", self.name, "an identity needs both sides")
        if self.kind == "identity" and self.relation != "=" and self.witness is None:
            raise InputError("step", self.name, "an inequality needs a witness")

    @property
    def statement(self) -> Any:
        """What a reader is shown: a SymPy relation, or the sentence where the step is prose."""
        if self.lhs is None:
            return self.why
        left, right = (
            sp.ImmutableMatrix(s) if isinstance(s, sp.MatrixBase) else as_expression(s) for s in (self.lhs, self.rhs)
        )
        if self.relation == "=":
            return sp.Eq(left, right, evaluate=False)
        return _RELATIONS[self.relation](left, right, evaluate=False)

    @property
    def text(self) -> str:
        """The statement on one line of plain text."""
        if self.lhs is None:
            return self.why
        return f"{self.lhs} {self.relation} {self.rhs}"

    def residual(self) -> Any:
        """The expression whose being zero the step asserts."""
        if self.kind != "identity":
            raise InputError("step", self.name, f"a step of kind {self.kind} asserts nothing that is decided")
        difference = self.lhs - self.rhs if self.reduce is None else self.reduce(self.lhs, self.rhs)
        return difference if self.relation == "=" else difference - self.witness

    @cached_property
    def holds(self) -> bool | None:
        """True, False, or None: undecided, or not a step that asserts anything."""
        if self.kind != "identity":
            return None
        if self.algebra is not None:
            return self.algebra.holds(self.residual())
        outcome = is_zero(self.residual())
        if outcome is not True or self.relation == "=":
            return outcome
        witness = as_expression(self.witness)
        sign = {
            ">": witness.is_positive,
            ">=": witness.is_nonnegative,
            "<": witness.is_negative,
            "<=": witness.is_nonpositive,
        }[self.relation]
        return sign


@dataclass(frozen=True, eq=False)
class Fault:
    """A planted error: in step `step`, the right-hand side becomes `change(rhs)`."""

    name: str
    step: str
    change: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Derivation:
    """Steps from hypotheses to `result`, the right-hand side of step `result_step`.

    `symbols` maps each argument of `number` to its symbol; `domain` are relations between them that must hold
    beyond their declared assumptions. `covers` says, for each claim, how much of it the decided steps carry:
    "whole" (with the argument steps named in the derivation) or which part.
    """

    id: str
    title: str
    sources: tuple[str, ...]
    hypotheses: tuple[str, ...]
    steps: tuple[Step, ...]
    result_step: str
    symbols: Mapping[str, sp.Symbol]
    domain: tuple[Any, ...] = ()
    faults: tuple[Fault, ...] = ()
    covers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [step.name for step in self.steps]
        if len(set(names)) != len(names):
            raise InputError("steps", self.id, "step names must be distinct")
        for fault in self.faults:
            self.step(fault.step)
        missing = as_expression(self.result).free_symbols - set(self.symbols.values())
        if missing:
            raise InputError("symbols", self.id, f"the result also has {sorted(map(str, missing))}")

    def step(self, name: str) -> Step:
        """The step called `name`."""
        for step in self.steps:
            if step.name == name:
                return step
        raise InputError("step", name, f"must be one of {[step.name for step in self.steps]}")

    @property
    def result(self) -> sp.Expr:
        """The expression that the derivation ends in."""
        return self.step(self.result_step).rhs

    def verify(self) -> list[tuple[Step, bool | None]]:
        """Every step with True, False, or None (undecided, a definition or an argument)."""
        return [(step, step.holds) for step in self.steps]

    @property
    def proved(self) -> bool:
        """Whether every step that asserts something was decided True."""
        return all(step.holds is True for step in self.steps if step.kind == "identity")

    @property
    def arguments(self) -> tuple[Step, ...]:
        """The steps that are prose: standard facts used, not decided by SymPy."""
        return tuple(step for step in self.steps if step.kind == "argument")

    def with_fault(self, step_name: str, rhs: Any) -> Derivation:
        """The derivation with the right-hand side of one identity replaced; `verify` must reject it."""
        target = self.step(step_name)
        if target.kind != "identity":
            raise InputError("step", step_name, "only an identity can carry a fault")
        if rhs == target.rhs:
            raise InputError("rhs", str(rhs), "must differ from the original right-hand side")
        steps = tuple(dataclasses.replace(step, rhs=rhs) if step is target else step for step in self.steps)
        return dataclasses.replace(self, steps=steps, faults=())

    def mutants(self) -> dict[str, Derivation]:
        """Each named fault, planted."""
        return {
            fault.name: self.with_fault(fault.step, fault.change(self.step(fault.step).rhs)) for fault in self.faults
        }

    def number(self, digits: int | None = None, **values: Any) -> Any:
        """`result` at the given argument values.

        digits None: float64 through numpy/scipy, arrays allowed. Otherwise an mpf in which two evaluations, one
        at more than twice the working precision of the other, agree to `digits` significant digits; inputs are
        taken exactly (see `exact_number.exact`). Raises `InputError` for missing or unknown arguments.
        """
        if set(values) != set(self.symbols):
            raise InputError("arguments", str(sorted(values)), f"must be exactly {sorted(self.symbols)}")
        symbols = list(self.symbols.values())
        if digits is None:
            floats = [np.asarray(values[name], dtype=np.float64) for name in self.symbols]
            _require_domain(self, floats)
            return self._float_function(*(array if array.ndim else float(array) for array in floats))
        if not isinstance(digits, int) or digits < 1:
            raise InputError("digits", digits, "must be a positive integer")
        given = [exact(values[name], name) for name in self.symbols]
        _require_domain(self, [np.asarray(value, dtype=object) for value in given])
        return _settled(sp.lambdify(symbols, self.result, modules="mpmath"), given, digits)

    @cached_property
    def _float_function(self) -> Callable[..., Any]:
        # The printed maximum does not broadcast; the same value through the absolute value does.
        plain = self.result.replace(sp.Max, lambda first, second: (first + second + sp.Abs(first - second)) / 2)
        return sp.lambdify(list(self.symbols.values()), plain, modules=["scipy", "numpy"])


def _require_domain(derivation: Derivation, arrays: list[np.ndarray]) -> None:
    symbols = list(derivation.symbols.values())
    for name, symbol, array in zip(derivation.symbols, symbols, arrays):
        for entry in array.flat:
            if array.dtype != object and not np.isfinite(entry):
                raise InputError(name, float(entry), "must be finite")
            if (symbol.is_positive and not entry > 0) or (symbol.is_nonnegative and not entry >= 0):
                raise InputError(name, str(entry), "must be positive" if symbol.is_positive else "must not be negative")
            if symbol.is_negative and not entry < 0:
                raise InputError(name, str(entry), "must be negative")
            if symbol.is_integer and entry != int(entry):
                raise InputError(name, str(entry), "must be an integer")
    for relation in derivation.domain:
        holds = sp.lambdify(symbols, relation, modules="mpmath")
        for entries in np.broadcast(*arrays):
            with mpmath.workdps(50):
                numbers = [to_mpf(exact(entry)) for entry in entries]
                if not holds(*numbers):
                    shown = ", ".join(f"{name} = {mpmath.nstr(x, 8)}" for name, x in zip(derivation.symbols, numbers))
                    raise InputError("values", shown, f"must satisfy {relation}")


def _settled(function: Callable[..., Any], given: list[Any], digits: int) -> mpmath.mpf:
    working = digits + 15
    previous = None
    for _ in range(_CEILING):
        with mpmath.workdps(working):
            current = mpmath.mpmathify(function(*(to_mpf(value) for value in given)))
            if not mpmath.isfinite(current):
                raise InputError("values", str(given), "the result is not finite there")
            if previous is not None and abs(current - previous) <= abs(current) * mpmath.mpf(10) ** (-digits - 1):
                return current
        previous, working = current, 2 * working + 10
        if working > 60 * digits + 2000:
            break
    raise InputError("digits", digits, "cannot be settled at the ceiling of the working precision")
