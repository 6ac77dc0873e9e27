"""What all calibrators share: a target is given by name, and one that needs no noise is not answered in silence."""

from __future__ import annotations

import functools
import inspect
import reprlib
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class NoNoiseNeeded(UserWarning):
    """The noise level given back is none, or next to none: any mechanism meets the target, or the declared shift is 0.

    No error: the level is right. But epsilon and delta exchanged, or sensitivities that are 0 by mistake, end here too.
    """


def keyword_only(function: F) -> F:
    """What stands behind `*` in the signature is given by name; for one release by place too, but deprecated.

    The warning names the call that will stay, with its values: (1, 1e-5, 1) says there that its delta is 1.
    """
    parameters = inspect.signature(function).parameters.values()
    placed = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    named = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        by_place = args[len(placed) :]
        if not by_place or len(by_place) > len(named):
            return function(*args, **kwargs)
        given = dict(zip(named, by_place))
        shown = [name for name in placed if name != "self"] + [
            f"{name}={reprlib.repr(value)}" for name, value in given.items()
        ]
        name = function.__qualname__.removesuffix(".__init__")
        message = f"{name}({', '.join(shown)}): {', '.join(given)} by place is deprecated, pass by name"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return function(*args[: len(placed)], **given, **kwargs)

    return cast(F, call)


def say_where_needless(calibrator: str, needless: Any, reason: str) -> None:
    """A `NoNoiseNeeded` with the reason if any of the targets asks for no noise; for what `keyword_only` wraps."""
    several = getattr(needless, "ndim", 0) > 0  # an array of numpy's
    if needless.any() if several else needless:
        share = f" ({int(needless.sum())} of {needless.size} targets)" if several else ""
        warnings.warn(f"{calibrator}: no noise is needed because {reason}{share}", NoNoiseNeeded, stacklevel=4)
