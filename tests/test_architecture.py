"""The house rules that a program can read: blind witnesses, no evaluation of text, executed notebooks."""

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ndis_verify.facade import handed_on

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ndis_verify"
RECORDS = {"exact_number", "gaussian_pair", "quadratic_form", "enclosure", "claim"}
SHARED = {
    "rich",
    "arguments",
    "calibrator",
    "discovery",
    "facade",
    "moved",
}  # what is checked, called, found: no numbers pass
RECORD_NAMES = {"Enclosure", "GaussianPair", "InputError", "QuadraticForm"}
WITNESSES = ("symbolic", "oracle", "fast")
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def said(source: str) -> tuple[list[ast.Import | ast.ImportFrom], list[tuple[str, str, int]]]:
    """The imports of a file and its calls, as (name, what it is an attribute of, line): parsed once for all rules."""
    imports, calls = [], []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            calls.append((name, getattr(getattr(node.func, "value", None), "id", ""), node.lineno))
    return imports, calls


def imported_modules(source: str, package: tuple[str, ...]) -> set[str]:
    """Absolute names of every module that a file of `package` imports, relative imports resolved."""
    imports, calls = said(source)
    dynamic = {name for name, _, _ in calls} & {"import_module", "__import__"}
    names = {"a dynamic import"} if dynamic else set()
    for node in imports:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        else:
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


def forbidden(source: str, package: tuple[str, ...], witness: str) -> list[str]:
    """The imports by which a file of one witness would see more of the package than the records and itself.

    Derivations also see the language of the statements in which they end.
    """
    language = {"statements"} if witness == "symbolic" else set()
    seen = []
    for name in imported_modules(source, package):
        parts = name.split(".")
        if name == "a dynamic import" or (
            parts[0] == "ndis_verify"
            and len(parts) > 1
            and parts[1] not in RECORDS | SHARED | RECORD_NAMES | language | {witness}
        ):
            seen.append(name)
    return seen


@pytest.mark.parametrize("witness", WITNESSES)
def test_the_witnesses_are_mutually_blind(witness):
    files = sorted((PACKAGE / witness).rglob("*.py"))
    assert len(files) > 1
    for path in files:
        package = path.relative_to(ROOT).parent.parts
        assert not forbidden(path.read_text(encoding="utf-8"), package, witness), path.name


@pytest.mark.parametrize(
    "line",
    [
        "from ndis_verify.oracle import hockey_stick",
        "import ndis_verify.oracle.engine.contour",
        "from ..oracle import contour",
        "from ndis_verify import oracle",
        "importlib.import_module('ndis_verify.oracle')",
    ],
)
def test_a_forbidden_import_would_be_seen(line):
    assert forbidden(line, ("ndis_verify", "fast"), "fast")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_is_evaluated(path):
    for name, owner, line in said(path.read_text(encoding="utf-8"))[1]:
        assert name not in ("eval", "exec", "parse_expr", "sympify") or owner == "re", f"line {line}: {name}"
        assert owner != "pickle", f"line {line}: pickle"


FACADES = sorted(stub.parent for stub in PACKAGE.rglob("__init__.pyi"))
HANDED_ON = {".".join(folder.relative_to(ROOT).parts): handed_on(folder / "__init__.pyi") for folder in FACADES}


