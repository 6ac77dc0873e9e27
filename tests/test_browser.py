"""The site in a real browser: search, filters, folding, graph, dark mode, a phone's width, and nothing from outside."""

import re

import pytest
from test_conform_reports import KNOWN, bad

from ndis_verify.claims.ledger import find
from ndis_verify.reference.conformance.page import page as report
from ndis_verify.report.site import page_of, write_site

browser = pytest.importorskip("tools.browser")
PROGRAM_REASON = "needs Chromium: apt-get install chromium"
pytestmark = pytest.mark.skipif(not browser.PROGRAM, reason=PROGRAM_REASON)
CLAIMS = [find(i) for i in ("N26-L1", "N26-L2", "N26-L2-corrected", "N24-L2", "KM-S3", "PKG-release-projection")]
PAGES = ["index.html", "matrix.html", "graph.html", "errata.html", "open.html", *(page_of(c.id) for c in CLAIMS)]
SHOWN = "[...document.querySelectorAll('tr[data-words]')].filter(row => row.offsetHeight).map(row => row.innerText)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, claims=CLAIMS)
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    shown = browser.Browser(tmp_path_factory.mktemp("profile"))
    yield shown
    shown.close()


def typed(page, name, text):
    """Give a field of the filter a value, as a person does."""
    page.value(
        f"{{const field = document.querySelector('.filter').elements['{name}']; field.value = {text!r};"
        " field.dispatchEvent(new Event('input', {bubbles: true}))}"
    )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_at_every_width_and_asks_for_nothing_from_outside(site, page, name):
    for width, scheme in ((1200, "light"), (375, "dark")):
        page.open(site / name, width, scheme)
        assert page.value("document.documentElement.scrollWidth") <= width
        asked = [event["request"]["url"] for event in page.of("Network.requestWillBeSent")]
        assert asked and all(url.startswith(site.as_uri()) for url in asked), asked
        assert page.of("Runtime.exceptionThrown") == [] and page.of("Network.loadingFailed") == []
        assert [e for e in page.of("Log.entryAdded") if e["entry"]["level"] == "error"] == []
        assert page.of("Runtime.consoleAPICalled") == []
        flat = (
            "[...document.querySelectorAll('math')].filter(m => !m.closest('details:not([open])'))"
            ".filter(m => m.querySelector('mi, mn, mo, mtext'))"
            ".filter(m => {const box = m.getBoundingClientRect(); return !(box.width > 0 && box.height > 2)})"
            ".map(m => m.outerHTML)"
        )
        assert page.value(flat) == []


def test_formulas_of_a_claim_are_drawn_as_mathematics(site, page):
    page.open(site / page_of("N26-L1"))
    fraction = "{const box = document.querySelector('.steps mfrac').getBoundingClientRect(); [box.width, box.height]}"
    width, height = page.value(fraction)
    letter = page.value("document.querySelector('.steps mi').getBoundingClientRect().height")
    assert width > 5 and height > 1.5 * letter


def test_a_label_is_searched_and_the_filters_narrow(site, page):
    page.open(site / "index.html")
    assert len(page.value(SHOWN)) == len(CLAIMS)
    typed(page, "words", "Lemma 2")
    assert len(page.value(SHOWN)) == 3 and page.value("document.querySelector('#count').textContent").startswith("3 of")
    assert all("Lemma 2" in row for row in page.value(SHOWN))
    typed(page, "source", "N24")
    assert [row.split("\t")[0] for row in page.value(SHOWN)] == ["N24 Lemma 2"]
    typed(page, "source", "")
    typed(page, "words", "")
    typed(page, "verdict", "refuted")
    assert [row.split("\t")[0] for row in page.value(SHOWN)] == ["KM Section 3"]


def test_a_search_is_kept_in_the_address(site, page):
    page.open(site / "index.html", fragment="#words=N26-L1")
    (row,) = page.value(SHOWN)
    assert "Lemma 1" in row
    assert page.follow("document.querySelector('tr[data-words]:not([hidden]) a').click()").endswith("N26-L1.html")


