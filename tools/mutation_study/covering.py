"""Which tests run a line: one run of all of them under `coverage`, with each test function as a context of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

PACKAGE = "ndis_verify"
SKIPPED = (
    "test_mutation_study.py",
    "test_planted_bugs.py",
    "test_ledger.py",
)  # about bugs; the whole ledger, a minute each time
_NEAR = 20  # lines above a bug in which its statement is looked for
_SETTINGS = f"[run]\nsource = {PACKAGE}\ndynamic_context = test_function\ndata_file = {{}}\n"
_SECONDS = "durations.json"


class Reach:
    """The tests by the lines that they run, the quickest first."""

    def __init__(self, lines: dict[str, dict[str, list[str]]], seconds: dict[str, float]):
        self.lines, self.seconds = lines, seconds

    def tests(self, file: str, line: int) -> list[str]:
        """The test functions that run the statement at a line; then those that run the rest of its file.

        What a cache keeps is run by one test and seen by others, and what an import runs by none.
        """
        known = self.lines.get(file, {})
        near = (known[str(above)] for above in range(line, max(line - _NEAR, 0), -1) if str(above) in known)
        found = set(next(near, []))
        share = Counter(test for tests in known.values() for test in tests if test not in found)
        others = sorted(share, key=lambda test: (self.seconds.get(test, 0.0) / share[test], test))
        return sorted(found, key=lambda test: (self.seconds.get(test, 0.0), test)) + others

    @classmethod
    def read(cls, path: Path) -> Reach:
        """What a survey has kept."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def survey(root: Path, folder: Path, path: Path) -> Reach:
    """All tests of `root` once, file by file; needs the package `coverage`."""
    names = [test.name for test in sorted((root / "tests").glob("test_*.py")) if test.name not in SKIPPED]
    settings, data = folder / "coveragerc", folder / "data"
    settings.write_text(_SETTINGS.format(data), encoding="utf-8")
    seconds: dict[str, float] = {}
    for number, name in enumerate(names, 1):
        command = ["-m", "coverage", "run", "--append", f"--rcfile={settings}", __file__, str(folder), name]
        subprocess.run([sys.executable, *command], cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, check=True)
        seconds |= json.loads((folder / _SECONDS).read_text(encoding="utf-8"))
        print(f"{number}/{len(names)} {name}", flush=True)
    reach = Reach(reached(data, root, set(seconds)), seconds)
    path.write_text(json.dumps(vars(reach)), encoding="utf-8")
    return reach


def reached(data: Path, root: Path, tests: set[str]) -> dict[str, dict[str, list[str]]]:
    """File -> line -> the tests that run it, from what `coverage` has recorded."""
    from coverage import CoverageData

    record = CoverageData(str(data))
    record.read()
    lines: dict[str, dict[str, list[str]]] = {}
    for file in record.measured_files():
        rows = defaultdict(list)
        for line, contexts in record.contexts_by_lineno(file).items():
            rows[str(line)] = sorted({name for name in map(node, contexts) if name in tests})
        lines[str(Path(file).relative_to(root))] = {line: names for line, names in rows.items() if names}
    return lines


def node(context: str) -> str:
    """The test function's name in pytest from its name in `coverage`: test_x.test_y, tests.test_x.TestA.test_y."""
    module, *names = context.removeprefix("tests.").split(".")
    return f"tests/{module}.py::" + "::".join(names)


class _Durations:
    """A plugin that adds up the seconds of each test function, all of its cases together."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report) -> None:
        self.seconds[report.nodeid.partition("[")[0]] += report.duration


def _run(folder: str, name: str) -> None:
    import pytest

    durations = _Durations()
    pytest.main(
        ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:nbval", "--tb=no", f"tests/{name}"],
        plugins=[durations],
    )
    (Path(folder) / _SECONDS).write_text(json.dumps(durations.seconds), encoding="utf-8")


if __name__ == "__main__":
    _run(*sys.argv[1:])
