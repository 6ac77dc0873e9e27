"""The documentation: its snippets run, its pages are all reached, and Sphinx makes it without a warning."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_readme import ran

from ndis_verify.rich import mathml

docs = pytest.importorskip("tools.docs")

ROOT = Path(__file__).parents[1]
GUIDES = (
    "delta_for_my_mechanism",
    "check_a_step",
    "test_my_implementation",
    "audit_a_mechanism",
    "add_noise_safely",
    "write_a_claim",
)
BEFORE = """
import numpy as np
data = np.random.default_rng(1).normal(size=(50, 5))
drawn = np.random.default_rng(7)
"""


def blocks(name, kind):
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_python_of_the_guides_runs(tmp_path):
    """What is yours stands there as `...`: draws take its place. One process, as most of the time is its imports."""
    code = "".join(block for name in (*GUIDES, "guide") for block in blocks(name, "python"))
    code = re.sub(r"^([pq]) = \.\.\.", r"\1 = drawn.normal('q' < '\1', 1, 10_000)", code, flags=re.MULTILINE)
    script = tmp_path / "snippets.py"
    script.write_text(BEFORE + code, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr


LINES = [
    line[2:] for name in GUIDES for block in blocks(name, "console") for line in block.splitlines() if line[0] == "$"
]
TRIED = (ROOT / "README.md").read_text(encoding="utf-8")  # its commands have a test of their own


@pytest.mark.parametrize("command", [line for line in LINES if line not in TRIED])
def test_a_command_of_a_guide_runs(command, tmp_path):
    assert ran(shlex.split(command), tmp_path)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "source"
    docs.lay_out(folder)
    return folder


def test_every_link_of_a_document_leads_somewhere(source):
    broken = [
        f"{page.name}: {target}"
        for page in source.rglob("*.md")
        for target in re.findall(
            r"\]\(([^)#\s]+)", re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
        )
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_document_and_notebook_is_listed(source):
    index = (source / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:.*<)?([\w/*]+)>?$", index, re.MULTILINE))
    pages = {page.stem for page in source.glob("*.md")} - {"index"}
    assert pages <= listed and "notebooks/*" in listed and "api/index" in listed
    assert len(list((source / "notebooks").glob("*.ipynb"))) == len(list((ROOT / "notebooks").glob("*.ipynb")))


def test_every_name_of_a_facade_is_in_the_reference(source):
    pages = "".join(page.read_text(encoding="utf-8") for page in (source / "api").glob("*.md"))
    for name in ("fast.hockey_stick", "oracle.certified_hockey_stick", "mechanisms.random_projection", "GaussianPair"):
        assert f"ndis_verify.{name}\n" in pages


def test_sphinx_makes_it_without_a_warning(source, tmp_path):
    pytest.importorskip("myst_nb", reason="needs the extra docs")
    pytest.importorskip("furo", reason="needs the extra docs")
    (source / "_extra" / "ledger" / "claims").mkdir(parents=True)
    for name in ("index", "claims/N26-L3", "claims/N26-L2"):
        (source / "_extra" / "ledger" / f"{name}.html").write_text("the ledger", encoding="utf-8")
    made = docs.build(source, tmp_path / "html")
    pages = {path.relative_to(made).as_posix(): path.read_text(encoding="utf-8") for path in made.rglob("*.html")}
    assert {f"{name}.html" for name in GUIDES} <= set(pages) and "notebooks/01_lemma.html" in pages
    assert 'href="../ledger/index.html"' in pages["notebooks/01_lemma.html"] and "ledger/index.html" in pages
    assert "calculator.html" not in pages["index.html"]
    assert "<math" in pages["notebooks/01_lemma.html"] and "hockey_stick" in pages["api/ndis_verify.fast.html"]
    assert '<a class="reference internal" href="ledger/claims/N26-L3.html">N26-L3</a>' in pages["ledger.html"]
    assert any('href="../ledger/claims/N26-L3.html"' in pages[page] for page in pages if page.startswith("notebooks/"))
    linked = re.findall(r'href="[./]*ledger/claims/([^"]*)"', "".join(pages.values()))
    assert set(linked) == {"N26-L2.html", "N26-L3.html"}
    assert not any(
        "ledger/claims" in part for page in pages.values() for part in re.findall("<pre.*?</pre>", page, re.S)
    )


def test_what_is_loaded_from_elsewhere_would_be_seen():
    page = '<a href="https://x.org">x</a><script src="https://x.org/a.js"></script>'
    page += '<link href="//x.org/b.css"><img src="a.png">'
    assert docs._LOADED.findall(page) == ["https://x.org/a.js", "//x.org/b.css"]


def test_every_formula_of_a_notebook_is_typeset():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        for one, other in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text, re.DOTALL):
            assert mathml((one or other).strip()), path.name
