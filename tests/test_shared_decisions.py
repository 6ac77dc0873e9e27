"""What one process of a test run decided of an expression is taken by another for the same expression alone."""

import pytest
import sympy as sp

from ndis_verify.court import shared_hearings
from ndis_verify.symbolic import shared_decisions
from ndis_verify.symbolic.shared_decisions import shared

X = sp.Symbol("x", positive=True)
TWIN = X**2 - 1


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(shared_decisions.VARIABLE, str(tmp_path))
    monkeypatch.setattr(shared_decisions, "_SECONDS", -1)
    return tmp_path


def nobody(expression):
    raise AssertionError("decided again")


@pytest.mark.parametrize("outcome", [True, False])
def test_an_outcome_is_taken_for_the_same_expression_alone(outcome):
    assert shared(TWIN, lambda expression: outcome) is outcome
    assert shared(sp.Symbol("x", positive=True) ** 2 - 1, nobody) is outcome
    for other in (X**2 - 2, sp.Symbol("x", real=True) ** 2 - 1, sp.Symbol("y", positive=True) ** 2 - 1, -TWIN):
        with pytest.raises(AssertionError, match="decided again"):
            shared(other, nobody)


def test_nor_under_other_sources_or_switched_off(monkeypatch):
    shared(TWIN, lambda expression: True)
    with monkeypatch.context() as patch, pytest.raises(AssertionError):
        patch.setattr(shared_decisions, "_sources", lambda: "a source has changed")
        shared(TWIN, nobody)
    monkeypatch.setenv(shared_decisions.VARIABLE, "")
    with pytest.raises(AssertionError):
        shared(TWIN, nobody)


def test_functions_of_one_name_are_told_apart():
    class Tail(sp.Function):
        pass

    theirs = type("Tail", (sp.Function,), {"__module__": "elsewhere"})
    shared(Tail(X), lambda expression: True)
    for other in (theirs(X), sp.Function("Tail")(X)):
        with pytest.raises(AssertionError):
            shared(other, nobody)
    for unnamed in (sp.Function("f", real=True)(X), sp.Dummy("x") + X):
        shared(unnamed, lambda expression: True)
        with pytest.raises(AssertionError):
            shared(unnamed, nobody)


def test_what_is_undecided_or_damaged_is_decided_again(folder):
    assert shared(TWIN, lambda expression: None) is None and not list(folder.iterdir())
    shared(TWIN, lambda expression: True)
    (path,) = folder.iterdir()
    for damage in (b"", b"true", b"\xff"):
        path.write_bytes(damage)
        assert shared(TWIN, lambda expression: False) is False


def test_one_variable_names_the_folder_of_a_run():
    assert shared_decisions.VARIABLE == shared_hearings.VARIABLE
