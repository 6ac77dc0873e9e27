"""Decide everything in an export of the ledger again, from the mathematics alone.

    python -m tools.recheck EXPORT [PAGE]

It needs python-flint and the standard library. `docs/recheck.md` has the format and says what each outcome means. Exit
code 1 where anything in the export does not hold. In a PAGE the first block of plain text (```text) becomes the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from tools.recheck.records import AGREES, DECIDED, LEFT, REFUTED, recheck


def main(arguments):
    with open(arguments[0], encoding="utf-8") as file:
        found = recheck(file)
    outcomes = (DECIDED, AGREES, REFUTED, LEFT)
    table = Counter(
        (record["kind"] if record["kind"] != "left out" else record["of"], outcome) for record, outcome, _ in found
    )
    lines = [f"{'':<16}" + "".join(f"{o:>15}" for o in outcomes)]
    for kind in sorted({kind for kind, _ in table}):
        lines.append(f"{kind:<16}" + "".join(f"{table[kind, o]:>15}" for o in outcomes))
    print("\n".join(lines))
    if arguments[1:]:
        page = Path(arguments[1])
        before, fence, after = page.read_text(encoding="utf-8").partition("```text\n")
        page.write_text(before + fence + "\n".join(lines) + "\n" + after[after.index("```") :], encoding="utf-8")
    for reason, n in Counter(detail for _, outcome, detail in found if outcome == LEFT).most_common():
        print(f"not rechecked, {n}: {reason}")
    wrong = [(record, detail) for record, outcome, detail in found if outcome == REFUTED]
    for record, detail in wrong:
        words = [record[k] for k in ("claim", "id", "check", "derivation", "step") if k in record]
        print(f"REFUTED {record['kind']} {' / '.join(words)}: {detail}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
