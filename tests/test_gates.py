"""The gate: what is asked for before the tests, at a commit and in the public workflow is one list of commands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LINT = re.findall(r"^\.venv-lint/bin/((?:ruff|mypy).*)$", (ROOT / ".ci/lint").read_text(), re.MULTILINE)
WORKFLOW = (ROOT / ".github/workflows/tests.yml").read_text()


def test_the_gate_comes_before_the_tests():
    assert LINT == ["ruff format --check .", "ruff check .", "mypy"]
    assert re.findall(r"bash \./(\w+)", (ROOT / ".ci/run").read_text()) == [
        "lint",
        "tests",
        "browser",
        "docs",
        "recheck",
        "speed",
        "peers",
    ]


def test_the_workflow_runs_the_same_scripts_on_every_python_that_is_supported():
    assert re.findall(r"run: bash \.ci/(\w+)", WORKFLOW) == [
        "lint",
        "tests",
        "speed",
        "browser",
        "docs",
        "recheck",
        "peers",
    ]
    pythons = re.search(r"python: \[(.*)\]", WORKFLOW)[1].replace('"', "").split(", ")
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["project"]["requires-python"] == f">={pythons[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == pythons[0]


def test_a_commit_is_held_to_the_same_tools():
    entries = re.findall(r"entry: (ruff \w+|mypy)", (ROOT / ".pre-commit-config.yaml").read_text())
    assert entries == [re.match(r"ruff \w+|mypy", command)[0] for command in LINT]


def test_the_tools_have_a_range_and_the_types_are_shipped():
    ranges = dict(
        re.match(r"([\w-]+)(.*)", tool).groups() for tool in PROJECT["project"]["optional-dependencies"]["dev"]
    )
    assert all("<" in ranges[tool] for tool in ("ruff", "mypy"))
    shipped = PROJECT["tool"]["setuptools"]["package-data"]["ndis_verify"]
    assert "py.typed" in shipped and "*/__init__.pyi" in shipped


def test_no_ignore_of_a_type_is_without_its_code_and_its_reason():
    for path in (ROOT / "ndis_verify").rglob("*.py"):
        for line in path.read_text().splitlines():
            if "type: ignore" in line:
                assert re.search(r"# type: ignore\[[a-z-]+\]  # \w", line), f"{path.name}: {line.strip()}"
