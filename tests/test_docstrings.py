"""Docstrings of public functions name their parameters and what they raise, and their examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re

import pytest

FACADES = ("fast", "oracle", "mechanisms", "audit")
# Another library does the work, which need not be here.
WITHOUT_EXAMPLE = {"audit.accountant_epsilon", "audit.composed_bound"}


def functions() -> list:
    found = []
    for facade in FACADES:
        module = importlib.import_module(f"ndis_verify.{facade}")
        for name in module.__all__:
            if inspect.isroutine(value := getattr(module, name)):
                found.append(pytest.param(value, id=f"{facade}.{name}"))
    return found


FUNCTIONS = functions()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_its_docstring_states_the_quantity_the_parameters_and_the_errors(function):
    text = inspect.getdoc(function)
    first = text.split("\n\n")[0]
    assert first.rstrip().endswith((".", "?"))
    missing = [name for name in inspect.signature(function).parameters if not re.search(rf"\b{name}\b", text)]
    assert not missing
    assert re.search(r"\bRaises?\b|\braises?\b|^Raises\n-+$", text, re.MULTILINE)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_its_example_runs(function, request):
    name = request.node.callspec.id
    tests = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    examples = [example for test in tests for example in test.examples]
    assert bool(examples) != (name in WITHOUT_EXAMPLE)
    shown = []
    for test in tests:
        doctest.DocTestRunner(verbose=False).run(test, out=shown.append)
    assert not shown, "".join(shown)
