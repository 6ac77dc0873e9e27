"""The page of what float64 promises: the rows of `fast.accuracy` as two tables."""

from __future__ import annotations

from ndis_verify.fast.accuracy import MARGINS, PROMISES, Margin, Promise, margin
from ndis_verify.tables import markdown_table

_TITLE = """# What float64 promises

Written by `python -m ndis_verify.report.accuracy` from `ndis_verify/fast/accuracy.py`, where alone they are typed.
Calibrators, certificates, audits and the line protocol compute with them; `tests/test_accuracy.py` holds each of them
against the certified oracle at random points of its ranges.

An error is relative, of the value; below the least one, of its logarithm. "Near": the value is that of an epsilon as
near as this, relatively, which shows next to the largest loss only."""

_MARGINS = "What is kept below a target, or added to a value, for errors of the engine: multiples of rows, rounded up."


def page() -> str:
    """The text of docs/accuracy.md."""
    head = "promise", "error", "of", "least", "near", "domain", "held over", "source"
    kept = "kept by", "relative", "is", "because"
    tables = (
        markdown_table(head, [_promise(row) for row in PROMISES.values()]),
        markdown_table(kept, [_margin(row) for row in MARGINS.values()]),
    )
    return "\n\n".join((_TITLE, tables[0], _MARGINS, tables[1])) + "\n"


def _promise(row: Promise) -> list[str]:
    ranges = "; ".join(f"{name} {part}" for name, part in row.ranges.items())
    least, near = (f"{value:g}" if value else "-" for value in (row.least, row.near))
    return [f"`{row.name}`", f"{row.error:g}", row.of, least, near, row.domain, ranges, row.source]


def _margin(row: Margin) -> list[str]:
    terms = " + ".join(f"{multiple:g} `{name}`" for multiple, name in row.terms)
    return [row.name, f"{margin(row.name):.3g}", terms, row.source]


if __name__ == "__main__":
    print(page(), end="")
