"""The command: `python -m tools.mutation_study --minutes 60`."""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path

from tools.mutation_study.covering import Tree
from tools.mutation_study.mutants import GENERAL, SAFETY, Mutant, compiles, mutants
from tools.mutation_study.page import EQUIVALENTS, PAGE, page
from tools.mutation_study.trial import GREEN, RED, Runner, copied, planted

ROOT = Path(__file__).resolve().parents[2]
JOURNAL = Path(__file__).with_name("journal.jsonl")
PROCESSOR, SECONDS, FILES = 60.0, 600.0, 5  # a test file's limits (of the processor, by the clock), and how many files a bug may meet


def chosen(root: Path, seed: int, general: int, parts: list[str]) -> list[Mutant]:
    """All of the safety category, and as many others from each package as its share of `general`, in a seeded order."""
    starts = [str(root / "ndis_verify" / part) for part in parts or [""]]
    paths = [path for path in sorted((root / "ndis_verify").rglob("*.py")) if any(str(path).startswith(start) for start in starts)]
    found = [one for path in paths for one in mutants(path, root)]
    draw = random.Random(seed)
    safety = [one for one in found if one.category == SAFETY]
    by_package: dict[str, list[Mutant]] = {}
    for one in found:
        if one.category == GENERAL:
            by_package.setdefault(one.file.split("/")[1], []).append(one)
    for group in by_package.values():
        draw.shuffle(group)
    draw.shuffle(safety)
    others = [one for turn in zip(*(iter_padded(group, general) for group in by_package.values())) for one in turn if one]
    return safety + others[:general]


def iter_padded(group: list[Mutant], count: int) -> list[Mutant | None]:
    """The first `count`, filled up with None."""
    return (group + [None] * count)[:count]


def kept() -> dict[str, dict]:
    """The journal by key, the last line of each."""
    if not JOURNAL.exists():
        return {}
    return {line["key"]: line for line in map(json.loads, JOURNAL.read_text(encoding="utf-8").splitlines())}


class Study:
    """The trials, with what is known of every test file without a bug."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.tree = root, copied(root, folder, marked=True)
        self.imports, self.runner = Tree(self.tree), Runner(self.tree)
        self.sound: dict[str, bool] = {}

    def green(self, name: str) -> bool:
        """Whether a test, or a file of tests, passes within the limits without a bug."""
        if name not in self.sound:
            self.sound[name] = self.runner.run([name], PROCESSOR, SECONDS)[0] == GREEN
        return self.sound[name]

    def trial(self, mutant: Mutant) -> dict:
        """One line of the journal."""
        start, tried = time.monotonic(), []
        if not compiles(mutant.planted((self.root / mutant.file).read_bytes())):
            return self.line(mutant, "no program", "", tried, 0.0)
        for test in self.imports.candidates(mutant.file)[:FILES]:
            name = f"tests/{test.name}"
            with planted(mutant, self.root, self.tree):
                outcome, failed, _ = self.runner.run([name], PROCESSOR, SECONDS)
            name = failed or name
            tried.append(test.name)
            if outcome != GREEN and self.green(name):
                caught = "caught" if outcome == RED else "caught by the time limit"
                return self.line(mutant, caught, name, tried, time.monotonic() - start)
        return self.line(mutant, "survived" if tried else "no test", "", tried, time.monotonic() - start)

    def line(self, mutant: Mutant, outcome: str, by: str, tried: list[str], seconds: float) -> dict:
        return {
            "key": mutant.key, "file": mutant.file, "line": mutant.line, "context": mutant.context, "kind": mutant.kind,
            "category": mutant.category, "before": mutant.before, "after": mutant.after, "outcome": outcome, "by": by,
            "tried": tried, "seconds": round(seconds, 1),
        }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--general", type=int, default=120, help="bugs drawn at random over all packages")
    parser.add_argument("--minutes", type=float, default=60.0, help="no trial starts later")
    parser.add_argument("--parts", nargs="*", default=[], help="only files whose path in the package starts so")
    parser.add_argument("--category", choices=("safety", "general", "all"), default="all")
    parser.add_argument("--again", choices=("survived", "no test"), nargs="*", default=[], help="outcomes to try once more")
    parser.add_argument("--page", action="store_true", help="only write the page from the journal")
    arguments = parser.parse_args()
    if not arguments.page:
        run(arguments)
    PAGE.write_text(page(list(kept().values()), json.loads(EQUIVALENTS.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


def run(arguments: argparse.Namespace) -> None:
    """The trials that the journal does not hold yet, a line each."""
    os.nice(15)
    known, end = kept(), time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory(prefix="mutation-study-") as folder:
        plain = copied(ROOT, Path(folder).resolve() / "plain")  # what is planted in stays while the repository moves on
        wanted = chosen(plain, arguments.seed, arguments.general, arguments.parts)
        tried(arguments, wanted, known, end, Study(plain, Path(folder).resolve() / "tree"))


def tried(arguments: argparse.Namespace, wanted: list[Mutant], known: dict[str, dict], end: float, study: Study) -> None:
    """The trials that are left, in order, until the time is over."""
    if arguments.category != "all":
        wanted = [one for one in wanted if (one.category == SAFETY) == (arguments.category == "safety")]
    left = [one for one in wanted if one.key not in known or known[one.key]["outcome"] in arguments.again]
    with open(JOURNAL, "a", encoding="utf-8") as journal:
        for number, one in enumerate(left, 1):
            if time.monotonic() > end:
                break
            line = study.trial(one)
            journal.write(json.dumps(line, ensure_ascii=False) + "\n")
            journal.flush()
            print(f"{number}/{len(left)} {line['outcome']:<10} {line['seconds']:>6} s  {one.file}:{one.line} {one.kind}: {one.before} -> {one.after}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
