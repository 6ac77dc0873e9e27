"""What the five reports of a conformance run say, word for word, on a run that passes and on one that does not."""

import json
import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from test_conformance import ROW, implementation, run

from ndis_verify.plain_text import code_span, jsonable, printable
from ndis_verify.reference.conformance import reports
from ndis_verify.reference.conformance.judge import Judgement
from ndis_verify.reference.conformance.run import Run, conform
from ndis_verify.reference.conformance.summary import clips, exit_code, healed
from ndis_verify.reference.flags import FLAGS

KNOWN = frozenset({"gaussian_std/known"})
CLIPPED = "3 rows of different values have the same loose answer 1e-10: tiny-3, tiny-4, tiny-5"
PRINTED = "2 lines that are no answers, 0 answers to other requests, 0 lines too long"
EVIL = "a|b `x` [l](http://e) <b>@me #1 \x1b[2J\udcff"
SHOWN = r"a|b `x` [l](http://e) <b>@me #1 \x1b[2J\udcff"


def row(quantity, name, outcome, message="", answer="0.5", error=0.0, ulps=0.0, seconds=0.002, flags=("body",)):
    return Judgement(quantity, name, flags, outcome, message, answer, error, ulps, seconds)


def good():
    """Two tight rows and a refusal."""
    return Run(
        ("./mine",),
        name="mine",
        version="2",
        quantities=("gaussian_std",),
        tolerance="1e-09",
        unsafe_ulps="0.5",
        starts=1,
        judgements=[
            row("gaussian_std", "a", "tight", error=1e-12, ulps=4.0),
            row("gaussian_std", "b", "tight", error=-3e-12, ulps=20.0, seconds=0.004),
            row("gaussian_std", "c", "tight", "refused as it must be", None, None, None, 0.001, ("refusal",)),
        ],
    )


def bad():
    """An unsafe row, a known unsafe one, a crash with evil words, three answers clipped at 1e-10, rows left out."""
    result = Run(
        ("./m\udcff\x1b[1m",),
        quantities=("gaussian_std", "hockey_stick"),
        tolerance="1e-09",
        unsafe_ulps="0.5",
        starts=3,
        judgements=[
            row("gaussian_std", "a", "unsafe", "0.4 against 0.5, relative error -0.2", "0.4", -0.2, 1e15),
            row("gaussian_std", "known", "unsafe", "0.3 against 0.5, relative error -0.4", "0.3", -0.4, 2e15),
            *(
                row(
                    "hockey_stick",
                    f"tiny-{k}",
                    "loose",
                    f"1e-10 against 1e-1{k}, relative error 1e+0{k}",
                    "1e-10",
                    10.0**k,
                    1e16,
                    flags=("deep_tail",),
                )
                for k in (3, 4, 5)
            ),
            row("hockey_stick", "d", "crashed", EVIL, None, None, None, 0.5),
        ],
        left_out=2,
        given_up="40 rows crashed or timed out",
        ending="killed by signal 9",
        unknown=("hokey",),
    )
    result.oddities.garbage, result.oddities.first = 2, EVIL
    return result


def test_the_terminal_on_a_good_run():
    assert (
        reports.terminal(good(), frozenset()) == "mine 2: 3 rows at tolerance 1e-09: 3 tight: passed\n\n"
        "quantity                   rows  worst error       ms  outcomes\n"
        "gaussian_std                  3  3.0e-12         2.00  3 tight\n\n"
        "flag                       rows  worst error       ms  outcomes\n"
        "body                          2  3.0e-12         4.00  2 tight\n"
        "refusal                       1  0               1.00  1 tight\n"
    )


