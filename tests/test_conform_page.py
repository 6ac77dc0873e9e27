"""The page of a conformance run: severities, suspicions, pictures, the heat map, an earlier run."""

import json
import re
from html import unescape

import pytest
from test_conform_reports import KNOWN, bad, good, row

from ndis_verify.exact_number import InputError
from ndis_verify.reference.conformance import reports
from ndis_verify.reference.conformance.page import page
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.conformance.severity import SEVERITIES, changes, read_earlier, severity, suspicions
from ndis_verify.reference.loader import FOLDER


@pytest.mark.parametrize(
    "outcome, error, said",
    [
        ("tight", 0.0, ""),
        ("loose", 0.9, ""),
        ("refused", None, ""),
        ("unsafe", None, "not refused"),
        ("unsafe", -1e-16, "last digits"),
        ("unsafe", 1e-5, "few digits"),
        ("unsafe", -0.98, "wrong"),
        ("unsafe", float("inf"), "wrong"),
        ("invalid", None, "no answer"),
        ("crashed", None, "no answer"),
        ("timeout", None, "no answer"),
    ],
)
def test_an_error_of_1e_16_is_not_as_bad_as_one_of_098(outcome, error, said):
    assert severity(row("hockey_stick", "a", outcome, error=error)) == said
    assert not said or said in SEVERITIES


def made(*failing, outcome="unsafe", of=12, flags=("scale",), quantity="hockey_stick"):
    """A run of rows of which some fail, the others under a flag of their own."""
    rows = [
        row(quantity, f"r{k}", outcome if k in failing else "tight", flags=flags if k in failing else ("body",))
        for k in range(of)
    ]
    return Run(("./mine",), name="mine", tolerance="1e-09", judgements=rows)


def test_a_flag_whose_rows_alone_fail_is_suspected():
    (found,) = suspicions(made(1, 2, 3))
    assert (found.quantity, found.flag, found.failed, found.rows, found.elsewhere) == ("hockey_stick", "scale", 3, 3, 0)
    assert suspicions(good()) == []
    assert suspicions(made(1, 2, flags=("body",))) == []  # 2 of its 12 rows: no more often than the others
    assert "an absolute tolerance on a quantity that scales" in unescape(page(made(1), frozenset()))


def test_what_fails_newly_is_told_from_what_failed_before(tmp_path):
    earlier, now = made(1, 2), made(2, 3, of=13)
    file = tmp_path / "conformance.json"
    file.write_text(reports.as_json(earlier, frozenset()))
    found = changes(now, read_earlier(file))
    assert (found.worse, found.better, found.added, found.gone) == (("hockey_stick/r3",), ("hockey_stick/r1",), 1, 0)
    said = "1 rows fail newly (hockey_stick/r3), 1 do not fail any more"
    assert reports.against(now, read_earlier(file)) == f"against the earlier run: {said}"
    text = page(now, frozenset(), earlier=read_earlier(file))
    assert "1 rows fail that did not fail: <code>hockey_stick/r3</code>" in text
    assert "Against the earlier run" not in page(now, frozenset())


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"judgements": [1]}', '{"judgements": [{"quantity": "a", "row": "b", "outcome": "x"}]}']
)
def test_what_is_no_earlier_run_is_refused(tmp_path, text):
    file = tmp_path / "a.json"
    file.write_text(text)
    with pytest.raises(InputError, match="--against"):
        read_earlier(file)


def test_a_failing_row_shows_its_exact_value_and_inputs_and_a_mark_in_the_picture():
    name, table = next((q, r) for q, r in table_rows(FOLDER, ["gaussian_std"]) if "value" in r)
    run = made(0, of=2, quantity=name)
    run.judgements[0] = row(name, table["name"], "unsafe", "0.4 against it", "0.4", -0.2)
    text = unescape(page(run, frozenset(), {f"{name}/{table['name']}": table}))
    assert table["value"] in text and f"sensitivity = {table['inputs']['sensitivity']}" in text
    assert "too large is safe" in text
    assert len(re.findall('class="mark unsafe"', text)) == 1 and "relative error 2.0e-01</title>" in text


def test_rows_of_every_table_can_be_drawn_and_shown():
    rows = {f"{name}/{r['name']}": r for name, r in table_rows(FOLDER, core=True)}
    judged = [row(*key.split("/"), "unsafe", error=1e-5 if "value" in r else None) for key, r in rows.items()]
    run = Run(("./mine",), name="mine", tolerance="1e-09", judgements=judged)
    text = page(run, frozenset(), rows)
    drawn = {key.split("/")[0] for key, r in rows.items() if "value" in r}
    assert text.count("<figure>") == len(drawn) and text.count("<details>") == len(rows)
    assert "NaN" not in re.sub(r"<title>.*?</title>|NaN, or", "", text) and "inf" not in re.findall(r'"[^"]*"', text)


def test_the_map_counts_and_the_filter_hides_by_number():
    text = page(bad(), KNOWN)
    assert '<td class="hot" style="--share:45%">2/2</td>' in text and "0/3" in text
    assert 'tr[data-quantity]:not([data-quantity="2"])' in text and 'id="quantity-2"' in text
    assert json.loads(reports.as_json(good(), frozenset()))["passed"] and "What failed" not in page(good(), frozenset())
