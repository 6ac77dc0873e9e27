"""What one process of a test run decided of an expression, for its other processes.

Every derivation is decided by its own tests, again by the test of the ledger, and most of them by a notebook: the same
residuals, in processes of their own. Where the environment variable `NDIS_VERIFY_TEST_RUN` names a folder
(tests/conftest.py makes one for each run and removes it; an empty value switches this off), an outcome is kept there
under a hash of all that it follows from: the expression with the assumptions of its symbols, the sources of this
folder, and the versions of Python, SymPy and mpmath. Nothing is drawn at random, so the same key has the same outcome.
A fault in a step changes its residual, one in `zero` its source: neither finds what was decided before. Outside a run
of the tests the variable is not set, and `ndis-verify verify` decides everything itself.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

VARIABLE = "NDIS_VERIFY_TEST_RUN"
_SECONDS = 0.003  # what is decided sooner is not worth a file
_OUTCOMES = {"zero": True, "not zero": False}


def shared(expression: sp.Expr, decide: Callable[[sp.Expr], bool | None]) -> bool | None:
    """`decide(expression)`, or what another process of this test run decided of the same expression."""
    folder = os.environ.get(VARIABLE)
    # Undefined functions are written without their assumptions, dummies with numbers of the process.
    if not folder or expression.has(AppliedUndef, sp.Dummy):
        return decide(expression)
    path = Path(folder) / f"{_key(expression)}.decision"
    try:
        return _OUTCOMES[path.read_text(encoding="utf-8")]
    except (OSError, ValueError, KeyError):  # not there, or not written by `_keep`
        began = time.process_time()
        outcome = decide(expression)
        if time.process_time() - began > _SECONDS:
            _keep(path, outcome)
        return outcome


def _key(expression: sp.Expr) -> str:
    functions = sorted({f"{type(one).__module__}.{type(one).__qualname__}" for one in expression.atoms(sp.Function)})
    return hashlib.sha256(repr((_sources(), functions, sp.srepr(expression))).encode()).hexdigest()


@cache
def _sources() -> str:
    digest = hashlib.sha256(repr((platform.python_version(), sp.__version__, mpmath.__version__)).encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _keep(path: Path, outcome: bool | None) -> None:
    """Write whole or not at all; what was not decided is not kept."""
    for word, meaning in _OUTCOMES.items():
        if outcome is meaning:
            handle, temporary = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(word)
            os.replace(temporary, path)
