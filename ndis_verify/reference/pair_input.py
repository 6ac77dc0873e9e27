"""A Gaussian pair as a person gives it: a JSON file, or flags on the command line."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.plain_text import no_doubles
from ndis_verify.reference.quantities import covariance, vector
from ndis_verify.runs.files import read_regular

_NAMES = ("mean_p", "cov_p", "mean_q", "cov_q")
MAX_FILE_BYTES = 256 * 2**20


def read_pair(arguments: argparse.Namespace) -> GaussianPair:
    """The pair of `--pair FILE`, or of the four flags `--mean-p --cov-p --mean-q --cov-q`."""
    flags = {name: getattr(arguments, name) for name in _NAMES}
    given = [name for name, text in flags.items() if text is not None]
    if arguments.pair is not None:
        if given:
            raise InputError("--pair", str(arguments.pair), f"excludes --{given[0].replace('_', '-')}")
        return pair_from_file(arguments.pair)
    absent = [name for name in _NAMES if name not in given]
    if absent:
        raise InputError(f"--{absent[0].replace('_', '-')}", "absent", "give --pair FILE or all four of the flags")
    return GaussianPair(*(_from_flag(flags[name], name) for name in _NAMES))


def pair_from_file(path: Path) -> GaussianPair:
    """The pair in a JSON file; numbers may be decimal strings or JSON numbers, read as the decimals they are."""
    content = read_regular(path, MAX_FILE_BYTES, argument="--pair", follow=True)
    try:
        data = json.loads(content, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=no_doubles)
    except (ValueError, RecursionError) as error:
        raise InputError("--pair", str(path), f"is not JSON: {error}") from None
    if not isinstance(data, dict) or set(data) != set(_NAMES):
        raise InputError("--pair", str(path), f"must hold exactly {', '.join(_NAMES)}")
    return GaussianPair(*(_shaped(data[name], name) for name in _NAMES))


def _shaped(value: Any, name: str) -> Any:
    try:
        return vector(value) if name.startswith("mean") else covariance(value)
    except (TypeError, OverflowError) as error:
        raise InputError(name, value if isinstance(value, str) else repr(value)[:60], str(error)) from None


def _from_flag(text: str, name: str) -> Any:
    rows = [[entry.strip() for entry in row.split(",")] for row in text.split(";")]
    if name.startswith("mean"):
        if len(rows) > 1:
            raise InputError(f"--{name.replace('_', '-')}", text, "must be numbers separated by commas")
        return rows[0]
    if len(rows) > 1:
        return rows
    return rows[0] if len(rows[0]) > 1 else rows[0][0]