def test_what_is_folded_opens_by_the_keyboard(site, page):
    page.open(site / page_of("N26-L1"))
    first = "document.querySelector('.evidence details, li details')"
    assert page.value(f"{first}.open") is False
    page.value(f"{first}.querySelector('summary').focus()")
    page.press("Enter")
    assert page.value(f"{first}.open") is True


def test_a_node_of_the_graph_leads_to_its_claim_and_shows_its_lines(site, page):
    page.open(site / "graph.html")
    node = "document.querySelector('a[data-id=\"N26-L2\"]')"
    page.value(f"{node}.focus()")
    assert page.value("document.querySelectorAll('.graph path.on').length") >= 2
    assert page.value("document.querySelector('a[data-id=\"N26-L2-corrected\"]').classList.contains('on')")
    before = page.value("document.querySelector('.graph svg').getBoundingClientRect().width")
    page.value("document.querySelector('[data-zoom=\"1.25\"]').click()")
    assert page.value("document.querySelector('.graph svg').getBoundingClientRect().width") > 1.2 * before
    click = f"{node}.dispatchEvent(new MouseEvent('click', {{bubbles: true, cancelable: true}}))"
    assert page.follow(click).endswith("N26-L2.html")


def test_light_and_dark_are_readable(site, page):
    """The contrast of every colour of text with what lies behind it: WCAG AA asks for 4.5."""
    for scheme, dark in (("light", False), ("dark", True)):
        page.open(site / "index.html", 1200, scheme)
        back = numbers(page.value("getComputedStyle(document.body).backgroundColor"))
        assert (luminance(back) < 0.1) == dark
        texts = "[...new Set([...document.querySelectorAll('p, a, td, h1, .badge, small, label')]"
        for colour in page.value(f"{texts}.map(node => getComputedStyle(node).color))]"):
            light, low = sorted((luminance(numbers(colour)), luminance(back)), reverse=True)
            assert (light + 0.05) / (low + 0.05) >= 4.5, (scheme, colour)


def numbers(colour):
    """rgb(1, 2, 3) as three numbers."""
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def luminance(rgb):
    """The relative luminance of the standard."""
    parts = [c / 255 for c in rgb]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_cell_of_the_matrix_opens_and_leads_to_its_check(site, page):
    page.open(site / "matrix.html")
    page.value("document.querySelector('.matrix td details').open = true")
    assert page.value("document.querySelector('.matrix td details a').offsetHeight") > 0
    assert "claims/" in page.follow("document.querySelector('.matrix td details a').click()")


def test_a_printed_page_shows_what_is_folded(site, page):
    page.open(site / page_of("N26-L2"))
    page.ask("Emulation.setEmulatedMedia", media="print")
    assert page.value("document.querySelector('nav').offsetHeight") == 0
    page.ask("Emulation.setEmulatedMedia", media="")
    assert len(page.ask("Page.printToPDF")["data"]) > 10_000


def test_the_report_of_a_conformance_run_is_whole_and_narrowed_without_a_script(tmp_path, page):
    (tmp_path / "report.html").write_text(report(bad(), KNOWN), encoding="utf-8")
    for width, scheme in ((1200, "light"), (375, "dark")):
        page.open(tmp_path / "report.html", width, scheme)
        assert page.value("document.documentElement.scrollWidth") <= width
        assert len(page.of("Network.requestWillBeSent")) == 1 and page.of("Log.entryAdded") == []
    shown = "[...document.querySelectorAll('.failures tbody tr')].filter(row => row.offsetHeight).length"
    assert page.value(shown) == 3
    page.value("document.querySelector('#severity-1').click()")  # no answer
    assert page.value(shown) == 1
    page.value("document.querySelector('#severity-0').click(); document.querySelector('#quantity-2').click()")
    assert page.value(shown) == 2