def test_the_terminal_on_a_bad_run():
    assert reports.terminal(bad(), KNOWN) == (
        r"./m\udcff\x1b[1m: 6 rows at tolerance 1e-09: 3 loose, 2 unsafe, 1 crashed; "
        "2 rows left out: 40 rows crashed or timed out: FAILED"
        "\n\n"
        "quantity                   rows  worst error       ms  outcomes\n"
        "gaussian_std                  2  4.0e-01         2.00  2 unsafe\n"
        "hockey_stick                  4  1.0e+05         2.00  3 loose, 1 crashed\n\n"
        "flag                       rows  worst error       ms  outcomes\n"
        "body                          3  4.0e-01         2.00  2 unsafe, 1 crashed\n"
        "deep_tail                     3  1.0e+05         2.00  3 loose\n\n"
        "unsafe: gaussian_std/a: 0.4 against 0.5, relative error -0.2\n"
        "known unsafe: gaussian_std/known: 0.3 against 0.5, relative error -0.4\n"
        f"crashed: hockey_stick/d: {SHOWN}\n"
        f"clipped: hockey_stick/clipped: {CLIPPED}\n\n"
        f"It also printed {PRINTED}; the first: {SHOWN}\n\n"
        "It offers what is no quantity of the protocol: hokey\n\n"
        "In the end: killed by signal 9"
    )


def test_the_json_on_a_good_run():
    record = json.loads(reports.as_json(good(), frozenset()))
    assert (
        record["passed"] is True
        and record["clipped"] == []
        and record["left_out"] == 0
        and record["command"] == ["./mine"]
    )
    assert (record["name"], record["version"], record["tolerance"], record["unsafe_ulps"], record["starts"]) == (
        "mine",
        "2",
        "1e-09",
        "0.5",
        1,
    )
    assert record["judgements"][1] == {
        "quantity": "gaussian_std",
        "row": "b",
        "flags": ["body"],
        "outcome": "tight",
        "message": "",
        "answer": "0.5",
        "relative_error": -3e-12,
        "ulps": 20.0,
        "seconds": 0.004,
    }
    assert [entry["outcome"] for entry in record["judgements"]] == ["tight"] * 3
    assert record["by_quantity"] == [
        {
            "name": "gaussian_std",
            "rows": 3,
            "outcomes": {"tight": 3},
            "worst_error": 3e-12,
            "worst_row": "gaussian_std/b",
            "ulps": [0, 0, 1, 1, 0, 0, 0, 0],
            "seconds": 0.002,
        }
    ]
    assert [share["name"] for share in record["by_flag"]] == ["body", "refusal"]


