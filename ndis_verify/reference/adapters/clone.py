"""A local clone of someone's research code behind the line protocol; nothing of it is copied.

    python -m ndis_verify.reference.adapters.clone --path CLONE \\
        --call 'hockey_stick=src/spectrum.py:delta(mean_p, cov_p, mean_q, cov_q, eps=epsilon, samples=100000)[0]'

`--call QUANTITY=FILE:CALL` says which function of which Python file of the clone computes a quantity of the protocol,
and what its arguments are: names of the quantity's inputs, or constants. Means arrive as arrays, covariances as d x d
arrays, other inputs as numbers; `cov_p.diagonal` hands over the variances, `.scalar` the only entry, `.list` lists in
place of arrays. `[0]` after the call takes one entry of what it returns, `.method(...)` calls a method of it, so that a
class works too:

    --call 'hockey_stick=estimators.py:Estimator(mean_p, cov_p, mean_q, cov_q).estimate(epsilon)["delta"]'

    python -m ndis_verify.reference.adapters.clone --path CLONE --program 'hockey_stick=octave-cli --quiet --path {path}
        --eval "printf(\\"%.17g\\", delta([{mean_p}], [{cov_p}], [{mean_q}], [{cov_q}], {epsilon}))"'

`--program QUANTITY=COMMAND` starts a program for each row, without a shell, and takes the last word that it prints.
Inputs stand in braces: numbers separated by commas, the rows of a matrix by semicolons; `{path}` is the clone.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ndis_verify.reference.adapters.inputs import dense
from ndis_verify.reference.adapters.serving import Refused, serve
from ndis_verify.reference.quantities import QUANTITIES

FORMS = ("diagonal", "scalar", "list")
_HOLE = re.compile(r"\{([a-z_]+)(?:\.([a-z]+))?\}")
_WORD = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
Function = Callable[[dict[str, Any]], float]
Step: TypeAlias = "Arguments | Attribute | Entry"


@dataclass(frozen=True)
class Input:
    """An input of the protocol in the form that the clone takes."""

    name: str
    form: str = ""

    def of(self, inputs: dict[str, Any]) -> Any:
        """Its value: a string for a direction, an integer for a count, a float, or an array."""
        value = dense(inputs, self.name)
        if self.form in ("diagonal", "scalar") and isinstance(value, np.ndarray):
            value = self._reduced(value)
        return value.tolist() if self.form == "list" and isinstance(value, np.ndarray) else value

    def _reduced(self, value: np.ndarray) -> Any:
        if self.form == "scalar":
            if value.size != 1:
                raise Refused(f"{self.name} has {value.size} entries", self.name)
            return float(value.item())
        if value.ndim == 2 and np.any(value != np.diag(np.diag(value))):
            raise Refused(f"{self.name} is not diagonal", self.name)
        return np.diag(value) if value.ndim == 2 else value


@dataclass(frozen=True)
class Arguments:
    """What a call hands over: each an `Input` or a constant."""

    positional: tuple[Any, ...]
    named: dict[str, Any]

    def applied(self, function: Callable[..., Any], inputs: dict[str, Any]) -> Any:
        def of(part: Any) -> Any:
            return part.of(inputs) if isinstance(part, Input) else part

        return function(*map(of, self.positional), **{name: of(part) for name, part in self.named.items()})


@dataclass(frozen=True)
class Attribute:
    """`.name`: of a result, or of a class or module that the file names."""

    name: str


@dataclass(frozen=True)
class Entry:
    """`[key]` of a result."""

    key: Any


@dataclass(frozen=True)
class Call:
    """`--call` in its parts: the file, a name in it, and what is done to it, step by step."""

    file: str
    name: str
    steps: tuple[Arguments | Attribute | Entry, ...]


def parsed_call(quantity: str, text: str) -> Call:
    """FILE:NAME(ARGUMENTS), read as syntax and never evaluated; calls, methods and entries may follow.

    Raises `ValueError` saying what is wrong.
    """
    wrong = ValueError(f"{text}: must be FILE:FUNCTION(ARGUMENTS) or FILE:CLASS(ARGUMENTS).METHOD(ARGUMENTS)")
    file, colon, expression = text.partition(":")
    try:
        node = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise wrong from None
    steps: list[Step] = []
    step: Step
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            step, node = Entry(_constant(node.slice)), node.value
        elif isinstance(node, ast.Attribute):
            step, node = Attribute(node.attr), node.value
        elif isinstance(node, ast.Call) and all(word.arg is not None for word in node.keywords):
            named = {str(word.arg): _argument(quantity, word.value) for word in node.keywords}
            step, node = Arguments(tuple(_argument(quantity, argument) for argument in node.args), named), node.func
        else:
            raise wrong
        steps.insert(0, step)
    if not colon or not any(isinstance(step, Arguments) for step in steps):
        raise wrong
    return Call(file, node.id, tuple(steps))


def _argument(quantity: str, node: ast.expr) -> Any:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _input(quantity, node.value.id, node.attr)
    return _input(quantity, node.id, "") if isinstance(node, ast.Name) else _constant(node)


def _constant(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise ValueError(f"{ast.unparse(node)[:60]}: must be a constant or an input of the quantity") from None


def _input(quantity: str, name: str, form: str) -> Input:
    known = QUANTITIES[quantity].inputs
    if name not in known:
        raise ValueError(f"{name}: {quantity} has the inputs {', '.join(known)}")
    if form and form not in FORMS:
        raise ValueError(f"{name}.{form}: the forms are {', '.join(FORMS)}")
    return Input(name, form)


def by_call(clone: Path, quantity: str, text: str) -> Function:
    """The function of a Python file in the clone as a function of the protocol's inputs."""
    call = parsed_call(quantity, text)
    start: Any = getattr(loaded(clone, call.file), call.name, None)
    name, steps = call.name, list(call.steps)
    while start is not None and isinstance(first := steps[0], Attribute):  # CLASS.METHOD: looked up before any row
        name += f".{first.name}"
        start = getattr(start, first.name, None)
        del steps[0]
    if not (callable(start) if isinstance(steps[0], Arguments) else start is not None):
        raise ValueError(f"{call.file} has no function {name}")

    def value(inputs: dict[str, Any]) -> float:
        result = start
        for step in steps:
            if isinstance(step, Arguments):
                result = step.applied(result, inputs)
            else:
                result = result[step.key] if isinstance(step, Entry) else getattr(result, step.name)
        return float(np.asarray(result).item())

    return value


