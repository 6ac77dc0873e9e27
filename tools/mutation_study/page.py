"""The study as a page: counts by package and category, survivors, and the bugs that change nothing, with the reason."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.mutation_study.mutants import SAFETY, Mutant

ROOM = 20  # bugs of either kind by which the page may differ from the sources, before a test asks for new trials
PAGE = Path(__file__).resolve().parents[2] / "docs" / "mutation_study.md"
EQUIVALENTS = Path(__file__).with_name("equivalents")

_HEAD = """# Planted bugs in the package's own code

`python -m tools.mutation_study` plants one bug at a time in a copy of the tree and runs the tests that reach the place
(a survey of all tests under `coverage` knows which do), the quickest first, until one fails. Bugs in safety margins and
rounding directions are enumerated; the others are a seeded draw over all packages. A bug that changes nothing that can
be seen is told apart by an argument, not by a run.
A bug that survives gets a test or an argument and is tried again: the counts say what is left of these bugs, not how
many of a fresh draw would be caught at once.
`tools/mutation_study/journals` has every trial, `equivalents` every argument. A run that needs more than five
times its usual time is stopped, and that catches a bug too, as the limit on the time of each test would: none hangs.
A bug goes by the text of its line: where a line has changed, its trials say nothing any more, and `--page` takes them
out. `tests/test_mutation_study.py` fails where more than {room} bugs of this page are of lines that are gone, or more
than {room} bugs in margins and directions have not been tried.
"""


def page(lines: list[dict[str, Any]], equivalents: dict[str, str]) -> str:
    """The whole page, in Markdown."""
    lines = [
        line | {"outcome": "changes nothing"} if line["key"] in equivalents and not caught(line) else line
        for line in lines
    ]
    lines = [line for line in lines if line["outcome"] != "no program"]
    parts = [_HEAD.format(room=ROOM), _counts(lines), _survivors(lines), _argued(lines, equivalents)]
    return "\n".join(part for part in parts if part)


def equivalents() -> dict[str, str]:
    """Key of a bug that changes nothing that can be seen -> why."""
    return {
        key: why
        for path in sorted(EQUIVALENTS.glob("*.json"))
        for key, why in json.loads(path.read_text(encoding="utf-8")).items()
    }


def drift(lines: Iterable[dict[str, Any]], found: Iterable[Mutant]) -> tuple[set[str], set[str]]:
    """Keys of (trials whose line is gone from the sources, bugs in margins and directions that were not tried)."""
    now, tried = {one.key: one.category for one in found}, {line["key"] for line in lines}
    return tried - now.keys(), {key for key, category in now.items() if category == SAFETY} - tried


def caught(line: dict[str, Any]) -> bool:
    """Whether a test failed."""
    return line["outcome"].startswith("caught")


def _counts(lines: list[dict[str, Any]]) -> str:
    rows = [
        "| package | category | bugs | change nothing | caught | by the time limit | survived | of those that matter |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    groups = sorted({(line["category"] != SAFETY, line["category"], line["file"].split("/")[1]) for line in lines})
    for _, category, package in groups:
        rows.append(
            _row(
                package,
                category,
                [line for line in lines if (line["category"], line["file"].split("/")[1]) == (category, package)],
            )
        )
    for category in sorted({line["category"] for line in lines}):
        rows.append(_row("**all**", category, [line for line in lines if line["category"] == category]))
    rows.append(_row("**all**", "**all**", lines))
    return "## Counts\n\n" + "\n".join(rows) + "\n"


def _row(package: str, category: str, lines: list[dict[str, Any]]) -> str:
    found = Counter(line["outcome"] for line in lines)
    total = found["caught"] + found["caught by the time limit"]
    matter = len(lines) - found["changes nothing"]
    share = f"{100 * total / matter:.0f} %" if matter else ""
    left = found["survived"] + found["no test"]
    return (
        f"| {package} | {category} | {len(lines)} | {found['changes nothing']} | {total} |"
        f" {found['caught by the time limit']} | {left} | {share} |"
    )


def _survivors(lines: list[dict[str, Any]]) -> str:
    left = [line for line in lines if line["outcome"] in ("survived", "no test")]
    rows = [
        f"- `{line['file']}`, {line['kind']}: `{shown(line['before'])}` to `{shown(line['after'])}` in"
        f" `{shown(line['context'])}`"
        for line in left
    ]
    return "## Survivors\n\n" + ("\n".join(rows) or "None.") + "\n"


def _argued(lines: list[dict[str, Any]], equivalents: dict[str, str]) -> str:
    left = [line for line in lines if line["outcome"] == "changes nothing"]
    rows = [
        f"- `{line['file']}`: `{shown(line['before'])}` to `{shown(line['after'])}`. {equivalents[line['key']]}"
        for line in left
    ]
    return "## Bugs that change nothing\n\n" + ("\n".join(rows) or "None.") + "\n"


def shown(text: str) -> str:
    """One short line without what Markdown would read."""
    flat = " ".join(text.split()).replace("`", "'").replace("|", "\\|")
    return flat if len(flat) <= 100 else flat[:97] + "..."
