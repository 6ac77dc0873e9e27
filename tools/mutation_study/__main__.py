"""The command: `python -m tools.mutation_study --minutes 60`."""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.mutation_study.covering import Reach, survey
from tools.mutation_study.mutants import GENERAL, SAFETY, Mutant, compiles, mutants
from tools.mutation_study.page import EQUIVALENTS, PAGE, caught, drift, equivalents, page
from tools.mutation_study.trial import GREEN, RED, Runner, copied, planted

ROOT = Path(__file__).resolve().parents[2]
JOURNALS = Path(__file__).with_name("journals")
REACH = Path(__file__).with_name("reach.json")  # which tests run which lines; not under version control
BUDGET = 30.0  # seconds that the tests of one bug take without it, the quickest first
PROCESSOR, SECONDS = 150.0, 600.0  # and may take with it: of the processor, by the clock


def enumerated(root: Path, parts: Sequence[str] = ()) -> list[Mutant]:
    """Every bug that can be planted in the files whose path in the package starts with one of `parts`."""
    starts = [str(root / "ndis_verify" / part) for part in parts or [""]]
    paths = [
        path
        for path in sorted((root / "ndis_verify").rglob("*.py"))
        if any(str(path).startswith(start) for start in starts)
    ]
    return [one for path in paths for one in mutants(path, root)]


def chosen(root: Path, seed: int, general: int, parts: list[str]) -> list[Mutant]:
    """All of the safety category, and as many others from each package as its share of `general`, in a seeded order."""
    found = enumerated(root, parts)
    draw = random.Random(seed)
    safety = [one for one in found if one.category == SAFETY]
    by_package: dict[str, list[Mutant]] = {}
    for one in found:
        if one.category == GENERAL:
            by_package.setdefault(one.file.split("/")[1], []).append(one)
    for group in by_package.values():
        draw.shuffle(group)
    draw.shuffle(safety)
    others = [
        one for turn in zip(*(iter_padded(group, general) for group in by_package.values())) for one in turn if one
    ]
    return safety + others[:general]


def iter_padded(group: list[Mutant], count: int) -> list[Mutant | None]:
    """The first `count`, filled up with None."""
    return (group + [None] * count)[:count]


