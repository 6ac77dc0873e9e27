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
from ndis_verify.symbolic.whole_numbers import be_cautious
from ndis_verify.symbolic.zero import is_zero

be_cautious()

_HEAD = ") -> Derivation:"


@cache
def builders() -> tuple[Callable[[], Derivation], ...]:
    """The functions that build the derivations: by file, then in the order of the file."""
    return tuple(build for module in loaded(__name__, _HEAD) for build in _built_in(module))


def _built_in(module: ModuleType) -> list[Callable[[], Derivation]]:
    return [value for key, value in vars(module).items() if not key.startswith("_") and _builds(value, module)]


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
    """The derivations that carry some part of `claim` (an id such as "N26-L4"); `Derivation.claims` says how much.

    Only the files that name the id are loaded.
    """
    built = (build() for module in loaded(__name__, f'"{claim}"') for build in _built_in(module))
    return tuple(derivation for derivation in built if claim in derivation.claims)


__all__ = ["Derivation", "Fault", "Step", "all_derivations", "builders", "derivations_for", "is_zero"]
