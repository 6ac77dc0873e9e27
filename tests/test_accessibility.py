"""axe-core finds nothing serious on the pages of the site, nor on the report of a conformance run."""

import tarfile

import pytest
from test_browser import PROGRAM_REASON, browser
from test_calculator_browser import PLACE
from test_conform_reports import KNOWN, bad

from ndis_verify.claims.ledger import find
from ndis_verify.reference.conformance.page import page as report
from ndis_verify.report.calculator import PARTS
from ndis_verify.report.site import page_of, write_calculator, write_site

docs = pytest.importorskip("tools.docs")
AXE = pytest.importorskip("tools.parts").AXE

(ARCHIVE,) = AXE
pytestmark = [
    pytest.mark.skipif(not browser.PROGRAM, reason=PROGRAM_REASON),
    pytest.mark.skipif(not (PLACE / ARCHIVE).exists(), reason="needs python -m tools.parts build/parts --axe"),
]
CLAIMS = [find(i) for i in ("N26-L2", "N26-L3", "N24-T5")]
PAGES = ["index.html", "matrix.html", "graph.html", "errata.html", "open.html", *(page_of(c.id) for c in CLAIMS)]
SERIOUS = """axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations
    .filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, nodes}) => [id, ...nodes.slice(0, 5).map(({target, html}) => `${target} ${html.slice(0, 200)}`)]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, claims=CLAIMS)
    (folder / "report.html").write_text(report(bad(), KNOWN), encoding="utf-8")
    if all((PLACE / name).exists() for name in PARTS):
        write_calculator(folder, CLAIMS, PLACE)
    return folder


@pytest.fixture(scope="module")
def axe():
    with tarfile.open(PLACE / ARCHIVE) as archive:
        return archive.extractfile("package/axe.min.js").read().decode("utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    shown = browser.Browser(tmp_path_factory.mktemp("profile"))
    shown.ask("Page.setBypassCSP", enabled=True)  # for axe alone: the pages allow no script but their own
    yield shown
    shown.close()


@pytest.mark.parametrize("name", [*PAGES, "report.html", "calculator.html"])
def test_nothing_serious_is_found(site, page, axe, name):
    if not (site / name).exists():
        pytest.skip("needs python -m tools.parts build/parts")
    for scheme in ("light", "dark"):
        page.open(site / name, 1200, scheme)
        page.value(f"{axe};0")
        assert page.value(SERIOUS) == [], scheme


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    pytest.importorskip("myst_nb", reason="needs the extra docs")
    pytest.importorskip("furo", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("docs")
    docs.lay_out(folder / "source")
    return docs.build(folder / "source", folder / "html")


@pytest.mark.parametrize(
    "name", ["index", "glossary", "gallery", "check_a_step", "api/ndis_verify.fast", "notebooks/01_lemma"]
)
def test_nothing_serious_is_found_in_the_documents(documents, page, axe, name):
    for width, scheme in ((1200, "light"), (375, "dark")):
        page.open(documents / f"{name}.html", width, scheme)
        assert page.value("document.documentElement.scrollWidth") <= width
        asked = [event["request"]["url"] for event in page.of("Network.requestWillBeSent")]
        assert all(url.startswith((documents.as_uri(), "data:")) for url in asked), asked
        page.value(f"{axe};0")
        assert page.value(SERIOUS) == [], scheme


def test_what_is_serious_would_be_found(tmp_path, page, axe):
    (tmp_path / "bad.html").write_text("<html><title>x</title><p style='color:#ccc'>pale</p><img src='x'></html>")
    page.open(tmp_path / "bad.html")
    page.value(f"{axe};0")
    assert {found[0] for found in page.value(SERIOUS)} >= {"color-contrast", "image-alt", "html-has-lang"}
