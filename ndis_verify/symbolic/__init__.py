"""The symbolic witness: derivations in SymPy, one file per subject, each ending in an expression that computes.

Nothing here is taken from the other witnesses. A derivation is a public function that needs no argument and is
annotated to return a `Derivation`; it is found, not registered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from types import ModuleType
from typing import Any

from ndis_verify.discovery import loaded
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.zero import is_zero


@cache
def builders() -> tuple[Callable[[], Derivation], ...]:
    """The functions that build the derivations: by file, then in the order of the file."""
    found: list[Callable[[], Derivation]] = []
    for module in loaded(__name__, ") -> Derivation:"):
        found += [value for key, value in vars(module).items() if not key.startswith("_") and _builds(value, module)]
    return tuple(found)


def _builds(value: Any, module: ModuleType) -> bool:
    if not callable(value) or getattr(value, "__module__", None) != module.__name__:
        return False
    if getattr(value, "__annotations__", {}).get("return") != "Derivation":
        return False
    return all(parameter.default is not parameter.empty for parameter in signature(value).parameters.values())


def all_derivations() -> tuple[Derivation, ...]:
    """Every derivation of the package, built once."""
    return tuple(build() for build in builders())


def derivations_for(claim: str) -> tuple[Derivation, ...]:
    """The derivations that carry some part of `claim` (an id such as "N26-L4"); `claims` says how much."""
    return tuple(derivation for derivation in all_derivations() if claim in derivation.claims)


__all__ = ["Derivation", "Fault", "Step", "all_derivations", "builders", "derivations_for", "is_zero"]
