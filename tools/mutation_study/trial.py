"""One bug against its tests: a copy of the tree, a process for each test file, a limit on its time."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.mutation_study.mutants import Mutant

GREEN, RED, SLOW = "green", "red", "out of time"
_MARK = (
    b"\n# A copy: kept records that name the sources by their hash see a change in every file, with a bug or without.\n"
)
_HEAVY = (
    "numpy",
    "scipy.optimize",
    "scipy.stats",
    "scipy.integrate",
    "scipy.linalg",
    "sympy",
    "mpmath",
    "flint",
    "hypothesis",
    "pytest",
)


def copied(root: Path, folder: Path, marked: bool = False) -> Path:
    """What a trial needs of the repository, in `folder`; `marked`: every source of the package with a line more."""
    for name in names(root):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, target)
        if marked and name.startswith("ndis_verify/") and name.endswith(".py"):
            target.write_bytes(target.read_bytes() + _MARK)
    return folder


def names(root: Path) -> list[str]:
    """The files that git tracks there; all files of what is no repository."""
    if not (root / ".git").exists():
        return [str(path.relative_to(root)) for path in sorted(root.rglob("*")) if path.is_file()]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]


@contextmanager
def planted(mutant: Mutant, root: Path, tree: Path) -> Iterator[None]:
    """The copy with the bug in it inside the block, and without it afterwards."""
    target, original = tree / mutant.file, (root / mutant.file).read_bytes()
    target.write_bytes(mutant.planted(original) + _MARK)
    try:
        yield
    finally:
        target.write_bytes(original + _MARK)


@dataclass
class Runner:
    """Runs test files of a copy in forks of one process that has imported the libraries they need."""

    tree: Path

    def __post_init__(self) -> None:
        for name in _HEAVY:
            __import__(name)

    def run(self, tests: list[str], processor: float, seconds: float) -> tuple[str, str]:
        """(green, red or out of time; the test that ran last). `processor`: seconds of the processor."""
        start, (reader, writer) = time.monotonic(), os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            os._exit(self._child(tests, processor, writer))
        os.close(writer)
        os.set_blocking(reader, False)
        outcome, done, said = SLOW, 0, b""
        while time.monotonic() - start < seconds:
            with contextlib.suppress(BlockingIOError):
                said += os.read(reader, 65536)
            done, code = os.waitpid(child, os.WNOHANG)
            if done:
                outcome = (
                    SLOW
                    if os.WIFSIGNALED(code) and os.WTERMSIG(code) in (signal.SIGXCPU, signal.SIGKILL)
                    else GREEN
                    if code == 0
                    else RED
                )
                break
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # with whatever it has started
        if not done:
            os.waitpid(child, 0)
        with contextlib.suppress(BlockingIOError):
            said += os.read(reader, 65536)
        os.close(reader)
        return outcome, said.decode(errors="replace").strip().rpartition("\n")[2]

    def _child(self, tests: list[str], processor: float, writer: int) -> int:
        import pytest

        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(processor) + 1, int(processor) + 5))
        os.chdir(self.tree)
        os.environ["PYTHONPATH"] = str(self.tree)
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        sys.path[:] = [str(self.tree)] + [path for path in sys.path if path not in ("", os.getcwd())]
        for name in [name for name in sys.modules if name.partition(".")[0] in ("ndis_verify", "tools")]:
            del sys.modules[name]
        sink = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(sink, stream)
        sys.stdout = sys.stderr = io.StringIO()
        try:
            options = [
                "-x",
                "-q",
                "-p",
                "no:cacheprovider",
                "-p",
                "no:xdist",
                "-p",
                "no:nbval",
                "-p",
                "no:anyio",
                "--tb=no",
                "--rootdir",
                str(self.tree),
            ]
            code = int(pytest.main([*options, *tests], plugins=[_Says(writer)]))
        except BaseException:
            code = 1
        return 0 if code in (0, 5) else 1


@dataclass(eq=False)  # plugins are kept in sets
class _Says:
    """A plugin that writes the name of each test before it runs, and of what could not be read."""

    writer: int

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._say(nodeid)

    def pytest_collectreport(self, report) -> None:
        if report.failed:
            self._say(report.nodeid)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self.writer, text.encode()[:4000] + b"\n")