def test_the_json_on_a_bad_run():
    text = reports.as_json(bad(), KNOWN)
    record = json.loads(text)
    assert (
        record["passed"] is False and record["left_out"] == 2 and record["given_up"] == "40 rows crashed or timed out"
    )
    assert record["clipped"] == [
        {"quantity": "hockey_stick", "answer": "1e-10", "rows": ["tiny-3", "tiny-4", "tiny-5"]}
    ]
    assert [share["outcomes"] for share in record["by_quantity"]] == [{"unsafe": 2}, {"loose": 3, "crashed": 1}]
    assert [share["ulps"] for share in record["by_quantity"]] == [[0, 0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 3]]
    assert (
        record["ending"] == "killed by signal 9"
        and record["unknown"] == ["hokey"]
        and record["oddities"]["garbage"] == 2
    )
    # no lone surrogate is left
    assert "udcff" in text and text.isascii() and json.dumps(record, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("change", ["nothing", "unsafe", "known", "clipped", "clip known", "left out", "unanswered"])
def test_passed_is_the_exit_code_of_every_report(change):
    """All five say the same, and each cause alone decides."""
    result, known = good(), frozenset()
    if change in ("unsafe", "known"):
        result.judgements.append(row("gaussian_std", "known", "unsafe", "too small", "0.3", -0.4, 2e15))
        known = KNOWN if change == "known" else known
    if change in ("clipped", "clip known"):
        result.judgements += [row("hockey_stick", f"tiny-{k}", "loose", "", "1e-10", 10.0**k, 1e16) for k in (3, 4, 5)]
        known = frozenset({"hockey_stick/clipped"}) if change == "clip known" else known
    if change == "left out":
        result.left_out, result.given_up = 1, "why"
    if change == "unanswered":
        result.judgements = result.judgements[2:]
    passes = change in ("nothing", "known", "clip known")
    assert exit_code(result, known) == (0 if passes else 1)
    assert json.loads(reports.as_json(result, known))["passed"] is passes
    for text in (reports.terminal(result, known), reports.markdown(result, known), reports.page(result, known)):
        assert (": passed" in text, ": FAILED" in text) == (passes, not passes)
    root = ElementTree.fromstring(reports.junit(result, known).partition("\n")[2])
    assert (root.find(".//failure") is None) is passes
    assert sum(int(suite.get("failures")) for suite in root) == len(root.findall(".//failure"))


def test_the_markdown_on_a_good_run():
    ulps = "<=0.5 / <=1 / <=4 / <=64 / <=2^10 / <=2^20 / <=2^40 / more"
    head = f"rows | outcomes | worst relative error | at | ulps {ulps} | median ms |\n|---|---|---|---|---|---|---|\n"
    assert (
        reports.markdown(good(), frozenset())
        == "# Conformance\n\n`mine 2`: 3 rows at tolerance 1e-09: 3 tight: passed\n\n"
        f"| Quantity | {head}"
        "| `gaussian_std` | 3 | 3 tight | 3.0e-12 | `gaussian_std/b` | 0 / 0 / 1 / 1 / 0 / 0 / 0 / 0 | 2.00 |\n\n"
        f"| Flag | {head}| `body` | 2 | 2 tight | 3.0e-12 | `gaussian_std/b` | 0 / 0 / 1 / 1 / 0 / 0 / 0 / 0 | 4.00 |\n"
        "| `refusal` | 1 | 1 tight | 0 |  | 0 / 0 / 0 / 0 / 0 / 0 / 0 / 0 | 1.00 |\n"
    )


def test_the_markdown_on_a_bad_run():
    _, tables, failed, clipped = re.split(r"\n(?=## |\| Quantity)", reports.markdown(bad(), KNOWN))
    evil = r"``a\x7cb `x` [l](http://e) <b>@me #1 \x1b[2J\udcff``"
    assert (
        failed == "## What failed\n\n| row | outcome | why | flags |\n|---|---|---|---|\n"
        "| `gaussian_std/a` | unsafe | `0.4 against 0.5, relative error -0.2` | `body` |\n"
        "| `gaussian_std/known` | unsafe (known) | `0.3 against 0.5, relative error -0.4` | `body` |\n"
        f"| `hockey_stick/d` | crashed | {evil} | `body` |\n\n- body: {FLAGS['body'].bug}\n"
    )
    assert (
        clipped == f"## What is clipped\n\n- `hockey_stick/clipped`: `{CLIPPED}`\n\n\n"
        f"It also printed {PRINTED}; the first: {evil}\n\n"
        "It offers what is no quantity of the protocol: `hokey`\n\nIn the end: `killed by signal 9`\n"
    )
    crashed = "| `hockey_stick` | 4 | 3 loose, 1 crashed | 1.0e+05 | `hockey_stick/tiny-5` "
    assert crashed + "| 0 / 0 / 0 / 0 / 0 / 0 / 0 / 3 | 2.00 |" in tables


def test_the_junit_file_on_both():
    def cases(result, known):
        root = ElementTree.fromstring(reports.junit(result, known).partition("\n")[2])
        return {
            f"{case.get('classname')}/{case.get('name')}": [
                (child.tag, child.get("type"), child.get("message")) for child in case
            ]
            for case in root.iter("testcase")
        }

    assert cases(good(), frozenset()) == {"gaussian_std/a": [], "gaussian_std/b": [], "gaussian_std/c": []}
    assert cases(bad(), KNOWN) == {
        "gaussian_std/a": [("failure", "unsafe", "unsafe: 0.4 against 0.5, relative error -0.2")],
        "gaussian_std/known": [("skipped", None, "unsafe: 0.3 against 0.5, relative error -0.4")],
        "hockey_stick/tiny-3": [],
        "hockey_stick/tiny-4": [],
        "hockey_stick/tiny-5": [],
        "hockey_stick/d": [("failure", "crashed", f"crashed: {SHOWN}")],
        "hockey_stick/clipped": [
            (
                "failure",
                "clipped",
                "3 rows of different values have the same loose answer 1e-10: tiny-3, tiny-4, tiny-5",
            )
        ],
        "run/every row is asked": [("failure", "left out", reports.headline(bad(), KNOWN))],
    }


def test_the_html_page_on_both():
    def text(result, known):
        page = reports.page(result, known)
        return re.sub(r"<[^>]*>", " ", page.partition("<h1>")[2]).split()

    words = "Conformance mine 2: 3 rows at tolerance 1e-09: 3 tight: passed"
    assert text(good(), frozenset())[: len(words.split())] == words.split()
    assert "Conforming" in text(good(), frozenset()) and "units in the last place" in " ".join(
        text(good(), frozenset())
    )
    assert "3 3 tight 3.0e-12 gaussian_std/b 2.00 0 0 1 1 0 0 0 0" in " ".join(text(good(), frozenset()))
    page = " ".join(text(bad(), KNOWN))
    for part in (
        "FAILED",
        "Not conforming 1 row: no answer",
        "2 rows: wrong, a relative error above 1e-3",
        "gaussian_std/a unsafe 0.4 against 0.5, relative error -0.2 body Likely: anything basic",
        "gaussian_std/known unsafe (known) 0.3",
        r"hockey_stick/d crashed a|b `x` [l](http://e) &lt;b&gt;@me #1 \x1b[2J\udcff body",
        "In the end: killed by signal 9",
        "What is clipped hockey_stick/clipped: 3 rows of different values",
    ):
        assert part in page
    assert "What failed" not in " ".join(text(good(), frozenset())) and "clipped" not in " ".join(
        text(good(), frozenset())
    )


def test_nothing_of_the_implementation_is_live_in_markdown():
    """Every text that it wrote lies inside a code span, whose fence is longer than any run of backticks in it."""
    for text in (
        "`",
        "``` x",
        "x`",
        "a``b`c",
        "|",
        "a | b",
        "\\",
        "\\|",
        "`|\\`",
        "[x](y)",
        "  ",
        "\n# x",
        "<script>",
        "\u202e",
    ):
        span = code_span(text)
        fence = re.match("`*", span)[0]
        assert "|" not in span and "\n" not in span and span.isprintable()
        if text.strip():
            inside = span[len(fence) : -len(fence)]
            assert span.endswith(fence) and fence and fence not in re.findall("`+", inside)
            assert inside.strip() == printable(text).replace("|", r"\x7c").strip()
        else:
            assert span == ""
    page = reports.markdown(bad(), frozenset())
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", page)
    assert not re.search(r"http|<b>|@me|hokey|tiny", outside)


def test_infinities_and_surrogates_in_json():
    assert jsonable({"a": [float("inf"), -float("inf"), 1.5, ("\udcff",)], "b": None}) == {
        "a": ["infinite", "infinite", 1.5, ["\\udcff"]],
        "b": None,
    }


def test_a_clipped_delta_is_a_finding_of_its_own(tmp_path):
    """A floor of 1e-3 under values that differ; the same number for equal values, or twice, is none."""
    rows = [("hockey_stick", ROW | {"name": f"row-{k}", "value": f"1e-{k}", "radius": "0"}) for k in range(4, 8)]
    command = implementation(tmp_path, "answer['value'] = '0.001'")
    result = run_rows(command, rows)
    (clip,) = clips(result)
    assert (clip.key, clip.answer, clip.rows) == ("hockey_stick/clipped", "0.001", ("row-4", "row-5", "row-6", "row-7"))
    assert exit_code(result, frozenset()) == 1 and exit_code(result, frozenset({clip.key})) == 0
    assert healed(result, frozenset({clip.key})) == [] and healed(
        run(implementation(tmp_path)), frozenset({clip.key})
    ) == [clip.key]
    for few in (rows[:2], [("hockey_stick", row | {"value": "1e-5"}) for _, row in rows]):
        assert clips(run_rows(command, few)) == [] and exit_code(run_rows(command, few), frozenset()) == 0


def run_rows(command, rows):
    return conform(command, rows, tolerance=Fraction(1, 10**9), seconds=20)
