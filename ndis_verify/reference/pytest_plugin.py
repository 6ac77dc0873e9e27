"""pytest plugin: `pytest --ndis-conform my_module:my_function` runs a function against the reference tables.

The function takes (quantity, inputs) with the inputs of the line protocol, decimal strings, and returns a number or a
decimal string; it raises NotImplementedError for a quantity that it does not compute, and ValueError for inputs that it
refuses; any other exception is a failure of its row. Each row becomes a test. Or use the fixture in a test of your own:

    def test_conformance(ndis_conform):
        ndis_conform(my_function, tolerance="1e-9")
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

Function = Callable[[str, dict[str, Any]], Any]
_DEFAULT_TOLERANCE = "1e-9"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ndis_verify", "conformance with the reference tables of ndis_verify")
    group.addoption(
        "--ndis-conform", metavar="MODULE:FUNCTION", help="run FUNCTION(quantity, inputs) against the reference tables"
    )
    group.addoption(
        "--ndis-tolerance",
        default=_DEFAULT_TOLERANCE,
        help=f"relative error that passes (default {_DEFAULT_TOLERANCE})",
    )
    group.addoption("--ndis-full", action="store_true", help="the whole tables, not their compact core")


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Append a test for each row where the option is given."""
    target = config.getoption("--ndis-conform")
    if not target:
        return
    module, colon, name = target.partition(":")
    if not colon:
        raise pytest.UsageError(f"--ndis-conform {target}: must be MODULE:FUNCTION")
    tolerance = _checked(config.getoption("--ndis-tolerance"))
    if (here := str(config.invocation_params.dir)) not in sys.path:  # as `python -m pytest` has it
        sys.path.insert(0, here)
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise pytest.UsageError(f"--ndis-conform {target}: {error}") from None
    for quantity, row in _rows(full=config.getoption("--ndis-full")):
        items.append(
            RowItem.from_parent(
                session,
                name=f"{quantity}/{row['name']}",
                function=function,
                quantity=quantity,
                row=row,
                tolerance=tolerance,
            )
        )


@pytest.fixture
def ndis_conform() -> Callable[..., None]:
    """`ndis_conform(function, tolerance="1e-9", full=False, quantities=())`: fails with the list of rows that fail."""
    return conform


def conform(
    function: Function, tolerance: str = _DEFAULT_TOLERANCE, full: bool = False, quantities: tuple[str, ...] = ()
) -> None:
    """Judge `function` on every row; AssertionError naming the rows that fail, or where no row gets a value."""
    _checked(tolerance)
    wrong, answered = [], False
    for quantity, row in _rows(full, quantities):
        verdict = judged(function, quantity, row, tolerance)
        answered = answered or (verdict is not None and verdict.answer is not None)
        if verdict is not None and verdict.outcome in _failing():
            wrong.append(f"{verdict.key}: {verdict.outcome}: {verdict.message}")
    if wrong:
        more = f"\nand {len(wrong) - 20} more" if len(wrong) > 20 else ""
        raise AssertionError(f"{len(wrong)} reference rows fail:\n" + "\n".join(wrong[:20]) + more)
    if not answered:
        raise AssertionError("no reference row was answered with a value")


def judged(function: Function, quantity: str, row: dict[str, Any], tolerance: str) -> Any:
    """The judgement of one call; None where the function does not compute the quantity."""
    from fractions import Fraction

    from ndis_verify.reference.conformance.judge import Judgement, judge

    answer: dict[str, Any]
    try:
        value = function(quantity, row["inputs"])
    except NotImplementedError:
        return None
    except ValueError as error:
        answer = {"error": {"argument": getattr(error, "argument", None), "message": str(error)}}
    except Exception as error:  # one row must not hide the others
        return Judgement(
            quantity, row["name"], tuple(row["flags"]), "crashed", f"{type(error).__name__}: {error}"[:200]
        )
    else:
        try:
            answer = {"value": value if isinstance(value, str) else repr(float(value))}
        except (TypeError, ValueError, OverflowError):
            answer = {"value": [type(value).__name__]}  # no number: judged so
    return judge(quantity, row, answer, Fraction(tolerance))


class RowItem(pytest.Item):
    """One reference row as a test."""

    def __init__(self, *, function: Function, quantity: str, row: dict[str, Any], tolerance: str, **options: Any):
        super().__init__(**options)
        self._case = (function, quantity, row, tolerance)

    def runtest(self) -> None:
        verdict = judged(*self._case)
        if verdict is None:
            pytest.skip("not computed")
        if verdict.outcome == "refused":
            pytest.skip(f"refused: {verdict.message}")
        if verdict.outcome in _failing():
            pytest.fail(f"{verdict.outcome}: {verdict.message}", pytrace=False)

    def reportinfo(self) -> tuple[str, int | None, str]:
        return "ndis_verify", None, self.name


def _rows(full: bool, quantities: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    from ndis_verify.reference import loader

    if not (chosen := quantities or loader.quantities()):
        raise pytest.UsageError("there are no reference tables in this installation")
    for quantity in chosen:
        for row in loader.load(quantity, core=not full):
            yield quantity, row


def _checked(tolerance: str) -> str:
    from ndis_verify.exact_number import InputError, exact

    try:
        if 0 < exact(tolerance) < 1:
            return tolerance
    except InputError:
        pass
    raise pytest.UsageError(f"tolerance {tolerance}: must be a decimal number between 0 and 1")


def _failing() -> tuple[str, ...]:
    from ndis_verify.reference.conformance.judge import FAILING

    return FAILING
