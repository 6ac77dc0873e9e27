"""The pages of the ledger: whole, offline, well-formed, and found by label."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import sympy as sp
from command_line import run
from mpmath import mpf

from ndis_verify import GaussianPair, InputError
from ndis_verify.audit.gdp_parameter import GaussianCurve
from ndis_verify.claim import Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.attack import enclosure_of
from ndis_verify.court.attack_checks import PointRun, counterexample_check
from ndis_verify.court.statement_checks import missing_link
from ndis_verify.enclosure import Enclosure
from ndis_verify.mechanisms.calibration import Certificate
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.report.claim_page import (
    _points,
    claim_body,
    counts,
    derivations_of,
    linked,
    mentioned,
    proofs_of,
    steps_in_words,
)
from ndis_verify.report.places import ids_of, label_of
from ndis_verify.report.site import page_of, write_site
from ndis_verify.report.violation_picture import violation_svg
from ndis_verify.rich import folded, mathml, prose, wrapping
from ndis_verify.symbolic.heads import HEADS, head_tex, meanings
from ndis_verify.symbolic.notation import scalar
from ndis_verify.symbolic.typeset import derivation_html, side_tex

VOID = {"meta", "link", "input", "wbr", "br"}


class Page(HTMLParser):
    """Links, ids and loaded addresses of a page; an element that is not closed in its turn is an error."""

    def __init__(self, path: Path):
        super().__init__()
        self.links, self.loaded, self.ids, self.open, self.kinds = [], [], [], [], Counter()
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)
        assert not self.open, (path.name, self.open)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.kinds[tag] += 1
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.loaded += [found[key] for key in ("src", "srcset", "data", "poster") if key in found]
        self.loaded += [found["href"]] if tag == "link" else []
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.get_starttag_text().endswith("/>") or self.open[-1:] == [tag]:
            assert self.open.pop() == tag


NAMED = ("N26-L1", "N26-P1", "N26-L2", "N26-L2-corrected", "N26-L3", "N26-L4")
CLAIMS = [claim for k, claim in enumerate(all_claims()) if claim.id in NAMED or k % 8 == 3]  # a page takes a tenth


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert write_site(folder, claims=CLAIMS) == folder / "index.html"
    return folder


RAW = re.compile(r"\w\*\*|\b(?:Derivative|Integral|Limit|Matrix|Subs|Piecewise)\(|->|\bsqrt\(|\^T")


def bare(html):
    """What a page shows of a derivation as plain text: without formulas, code, and what is raised or lowered."""
    html = re.sub(r"<(math|code|pre|sub|sup)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", html).replace("&gt;", ">")


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}


def test_every_claim_has_a_page_with_its_text_and_a_row_of_the_index(pages):
    assert set(pages) == {page_of(claim.id) for claim in CLAIMS} | {
        "index.html",
        "matrix.html",
        "graph.html",
        "errata.html",
        "open.html",
    }
    for claim in CLAIMS:
        text = pages[page_of(claim.id)].text
        assert f"ndis-verify verify {claim.id}" in text and claim.declared.value in text
        text = re.sub(r'<a href="[\w.-]+\.html">([\w.-]+)</a>', r"\1", text)  # names of claims are links
        for said in (claim.statement, claim.title, claim.corrected, claim.counterexample, claim.reason, claim.note):
            assert said is None or prose(said) in text, claim.id
        assert f'href="{page_of(claim.id)}"' in pages["index.html"].text


def test_every_step_of_every_derivation_is_on_the_page_of_its_claims(pages):
    for claim in CLAIMS:
        text = pages[page_of(claim.id)].text
        for derivation in derivations_of(claim):
            for step in derivation.steps:
                assert prose(step.name) in text and prose(step.why) in text, (claim.id, step.name)
            assert all(prose(fault.name) in text for fault in derivation.faults)
        found = counts(proofs_of(claim))
        assert found["argued"] == sum(len(one.arguments) for one in proofs_of(claim))
        steps = steps_in_words(found)
        assert not steps or f"Steps of its proofs, lemmas included: {steps}. " in text
    lemma = next(claim for claim in CLAIMS if claim.id == "N26-L1")  # its other route has five argued steps
    assert counts(proofs_of(lemma))["argued"] == 0 < counts(derivations_of(lemma))["argued"]
    assert pages[page_of("N26-L1")].text.count("Beside its proofs: ") == 4
    # The ends of the proofs of some are compared with the statement, and those of others read.
    read = {claim.id for claim in CLAIMS if missing_link(claim)}
    assert {claim.id for claim in CLAIMS if "end in the statement" in pages[page_of(claim.id)].text} == read
    assert "N26-P1" not in read


def test_links_resolve_and_nothing_is_loaded_from_elsewhere(site, pages):
    for name, page in pages.items():
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            assert not parts.scheme and not parts.netloc, (name, address)
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            assert target.resolve().is_file() and site.resolve() in target.resolve().parents, (name, address)
            if parts.fragment:
                assert parts.fragment in pages[target.resolve().relative_to(site.resolve()).as_posix()].ids
        assert " style=" not in page.text and "Content-Security-Policy" in page.text
        assert len(page.ids) == len(set(page.ids)), name
    for name in ("style.css", "search.js", "graph.js"):
        assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttp", (site / name).read_text(encoding="utf-8"))


def test_every_formula_is_well_formed_and_of_elements_that_browsers_know(pages):
    names = "math semantics annotation mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover"
    known = set(f"{names} munderover mtable mtr mtd".split())
    found = 0
    for page in pages.values():
        for text in re.findall(r"<math.*?</math>", page.text, re.DOTALL):
            assert {node.tag.rpartition("}")[2] for node in ElementTree.fromstring(text).iter()} <= known
            found += 1
    assert found > 500


def test_the_graph_has_a_coloured_link_for_every_claim_and_a_line_for_what_rests_on_what(pages):
    text = pages["graph.html"].text
    for claim in CLAIMS:
        (node,) = re.findall(rf'<a href="[^"]*" data-id="{re.escape(claim.id)}" class="[^"]*"', text)
        assert f'href="{page_of(claim.id)}"' in node and f'class="{claim.declared.value}"' in node
        for derivation in derivations_of(claim):
            assert f'data-id="{derivation.id}"' in text
    assert 'data-a="N26-L2" data-b="N26-L2-corrected"' in text
    lines = [
        line for kind in ("proved-by", "lemma", "uses-a-fact") for line in re.findall(f'<path class="{kind}"', text)
    ]
    assert len(lines) > 60 and pages["graph.html"].kinds["circle"] == text.count("data-id=")


def test_what_is_long_folds_and_is_whole(pages):
    text = pages[page_of("N26-L1")].text
    assert "A long formula" in text
    assert not re.search(r"characters in all", text)
    assert folded("x", 10) in folded("x", 10_000)


@pytest.mark.parametrize(
    ("tex", "elements"),
    [
        (r"\frac{a}{1 + b}", {"mfrac": 1, "mi": 2, "mn": 1}),
        (r"\prod_i \left(1 + \lambda_i\right)^{-1/2}", {"munder": 1, "msup": 1, "msub": 1}),
        (r"\sum_{k=1}^{n} x_k^{2}", {"munderover": 1, "msubsup": 1}),
        (r"\begin{pmatrix}1 & 0\\ 0 & 1\end{pmatrix}", {"mtable": 1, "mtr": 2, "mtd": 4}),
        (r"\sqrt[3]{x} + \sqrt{2}", {"mroot": 1, "msqrt": 1}),
        (r"\text{where } x \in \mathbb{R}^k", {"mtext": 1, "msup": 1}),
        (r"\left. x \right|_{\substack{ x=a \\ y=b }}", {"msub": 1, "mtable": 1, "mtr": 2}),
        (r"\frac12 + \tfrac r2", {"mfrac": 2, "mn": 3, "mi": 1}),
        (r"\mathcal N(0,1) \in \mathbb R^d", {"mi": 3, "mn": 2, "msup": 1}),
        (r"\Phi\Big(\frac\Delta2\Big) \ast P'^2 - \delta_{\rm del}", {"mfrac": 1, "msup": 1, "msub": 1}),
        (r"\hat{x}' - \int_{-\infty}^{\infty} e^{- x}\, dx", {"mover": 1, "msubsup": 1}),
    ],
)
def test_tex_becomes_the_elements_that_it_means(tex, elements):
    for text in (mathml(tex), mathml(tex, display=True), f"<p>{wrapping(tex).replace('<wbr>', '')}</p>"):
        found = Counter(node.tag.rpartition("}")[2] for node in ElementTree.fromstring(text).iter())
        assert {name: found[name] for name in elements} == elements
        assert found["annotation"] == 1


@pytest.mark.parametrize(
    "tex", [r"\unknown", r"\frac{1}", "x}", "{x", r"\left(x", "x^2^3", r"\begin{array}1\end{array}", "€"]
)
def test_tex_that_is_not_known_is_refused(tex):
    with pytest.raises(InputError, match="tex"):
        mathml(tex)


def test_lines_break_before_relations_and_signs_only_outside_of_brackets():
    pieces = wrapping(r"\left(a + b\right)^{2} + cdef = ghij - \frac{k + l}{m}").split("<wbr>")
    assert [len(re.findall('form="infix"', piece)) for piece in pieces] == [1, 2, 1] or len(pieces) == 4


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("e^eps delta_r(eps; p)", "e<sup>ε</sup> δ<sub>r</sub>(ε; p)"),
        ("sigma2 <= l^{-1/2}", "σ<sub>2</sub> ≤ l<sup>-1/2</sup>"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("see `delta_r` and hockey_stick", "see <code>delta_r</code> and <code>hockey_stick</code>"),
        (
            "as in random_projection.closed_form, docs/a_table.md",
            "as in <code>random_projection.closed_form</code>, docs/a_table.md",
        ),
        ("S2^{-1/2} S1 at t0. N24-P1, 1e5", "S<sub>2</sub><sup>-1/2</sup> S<sub>1</sub> at t<sub>0</sub>. N24-P1, 1e5"),
        ("D'^T of chi'^2(k), (1 + k)^{a_i}", "D'<sup>T</sup> of χ'<sup>2</sup>(k), (1 + k)<sup>a<sub>i</sub></sup>"),
        ("p -> 0, r -> infinity, q_eps", "p → 0, r → ∞, q<sub>ε</sub>"),
        (
            "f_chi2(r; t) of [a]_grid, delta_sketch_delete(p)",
            "f<sub>χ²</sub>(r; t) of [a]<sub>grid</sub>, δ<sub>sketch, delete</sub>(p)",
        ),
        ("sqrt 2 tau, sum m_i log v_i", "√2 τ, ∑ m<sub>i</sub> log v<sub>i</sub>"),
        ("Phi^-1(x)", "Φ<sup>-1</sup>(x)"),
        ("e^|log(lam_i)| - 1", "e<sup>|log(λ<sub>i</sub>)|</sup> - 1"),
        ("delta_LS_delete(a; eps)", "δ<sub>LS, delete</sub>(a; ε)"),
        ("sum_i w_i", "∑<sub>i</sub> w<sub>i</sub>"),
        ("(1 - c) e^max(0, u), p", "(1 - c) e<sup>max(0, u)</sup>, p"),
        ("delta_LC, S^{-1}", "δ<sub>LC</sub>, S<sup>−1</sup>"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ],
)
def test_plain_text_is_typeset_and_escaped(text, html):
    assert prose(text).replace("−", "-") == html.replace("−", "-")


def test_labels_lead_back_to_their_ids():
    ids = [claim.id for claim in all_claims()]
    labelled = [i for i in ids if label_of(i) != i]
    assert len(labelled) > 180
    for claim_id in labelled:
        assert claim_id in ids_of(label_of(claim_id).partition(" (")[0], ids), claim_id


def test_a_claim_uses_what_its_texts_name():
    claims = {claim.id: claim for claim in all_claims()}
    assert "N26-L2-corrected" in mentioned(claims["N26-L2"], list(claims))


def test_a_counterexample_is_shown_with_its_interval_and_recomputed_by_its_line(pages):
    text = pages[page_of("N26-L2")].text
    (shown,) = re.findall(r"(0\.\d+) ± \de-\d+ <small>\(certified\)", text)
    (line, *_) = re.findall(r"python -c &quot;(.*?)&quot;", text)
    done = subprocess.run(
        [sys.executable, "-c", line.replace("&#x27;", "'")], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(shown[:-2]) and shown.startswith("0.3306")


def test_a_violation_is_drawn_around_its_point_with_certified_signs():
    (run,) = [check.run for check in find("KM-S3").checks if isinstance(check.run, PointRun)]
    picture = violation_svg(run)
    ElementTree.fromstring(f"<div>{picture}</div>")
    signs = re.findall(r'<g class="(refuted|proved)"><title>([\d./]+): ([-\d.]+)', picture)
    assert {sign for sign, *_ in signs} == {"refuted", "proved"} and picture.count('r="6"') == 1
    for sign, z, size in signs:  # the threshold from which on the printed bound fails is 1.21
        assert (sign == "refuted") == (float(size) > 0) == (float(Fraction(z)) > 1.21)


def test_of_several_violations_the_first_that_can_be_drawn_is():
    def check(name, certify):
        return counterexample_check(name, certify, {"x": Fraction(1)}, {})

    def falls(point):
        return enclosure_of(Fraction(3, 2) - point["x"], Fraction(3, 2) - point["x"])

    flat = lambda point: enclosure_of(Fraction(1, 10**400), Fraction(1, 10**400))
    names = ("below every float", "drawn", "another")
    pages = list(_points([check(name, how) for name, how in zip(names, (flat, falls, falls), strict=True)]))
    assert [page.count("<svg") for page in pages] == [0, 1, 0]
    assert all(name in page and "It is violated by" in page for name, page in zip(names, pages, strict=True))


def test_a_violation_below_every_float_is_not_drawn():
    tiny = PointRun(lambda point: Enclosure(mpf(2) ** -2000, mpf(2) ** -2100, "bound"), {"x": Fraction(1)}, None)
    assert violation_svg(tiny) == ""
    assert violation_svg(PointRun(lambda point: 1 / 0, {"x": Fraction(1)}, None)) == ""


@pytest.mark.parametrize("name", sorted(HEADS))
def test_functionals_are_typeset_by_a_form_of_their_own(name):
    arguments = [str(k) for k in range(8)]
    ElementTree.fromstring(mathml(head_tex(name, arguments)))
    assert head_tex("no_such_functional", arguments) is None


def test_no_two_functionals_are_typeset_alike():
    forms = Counter(form for form, _ in HEADS.values())
    assert {form for form, count in forms.items() if count > 1} == {
        HEADS["average"][0],  # a mean, over whatever is drawn
        HEADS["chance"][0],
    }


def test_what_a_functional_means_is_said_once_where_it_is_met():
    f = sp.Function("average", real=True)(sp.Symbol("x"))
    assert side_tex(f) == r"\mathbb{E}\left[x\right]" and meanings([f]) == []
    point_of = derivations_of(find("N26-L1"))[0]._repr_html_()
    assert point_of.count("is the point of the space") == 1 and "logdet" not in point_of


@pytest.mark.parametrize(
    "claim_id", ["N26-D6-exact", "N24-C7", "N26-T6.1-corrected", "N26-Fig4", "N26-T5.4-smaller-ridge"]
)
def test_nothing_of_a_proof_is_shown_as_sympy_writes_it(claim_id):
    """Conditions of facts above all, which are small steps within a line."""
    derivations = derivations_of(find(claim_id))
    shown = "".join(derivation_html(one) for one in derivations)
    assert RAW.findall(bare(shown)) == []
    small = [c for one in derivations for s in one.steps for c in s.conditions.values() if not isinstance(c, str)]
    assert any(c.lhs is not None for c in small)
    spoilt = [str(c.text) for c in small if c.lhs is not None]  # how they were shown before
    assert claim_id in ("N26-Fig4", "N24-C7") or any(RAW.search(text) for text in spoilt)


def test_numbers_that_are_products_of_letters_stand_apart_in_brackets():
    y, S, z = sp.symbols("yt S z", commutative=False)
    one = scalar(y * S * z)
    assert side_tex(one * scalar(z * S * z)) == r"\left(y^{T} S z\right) \left(z S z\right)"
    assert side_tex(one) == side_tex(y * S * z) and side_tex(2 * one) == "2 y^{T} S z"


def test_long_exponents_are_not_raised():
    x, y = sp.symbols("x y")
    long = sp.exp(-sp.UnevaluatedExpr(x**2) / 2 - (x - y) ** 2 / (2 * y) - x * y / 7)
    assert side_tex(long).startswith(r"\exp\left(") and side_tex(sp.exp(x / 2)) == r"e^{\frac{x}{2}}"


def test_the_lists_hold_what_is_wrong_and_what_is_open(pages):
    for claim in CLAIMS:
        assert (claim.declared in (Verdict.OPEN, Verdict.SUPPORTED)) == (f'id="{claim.id}"' in pages["open.html"].text)
        if claim.declared in (Verdict.REFUTED, Verdict.RESTRICTED):
            assert f'id="{claim.id}"' in pages["errata.html"].text


def test_a_claim_is_shown_whole_on_a_terminal_by_its_label():
    done = run("show", "N26", "lemma", "2")
    text = " ".join(done.stdout.split())
    assert done.returncode == 0 and max(len(line) for line in done.stdout.splitlines()) <= 100
    for claim_id in ("N26-L2", "N26-L2-corrected"):
        claim = find(claim_id)
        assert " ".join(claim.statement.split()) in text and f"ndis-verify verify {claim_id}" in text
        for derivation in derivations_of(claim):
            assert all(" ".join(step.why.split()) in text for step in derivation.steps)
    wrong = run("show", "Lemma", "77")
    assert wrong.returncode == 2 and "Lemma 77" in wrong.stderr


def test_records_show_themselves_in_a_notebook():
    pair = GaussianPair(["0.5", "1"], [["2", "0.5"], ["0.5", "1"]], [0, 0], 1)
    value = hockey_stick(pair, 1, digits=50)
    digits, radius = value.decimal()
    assert len(digits) > 50 and digits in repr(value) and radius in repr(value)
    claim = find("N26-L4")
    shown = [value, pair, claim, claim.stated, derivations_of(claim)[0], derivations_of(claim)[0].steps[1]]
    for record in shown:
        text = record._repr_html_()
        ElementTree.fromstring(f"<div>{text.replace('<wbr>', '')}</div>")
        assert "&lt;math" not in text
    assert digits in value._repr_html_()
    assert pair._repr_html_().count("<mtable") == 3 and "pmatrix" in pair._repr_latex_()
    assert derivations_of(claim)[0]._repr_html_().count('<li id="step-') == len(derivations_of(claim)[0].steps)


def test_the_fields_of_a_calibration_and_an_audit_are_a_table():
    shown = Certificate("worst <pair>", {"p": 0.5, "rows": (1, 2)}, 1e-6)._repr_html_()
    assert "worst &lt;pair&gt;" in shown and '<th scope="row">p</th><td>0.5</td>' in shown
    ElementTree.fromstring(f"<div>{shown}</div>")
    assert "<td>1.5</td>" in GaussianCurve(1.5)._repr_html_()


def test_a_held_power_is_raised_in_brackets():
    """e^{-x} held together and divided by: two exponents in a row are no TeX, and the page of the claim fails."""
    x = sp.Symbol("x", positive=True)
    tex = side_tex(sp.UnevaluatedExpr(sp.exp(x)) / sp.UnevaluatedExpr(sp.exp(-x)))
    assert r"\left(e^{- x}\right)^{-1}" in tex and "<math" in wrapping(tex)


def test_a_claim_that_a_text_names_is_a_link_to_its_page():
    claim = find("BW-T5")
    assert mentioned(claim, ["KM-2.2", "BW-T5"]) == ["KM-2.2"]
    assert 'divergence, which DP bounds by δ (<a href="KM-2.2.html">KM-2.2</a>)' in claim_body(
        claim, None, ["KM-2.2"], ()
    )
    assert linked("N26-D6 and BW-T5, not XY-1", ["N26-D6"], "claims/") == (
        '<a href="claims/N26-D6.html">N26-D6</a> and BW-T5, not XY-1'
    )


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"decided": 12, "facts": 1, "argued": 0}, "12 decided, 1 fact"),
        ({"decided": 1, "facts": 2, "argued": 1}, "1 decided, 2 facts, 1 argued"),
        ({"decided": 0}, ""),
    ],
)
def test_one_fact_is_not_facts(numbers, words):
    assert steps_in_words(numbers) == words