def loaded(clone: Path, file: str) -> Any:
    """The module of a file in the clone, imported as part of its package where it is in one."""
    path = (clone / file).resolve()
    if not path.is_relative_to(clone) or not path.is_file() or path.suffix != ".py":
        raise ValueError(f"{file}: is no Python file in the clone")
    root, parts = path.parent, [path.stem]
    while (root / "__init__.py").is_file() and root != clone.parent:
        root, parts = root.parent, [root.name, *parts]
    sys.path[:0] = [str(root), *([str(clone)] if root != clone else [])]
    if len(parts) > 1:
        module = importlib.import_module(".".join(parts))
        if Path(str(module.__file__)).resolve() != path:
            raise ValueError(f"{file}: another package is called {parts[0]}")
        return module
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # the suffix .py has a loader
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def by_program(clone: Path, quantity: str, text: str) -> Function:
    """A program that is started with the inputs in its arguments and prints the value as its last word."""
    words = shlex.split(text)
    if not words:
        raise ValueError("a program needs a command")
    for hole in (hole for word in words for hole in _HOLE.finditer(word) if hole[1] != "path"):
        _input(quantity, hole[1], hole[2] or "")

    def value(inputs: dict[str, Any]) -> float:
        filled = [
            _HOLE.sub(
                lambda hole: str(clone) if hole[1] == "path" else _written(Input(hole[1], hole[2] or "").of(inputs)),
                word,
            )
            for word in words
        ]
        done = subprocess.run(
            filled, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace", check=False
        )
        last = (done.stdout.split() or [""])[-1]
        if done.returncode or not _WORD.fullmatch(last):
            raise Refused(f"exit code {done.returncode}, last word {last[:40]!r}")
        return float(last)

    return value


def _written(value: Any) -> str:
    """A number, a vector or a matrix as text, the numbers to 17 digits."""
    if isinstance(value, np.ndarray):
        return ";".join(",".join(f"{entry:.17g}" for entry in row) for row in np.atleast_2d(value))
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", type=Path, required=True, metavar="CLONE", help="folder of the clone")
    parser.add_argument("--call", action="append", default=[], metavar="QUANTITY=FILE:CALL", help="may be repeated")
    parser.add_argument("--program", action="append", default=[], metavar="QUANTITY=COMMAND", help="may be repeated")
    arguments = parser.parse_args()
    sys.dont_write_bytecode = True  # the clone stays as it is
    # What the clone prints goes to stderr, whether Python or a library of its own prints it.
    sink = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    functions = {}
    try:
        clone = arguments.path.resolve(strict=True)
        for options, made in ((arguments.call, by_call), (arguments.program, by_program)):
            for option in options:
                quantity, _, text = option.partition("=")
                if quantity not in QUANTITIES:
                    raise ValueError(f"{quantity}: the quantities are {', '.join(QUANTITIES)}")
                functions[quantity] = made(clone, quantity, text)
        if not functions:
            raise ValueError("give --call or --program at least once")
    except Exception as error:  # an import of the clone may raise anything
        print(f"{arguments.path.name}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    serve(clone.name, "", functions, sink=sink)
    return 0


if __name__ == "__main__":
    sys.exit(main())