def kept() -> dict[str, dict]:
    """What is known by key, from all journals: a bug that was caught once is caught."""
    lines = [
        json.loads(line)
        for path in sorted(JOURNALS.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return {line["key"]: line for line in sorted(lines, key=caught)}


def prune() -> None:
    """Takes out of the journals and arguments what is of lines that are gone."""
    gone, _ = drift(kept().values(), found := enumerated(ROOT))
    for path in JOURNALS.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if json.loads(line)["key"] not in gone), encoding="utf-8")
    now = {one.key for one in found}
    for path in EQUIVALENTS.glob("*.json"):
        argued = {key: why for key, why in json.loads(path.read_text(encoding="utf-8")).items() if key in now}
        path.write_text(json.dumps(argued, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


class Study:
    """The trials, with what is known of every test without a bug."""

    def __init__(self, root: Path, folder: Path, reach: Reach | None, only: Sequence[str] = ()):
        self.root, self.tree, self.reach, self.only = root, copied(root, folder, marked=True), reach, list(only)
        self.runner = Runner(self.tree)
        self.sound: dict[str, bool] = {}

    def green(self, name: str) -> bool:
        """Whether a test passes within the limits without a bug."""
        if name not in self.sound:
            self.sound[name] = self.runner.run([name], PROCESSOR, SECONDS)[0] == GREEN
        return self.sound[name]

    def asked(self, mutant: Mutant) -> list[str]:
        """The tests that run the place, as many as the budget has room for; or those that were asked for."""
        if self.only or not self.reach:
            return list(self.only)
        chosen, left = [], BUDGET
        for test in self.reach.tests(mutant.file, mutant.line):
            left -= self.reach.seconds[test]
            if chosen and left < 0:
                break
            chosen.append(test)
        return chosen

    def trial(self, mutant: Mutant) -> dict:
        """One line of the journal."""
        start = time.monotonic()
        if not compiles(mutant.planted((self.root / mutant.file).read_bytes())):
            return self.line(mutant, "no program", "", 0, 0.0)
        tests = asked = self.asked(mutant)
        while tests:
            with planted(mutant, self.root, self.tree):
                outcome, last = self.runner.run(tests, PROCESSOR, SECONDS)
            if outcome == GREEN:
                break
            if not last and (there := [test for test in tests if self.green(test)]) != tests:
                tests = there  # nothing was run, as where a test that was asked for is gone
                continue
            name = last.partition("[")[0]
            asked_for = next((test for test in tests if name.startswith(test) or test.startswith(name)), tests[0])
            if self.green(name if "::" in name else asked_for):
                found = "caught" if outcome == RED else "caught by the time limit"
                return self.line(mutant, found, name, len(asked), time.monotonic() - start)
            tests = [test for test in tests if test != asked_for]
        return self.line(mutant, "survived" if asked else "no test", "", len(asked), time.monotonic() - start)

    def line(self, mutant: Mutant, outcome: str, by: str, asked: int, seconds: float) -> dict:
        return {
            "key": mutant.key,
            "file": mutant.file,
            "line": mutant.line,
            "context": mutant.context,
            "kind": mutant.kind,
            "category": mutant.category,
            "before": mutant.before,
            "after": mutant.after,
            "outcome": outcome,
            "by": by,
            "asked": asked,
            "seconds": round(seconds, 1),
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--general", type=int, default=120, help="bugs drawn at random over all packages")
    parser.add_argument("--minutes", type=float, default=60.0, help="no trial starts later")
    parser.add_argument("--parts", nargs="*", default=[], help="only files whose path in the package starts so")
    parser.add_argument("--category", choices=("safety", "general", "all"), default="all")
    parser.add_argument(
        "--again", choices=("survived", "no test"), nargs="*", default=[], help="outcomes to try once more"
    )
    parser.add_argument("--journal", default="all", help="name of the journal that is gone on with")
    parser.add_argument("--tests", nargs="*", default=[], help="only these tests (files or functions), for every bug")
    parser.add_argument(
        "--survey", action="store_true", help="only find out which tests run which lines (needs `coverage`)"
    )
    parser.add_argument("--page", action="store_true", help="only take out what is gone, and write the page")
    arguments = parser.parse_args()
    if arguments.survey:
        surveyed()
    elif not arguments.page:
        run(arguments)
    prune()
    PAGE.write_text(page(list(kept().values()), equivalents()), encoding="utf-8")
    return 0


def surveyed() -> Reach:
    """Runs all tests once in a copy, and keeps which lines each runs."""
    with tempfile.TemporaryDirectory(prefix="mutation-study-") as folder:
        place = Path(folder).resolve()
        return survey(copied(ROOT, place / "plain"), place, REACH)


def run(arguments: argparse.Namespace) -> None:
    """The trials that the journal does not hold yet, a line each."""
    os.nice(15)
    reach = None if arguments.tests else Reach.read(REACH) if REACH.exists() else surveyed()
    known, end = kept(), time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory(prefix="mutation-study-") as folder:
        plain = copied(ROOT, Path(folder).resolve() / "plain")  # what is planted in stays while the repository moves on
        wanted = chosen(plain, arguments.seed, arguments.general, arguments.parts)
        tried(arguments, wanted, known, end, Study(plain, Path(folder).resolve() / "tree", reach, arguments.tests))


def tried(
    arguments: argparse.Namespace, wanted: list[Mutant], known: dict[str, dict], end: float, study: Study
) -> None:
    """The trials that are left, in order, until the time is over."""
    if arguments.category != "all":
        wanted = [one for one in wanted if (one.category == SAFETY) == (arguments.category == "safety")]
    left = [one for one in wanted if one.key not in known or known[one.key]["outcome"] in arguments.again]
    JOURNALS.mkdir(exist_ok=True)
    with open(JOURNALS / f"{arguments.journal}.jsonl", "a", encoding="utf-8") as journal:
        for number, one in enumerate(left, 1):
            if time.monotonic() > end:
                break
            line = study.trial(one)
            journal.write(json.dumps(line, ensure_ascii=False) + "\n")
            journal.flush()
            print(
                f"{number}/{len(left)} {line['outcome']:<10} {line['seconds']:>6} s  {one.key} {one.file}:{one.line}"
                f" {one.kind}: {one.before} -> {one.after}",
                flush=True,
            )


if __name__ == "__main__":
    raise SystemExit(main())
