"""The calculator of the site: a page in which the certified engine itself answers, and the parts that it is made of.

The engine is the package's own code, run by Python and Arb compiled for browsers. Their files are no part of the
package; whoever builds the page hands them over (`PARTS`), and each is believed under its checksum only.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ndis_verify.claim import Claim, Kind
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.source_names import ROOT
from ndis_verify.court.statement_checks import Violation
from ndis_verify.exact_number import InputError
from ndis_verify.report.calculator_words import AXES, INPUTS, WORDS
from ndis_verify.report.places import label_of
from ndis_verify.rich import folded, letters, prose, wrapping
from ndis_verify.runs.files import read_regular, write_atomically
from ndis_verify.statements.json_form import to_json

_FLINT = "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
PARTS = {  # file: SHA-256
    "pyodide-314.0.7.tgz": "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    _FLINT: "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3",
    "mpmath-1.3.0-py3-none-any.whl": "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c",
}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src blob:;"
    " connect-src blob:; img-src 'self'"
)
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_FILES = Path(__file__).resolve().parent / "site_files"
_MOST_BYTES = 64 * 2**20
_USED = """
import sys
sys.modules["numpy"] = sys.modules["scipy"] = sys.modules["sympy"] = None
from importlib import import_module
from ndis_verify.discovery import files
import ndis_verify.reference.calculator
for name in (*files("ndis_verify.oracle"), *files("ndis_verify.court.quantities")):
    if not name.rpartition(".")[2].startswith("float_"):
        import_module(name)
print(*(m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] == "ndis_verify"), sep="\\n")
"""


def write_parts(folder: Path, parts: Path) -> None:
    """Write what the page loads into `folder`, one script a part, made of the files `PARTS` in the folder `parts`.

    Scripts and not plain files, as a page that is opened from the disk may load nothing else. Raises `InputError`
    where a file is absent or not the one that is meant.
    """
    given = checked(parts)
    runtime, *wheels = given.values()
    packed = {**_members(runtime), "engine.zip": _engine(), "worker.js": (_FILES / "worker.js").read_bytes()}
    packed |= dict(zip(list(given)[1:], wheels, strict=True))
    for name, content in packed.items():
        write_atomically(folder / f"{name}.js", _script(name, content))


def checked(parts: Path, wanted: Mapping[str, str] = PARTS) -> dict[str, bytes]:
    """Files of a folder by their checksums. Raises `InputError` where one is not what is meant."""
    return {name: _checked(parts / name, digest) for name, digest in wanted.items()}


def _checked(path: Path, digest: str) -> bytes:
    if not path.exists():
        raise InputError("--calculator", str(path), "is absent; python -m tools.parts FOLDER fetches it")
    content = read_regular(path, _MOST_BYTES, argument="--calculator", follow=True)
    if hashlib.sha256(content).hexdigest() != digest:
        raise InputError("--calculator", str(path), f"must have the SHA-256 {digest}")
    return content


def _members(archive: bytes) -> dict[str, bytes]:
    """The files of the runtime, from the archive of its package."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        found = {name: opened.extractfile(f"package/{name}") for name in _RUNTIME}
        return {name: file.read() for name, file in found.items() if file is not None}


def _engine() -> bytes:
    """The modules of this package that the calculator needs, as a zip archive."""
    found = subprocess.run([sys.executable, "-c", _USED], capture_output=True, text=True, check=True).stdout
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(file for line in found.splitlines() for file in _with_stub(Path(line))):
            entry = zipfile.ZipInfo(
                path.relative_to(ROOT.parent).as_posix()
            )  # dated 1980, so that it is the same again
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _with_stub(path: Path) -> Iterator[Path]:
    """A module, and the stub beside a facade."""
    yield path
    if path.with_suffix(".pyi").exists():
        yield path.with_suffix(".pyi")


def _script(name: str, content: bytes) -> str:
    """A part as a script; what is not compressed yet is."""
    packed = not name.endswith((".zip", ".whl"))
    data = gzip.compress(content, 9, mtime=0) if packed else content
    return f'part("{name}", {json.dumps(packed)}, "{base64.b64encode(data).decode()}");\n'


def calculator_body(claims: Iterable[Claim]) -> str:
    """The page without its frame."""
    parts = [*_RUNTIME, "engine.zip", "worker.js", *list(PARTS)[1:]]
    data = {
        "parts": parts,
        "inputs": INPUTS,
        "axes": AXES,
        "quantities": _quantities(),
        "statements": list(_statements(claims)),
    }
    return (
        "<h1>A certified calculator</h1><p>Exact numbers in, a value with a proven radius out: the package's own"
        " certified engine, ball arithmetic included, runs in this page. Nothing that you type leaves it. The first"
        " answer takes some seconds, as the engine is loaded then.</p>"
        "<noscript><p><b>The calculator needs scripts.</b> <code>ndis-verify reference query</code> answers the same"
        " in a terminal.</p></noscript>"
        '<form class="calculator" hidden><label>What is asked<select name="quantity"></select></label>'
        '<div id="about"></div><div class="fields"></div>'
        '<label class="digits">Digits<input name="digits" inputmode="numeric" value="50"></label>'
        '<p><button type="submit">Compute</button><button type="button" name="curve">Draw the curve</button>'
        '<button type="button" name="stop" disabled>Stop</button></p></form>'
        '<p id="state" role="status"></p><div id="answer" aria-live="polite"></div><div id="curve"></div>'
        f'<script type="application/json" id="asked">{_inside_script(data)}</script>'
        '<script src="calculator.js" defer></script>'
    )


def _inside_script(data: Mapping[str, Any]) -> str:
    """JSON that ends no script element."""
    return json.dumps(data).replace("<", "\\u003c")


def _quantities() -> list[dict[str, Any]]:
    """Each quantity of the line protocol: its words, and an example for each of its inputs."""
    return [{"name": name, **words, "inputs": words["example"]} for name, words in WORDS.items()]


def _statements(claims: Iterable[Claim]) -> Iterator[dict[str, Any]]:
    """Every counterexample that is a statement at a point."""
    for claim in claims:
        runs = [check.run for check in claim.checks if check.kind is Kind.COUNTEREXAMPLE]
        found = [run for run in runs if isinstance(run, PointRun) and isinstance(run.certify, Violation)]
        for number, run in enumerate(found, 1):
            statement = run.certify.statement  # type: ignore[attr-defined]  # a Violation has it
            yield {
                "name": f"{claim.id}/{number}",
                "title": f"{label_of(claim.id)}: {letters(claim.title)}" + (f" ({number})" if len(found) > 1 else ""),
                "about": f"<p>{prose(claim.statement)}</p>{folded(wrapping(statement.tex), 0)}"
                f'<p><a href="claims/{escape(claim.id)}.html">{escape(label_of(claim.id))}</a></p>',
                "inputs": {name: str(value) for name, value in run.point.items()},
                "labels": {name: prose(name) for name in run.point},
                "statement": json.loads(to_json(statement)),
            }
