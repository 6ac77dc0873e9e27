"""A standard fact as a record: what it says of its letters, under which conditions, and where it is proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Instance = tuple[Any, str, Any]  # left, sign, right


@dataclass(frozen=True)
class Fact:
    """A standard fact. `conditions`: by name, in words; `instance`: letters -> (left, sign, right).

    `required`: condition -> what the step that shows it has to say at the letters; a right side None may be anything.
    """

    text: str
    tex: str
    letters: tuple[str, ...]
    conditions: Mapping[str, str]
    reference: str
    instance: Callable[[Mapping[str, Any]], Instance]
    required: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = field(default_factory=dict)
