"""Tables for people: in Markdown, and in columns for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def markdown_line(cells: Iterable[object]) -> str:
    """A line of a Markdown table; a bar inside a cell ends no column."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def markdown_table(head: Sequence[str], lines: Iterable[Iterable[object]], right: Collection[int] = ()) -> str:
    """A Markdown table; the columns numbered in `right`, from 0 on, end flush."""
    rule = "|" + "".join("---:|" if k in right else "---|" for k in range(len(head)))
    return "\n".join([markdown_line(head), rule, *map(markdown_line, lines)])


def text_table(lines: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Cells in columns of their own width, two blanks apart; flush right, but for the columns numbered in `left`."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