@pytest.mark.parametrize("folder", FACADES, ids=lambda path: path.name)
def test_a_facade_hands_on_what_its_stub_says_and_loads_nothing_before(folder):
    package = ".".join(folder.relative_to(ROOT).parts)
    names = handed_on(folder / "__init__.pyi")
    program = f"""
import sys, {package} as facade
light = {{"ndis_verify.facade", "ndis_verify.moved"}}  # what the package itself needs to be one
loaded = [name for name in sys.modules if name.startswith("{package}.") and name not in light]
assert not {{"mpmath", "numpy", "sympy", "flint"}} & set(sys.modules)
assert not loaded, loaded
for name, (module, there) in {names!r}.items():
    __import__(module)
    assert getattr(facade, name) is getattr(sys.modules[module], there), name
from {package} import *
assert set({sorted(names)!r}) <= set(dir()) and facade.__all__ == {sorted(names)!r}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (listed,) = (node for node in ast.parse((folder / "__init__.pyi").read_text()).body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed.value)) == sorted(names)


def handed_through(source: str) -> list[str]:
    """The imports of a file that take a name through a facade, or a facade itself."""
    found = []
    for node in said(source)[0]:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in HANDED_ON]
        elif node.module:
            given = HANDED_ON.get(node.module, {})
            found += [one.name for one in node.names if one.name in given or f"{node.module}.{one.name}" in HANDED_ON]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_imports_the_module_that_defines_a_name(path):
    """Facades are for users; the engines of the line protocol answer for what they hand on."""
    if path.name not in ("engines.py", "exact_engines.py"):
        assert not handed_through(path.read_text(encoding="utf-8"))


def test_an_import_through_a_facade_would_be_seen():
    lines = "from ndis_verify.fast import spectrum\nfrom ndis_verify import oracle\nimport ndis_verify.audit as audit\n"
    assert handed_through(lines) == ["spectrum", "oracle", "ndis_verify.audit"]
    assert not handed_through("from ndis_verify.fast import contour\nfrom ndis_verify import claim\n")


def test_notebooks_are_committed_executed_from_the_top():
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), path.name
        assert not any(output["output_type"] == "error" for cell in code for output in cell["outputs"]), path.name


def test_a_frozen_record_is_written_while_it_is_made_only():
    writes, late = "object.__setattr__", []
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(source)) if writes in source else ():
            if isinstance(function, ast.FunctionDef) and function.name not in ("__init__", "__post_init__"):
                late += [function.name] if writes in (ast.get_source_segment(source, function) or "") else []
    assert not late


# Who stands on whom: a room imports its own floor's neighbours never, rooms below freely, rooms above never.
FLOORS = (
    {
        "exact_number",
        "plain_text",
        "rounded_text",
        "arguments",
        "enclosure",
        "gaussian_pair",
        "quadratic_form",
        "claim",
        "statements",
        "rich",
    },
    {"calibrator", "discovery", "facade", "moved", "tables", "datasets"},
    {"runs", "symbolic", "oracle", "fast"},
    {"mechanisms", "court"},
    {"audit", "hunts", "bench", "forensics"},
    {"experiments"},
    {"claims"},
    {"report", "reference"},
    {"commands"},
    {"cli"},
    {"__main__"},
)


@cache
def arrows() -> dict[str, set[str]]:
    """Module -> the modules of the package that it imports, anywhere in the file."""
    files = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in MODULES}
    names = {name.removesuffix(".__init__"): name for name in files}
    found = {}
    for name, path in files.items():
        seen = imported_modules(path.read_text(encoding="utf-8"), path.relative_to(ROOT).parent.parts)
        found[name] = {names[target] for target in seen if target in names} - {name}
    return found


def test_no_import_runs_in_a_circle():
    left = arrows()
    packages = {name for name in left if name.endswith("__init__")}  # every import of a module runs its package first
    left = {name: targets - packages for name, targets in left.items() if name not in packages}
    while leaves := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in leaves}
    assert not left, "these files import one another, or stand on such files"


def test_arrows_point_downwards():
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    up = []
    for name, targets in arrows().items():
        room = name.split(".")[1]
        for target in targets:
            there = target.split(".")[1]
            if "__init__" in (room, there) or room == there or {room, there} <= FLOORS[0]:
                continue
            if floor[there] >= floor[room]:
                up.append(f"{name} -> {target}")
    assert not up


def test_every_room_has_a_floor():
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES} - {"__init__"}
    assert rooms <= set().union(*FLOORS)
