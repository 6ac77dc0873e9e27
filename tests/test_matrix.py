"""The cross-check matrix: found, not typed; every blank and every comparison of few digits has its reason."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import run

from ndis_verify.claim import Evidence, Kind, Outcome
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.comparisons import Comparison
from ndis_verify.court.decided_points import DecidedRun, statement_decided
from ndis_verify.court.quantities.rooms import quantity
from ndis_verify.court.statement_checks import statement_of
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.engine.balls import enclosure, working_bits
from ndis_verify.reference.exact_engines import CERTIFIED
from ndis_verify.reference.protocol import answer_line
from ndis_verify.report.check_rooms import columns_of
from ndis_verify.report.matrix import (
    ANSWERED_BY,
    COLUMNS,
    FEWEST,
    Cell,
    Row,
    hearing,
    items,
    matrix,
    summary,
    unexplained,
)
from ndis_verify.report.matrix_blanks import FEW, few_digits
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real

CLAIMS = all_claims()
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def rows():
    return matrix(CLAIMS)


def test_the_page_of_the_site_has_the_counts_as_they_are(rows):
    """How many second routes tell enough digits shows only where the comparisons are run: no more than those asked."""
    told = " ".join((ROOT / "docs" / "site.md").read_text(encoding="utf-8").split())
    sentence = told.partition("Of 150 items ")[2].partition(" all seven")[0]
    asked = re.match(r"150 printed items: (.*) in every column", summary(rows))
    said, most = ([int(n) for n in re.findall(r"\b\d+", text)] for text in (sentence, asked[1]))
    assert [n for k, n in enumerate(said) if k not in (1, 7)] == [n for k, n in enumerate(most) if k not in (1, 7)]
    assert said[1] <= most[1] and said[7] <= most[7]


def test_every_claim_of_the_sources_stands_in_one_row_and_every_row_has_every_column(rows):
    listed = [claim_id for row in rows for claim_id in row.claims]
    assert sorted(listed) == sorted(claim.id for claim in CLAIMS if claim.source not in ("PKG", "DATA"))
    assert all(tuple(row.cells) == COLUMNS for row in rows)
    assert "N26-L2-corrected" in next(row.claims for row in rows if row.item == "N26 Lemma 2")


def test_no_blank_and_no_comparison_of_few_digits_is_without_a_reason(rows):
    assert unexplained(rows) == []
    blank = Row(
        "x", ("X",), "open", {"peer": Cell(False), "float64": Cell(True, FEWEST - 1), "certified": Cell(True, FEWEST)}
    )
    assert len(unexplained([blank])) == 2
    assert "2 without a reason" not in summary(rows)


def test_a_filled_cell_has_no_reason_to_be_blank(rows):
    for row in rows:
        for name, cell in row.cells.items():
            assert cell.filled or not cell.digits
            assert not (cell.filled and cell.reason and (cell.digits is None or cell.digits >= FEWEST)), (
                row.item,
                name,
            )


def test_reasons_for_few_digits_are_of_checks_that_are_there():
    names = {check.name for claim in CLAIMS for check in claim.checks}
    assert FEW.keys() <= names
    assert few_digits("no such check") == ""


def test_links_lead_to_claims_and_files_that_are_there(rows):
    ids = {claim.id: len(claim.checks) for claim in CLAIMS}
    for row in rows:
        for cell in row.cells.values():
            if cell.link.startswith("claims/"):
                page, _, anchor = cell.link.removeprefix("claims/").partition(".html#")
                assert anchor == "derivation" or 1 <= int(anchor.removeprefix("check-")) <= ids[page]


@pytest.mark.parametrize(
    ("claim", "check", "columns"),
    [
        ("N26-L1", "float64 against the certified value", {"float64", "certified"}),
        ("N26-L1", "contour integral and a second route against ball arithmetic", {"two routes", "certified"}),
        ("N26-L4", "the statement in ball arithmetic", {"two routes", "certified"}),
        ("N24-F2", "40-digit eigendecomposition against exact arithmetic", {"two routes"}),
    ],
)
def test_a_check_speaks_for_the_routes_that_it_calls(claim, check, columns):
    (found,) = [one for one in find(claim).checks if one.name == check]
    assert columns_of(found) == columns


def test_what_was_heard_takes_the_place_of_what_is_asked():
    chosen = [find("N26-F1"), find("N24-F2")]
    asked, heard = matrix(chosen), matrix(chosen, hearing(chosen))
    for before, after in zip(asked, heard, strict=True):
        assert before.cells["two routes"].asked and not after.cells["two routes"].asked
        assert after.cells["two routes"].digits >= before.cells["two routes"].digits
        assert after.cells["two routes"].worst and after.cells["two routes"].count


def test_samples_are_no_second_route():
    claim = find("N26-D4")
    (check,) = [one for one in claim.checks if one.kind is Kind.CROSSCHECK]
    sampled = {(claim.id, check.name): Evidence(Outcome.HELD, "sampled", "as drawn", count=60_000, counted="samples")}
    (row,) = matrix([claim], sampled)
    assert not row.cells["two routes"].filled and row.cells["two routes"].reason


def test_comparisons_ask_for_the_digits_that_the_matrix_shows():
    asked = [c.run.digits for claim in CLAIMS for c in claim.checks if isinstance(c.run, Comparison)]
    assert sum(digits >= FEWEST for digits in asked) >= 0.9 * len(asked)


def test_the_items_of_the_sources_are_named_by_their_labels():
    labels = list(items(CLAIMS))
    assert len(labels) == len(set(labels)) >= 148
    assert {"N26 Lemma 1", "N24 Theorem 5", "BW Algorithm 1", "KM Equation 9.1", "SL 2"} <= set(labels)


def test_the_verb_prints_the_matrix_and_its_counts():
    done = run("matrix", "--asked", "--json")
    data = json.loads(done.stdout)
    assert done.returncode == 0 and len(data["rows"]) >= 148
    assert data["rows"][0]["cells"]["derivation"]["filled"] and data["summary"].startswith(
        f"{len(data['rows'])} printed"
    )


def test_inequalities_are_decided_in_balls_and_what_is_turned_round_is_caught():
    claim = find("KM-4.3")
    (check,) = [one for one in claim.checks if isinstance(one.run, DecidedRun)]
    assert columns_of(check) == {"certified"} and statement_of(check) == claim.stated
    found = check.run("quick")
    assert found.outcome is Outcome.HELD and found.count == 4 and found.digits is None
    assert len(check.mutants) == 1
    assert all(fault("quick").outcome is Outcome.FAILED for fault in check.mutants.values())
    equal = statement("x <= x", over=(real("x", 1, 2),))  # held at every point: a margin of exactly 0
    assert statement_decided(equal).run("quick").outcome is Outcome.HELD
    (strict,) = [statement("x < x", over=(real("x", 1, 2),))]
    assert statement_decided(strict).run("quick").outcome is Outcome.FAILED
    none = statement("sqrt(x)^2 <= x", over=(real("x", 2, 3),))  # no precision tells the two sides apart
    assert statement_decided(none).run("quick").outcome is Outcome.UNDECIDED


_REGRESSION = {"leverage": "0.2", "augmented_leverage": "0.3", "d": "2", "r": "20", "epsilon": "1"}
_PAIR = {"mean_p": ["0"], "cov_p": "2", "mean_q": ["0"], "cov_q": "1"}
_REVERSE = {"mean_p": ["0"], "cov_p": "1", "mean_q": ["0"], "cov_q": "2"}
_SHIFTED = {**_PAIR, "mean_p": ["1"], "cov_p": "4", "epsilon": "0.5"}
_CHI2 = {"weights": ["1"], "dofs": ["1"], "noncentralities": ["0"], "std": "0", "shift": "0", "x": "0.5"}


def _exact(value):
    return [_exact(x) for x in value] if isinstance(value, list) else Fraction(value)


@pytest.mark.parametrize(
    ("name", "arguments", "inputs"),
    [
        ("mean_shift", (1, 1), {"sensitivity": "1", "std": "1", "epsilon": "1"}),
        ("projection", ("3/10", 5, 1), {"leverage": "0.3", "r": "5", "epsilon": "1", "direction": "delete"}),
        ("projection_insert", ("3/10", 5, 1), {"leverage": "0.3", "r": "5", "epsilon": "1", "direction": "insert"}),
        *(
            (name, ("1/5", "3/10", 2, 20, 1), {**_REGRESSION, "direction": way})
            for name, way in (("least_squares", "delete"), ("least_squares_insert", "insert"))
        ),
        *(
            (name, ("1/5", "3/10", 2, 20, 1), {**_REGRESSION, "direction": way})
            for name, way in (("sketch", "delete"), ("sketch_insert", "insert"))
        ),
        ("centred", ([2], [1], "1/2"), {**_PAIR, "epsilon": "0.5"}),
        ("centred_reverse", ([2], [1], "1/2"), {**_REVERSE, "epsilon": "0.5"}),
        ("independent", ([1], [2], "1/2"), {**_PAIR, "mean_p": ["1"], "cov_p": "4", "epsilon": "0.5"}),
        (
            "normal_pair",
            (1, 4, 0, 1, "1/2"),
            {**_PAIR, "mean_p": ["1"], "cov_p": "4", "epsilon": "0.5"},
        ),
        ("quadratic_cdf", ([2], [0], "1/2"), _CHI2),
    ],
)
def test_a_quantity_of_statements_is_the_one_of_the_line_protocol(name, arguments, inputs):
    """What the rows of a table and the libraries are asked for is what the statement speaks of."""
    asked = ANSWERED_BY[name]
    exactly = [_exact(argument) for argument in arguments]
    with working_bits(200):
        value = enclosure(quantity("ball", name)(*exactly, 30))
    request = {"id": 1, "quantity": asked, "inputs": inputs, "digits": 30}
    answer = json.loads(json.dumps(answer_line(json.dumps(request), CERTIFIED)))
    assert abs(Fraction(answer["value"]) - exact(value.mid)) < Fraction(1, 10**25)
