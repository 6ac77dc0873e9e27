"""The source distribution holds everything that its tests read."""

import ast
import os
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Tests that read what lies beside the package: documents, notebooks, examples, tables, the command of the README.
FEW = ("tests/test_architecture.py", "tests/test_records.py", "tests/test_sdist.py")


def sources() -> set[str]:
    """Every file of the project that is no product of a run, relative to its root."""
    tops = ("tests", "docs", "notebooks", "examples", ".ci", ".github", "ndis_verify")
    single = ("LICENSE", "pyproject.toml", "MANIFEST.in", ".pre-commit-config.yaml")
    files = [path for top in tops for path in (ROOT / top).rglob("*")]
    files += [*ROOT.glob("*.md"), *ROOT.glob("*.cff"), *(ROOT / name for name in single)]
    odd = {"__pycache__", ".ipynb_checkpoints"}
    return {
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.is_file() and not odd & set(path.parts) and path.suffix not in (".pyc", ".part")
    }


def test_the_manifest_names_every_source():
    """By the rules of the file itself, which setuptools applies; what it adds by default is not counted on."""
    filelist = pytest.importorskip("setuptools._distutils.filelist")
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        listed = filelist.FileList()
        for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                listed.process_template_line(line)
    finally:
        os.chdir(here)
    by_default = {"README.md", "LICENSE", "pyproject.toml", "MANIFEST.in"}
    found = {Path(name).as_posix() for name in listed.files}
    assert sources() - found <= by_default
    assert not [name for name in found if "__pycache__" in name]


def test_tests_that_use_the_tools_are_left_out_where_there_are_none():
    """The tools of the project are not distributed: `importorskip` asks for them, an import would be an error."""
    plain = [
        path.name
        for path in (ROOT / "tests").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and any(
            name.partition(".")[0] == "tools"
            for name in [getattr(node, "module", None) or "", *(one.name for one in node.names)]
        )
    ]
    assert not plain


def recent() -> bool:
    try:
        return int(metadata.version("setuptools").partition(".")[0]) >= 77
    except metadata.PackageNotFoundError:
        return False


@pytest.mark.skipif(not recent(), reason="building needs setuptools 77 or later, as pyproject.toml says")
@pytest.mark.skipif("NDIS_VERIFY_IN_SDIST" in os.environ, reason="this is the unpacked one")
def test_an_sdist_is_whole_and_its_tests_run(tmp_path):
    """Built from a copy of the sources, so that no list of an earlier build is taken up. It holds every file of
    ours as it is, and the tests that look beside the package pass in it.
    """
    copy = tmp_path / "copy"
    for name in sources():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    build = f"from setuptools import build_meta; print(build_meta.build_sdist({str(tmp_path)!r}))"
    made = subprocess.run([sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    with tarfile.open(tmp_path / made.stdout.splitlines()[-1]) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11 has it from 3.11.4 on
        archive.extractall(tmp_path / "unpacked", **safely)
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    held = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert sources() <= held
    assert not [name for name in sources() if (unpacked / name).read_bytes() != (ROOT / name).read_bytes()]
    environment = os.environ | {"PYTHONPATH": str(unpacked), "NDIS_VERIFY_IN_SDIST": "1"}
    pytests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run([*pytests, *FEW], cwd=unpacked, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
