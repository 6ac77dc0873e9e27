"""The survey of the auditor of bits: its page and its exit code, and that the page in the docs is of today's cases."""

import json
from pathlib import Path

import numpy as np
import pytest

from ndis_verify.cli import main
from ndis_verify.commands.audit_bits_survey import _REPLACED
from ndis_verify.experiments import bit_survey
from ndis_verify.experiments.bit_cases import planted_cases
from ndis_verify.experiments.bit_survey import SurveyRow, ValidityRow
from ndis_verify.mechanisms.neighbours import NEIGHBOURS

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "bit_audit.md").read_text(encoding="utf-8")


def row(group, sampler, outcome):
    limit = 0.2 if outcome == "refuted" else 0.0
    return SurveyRow(group, sampler, "sums", 1.0, 1e-5, limit, "ratios: |a| is 3" if limit else "", outcome)


FOUND = row("planted", "mean + std * rng.normal()", "refuted")
RUNS = {
    0: [
        FOUND,
        row("others", "theirs", "refuted"),
        row("ours", "Gaussian", "not refuted"),
        row("ours", "no", "refused"),
    ],
    1: [row("planted", "missed", "not refuted"), row("ours", "Gaussian", "not refuted")],
    2: [FOUND, row("ours", "Gaussian", "refuted")],
}


@pytest.mark.parametrize("run, code", [(0, 0), (1, 1), (2, 1)])
def test_the_exit_code_and_the_page_say_what_was_found(run, code, monkeypatch, tmp_path, capsys):
    validity = [ValidityRow("a bit", 0.95, 400, 100, 3, 0.25, 0.1, 0.2)]
    monkeypatch.setattr(bit_survey, "survey", lambda *arguments: iter(RUNS[run]))
    monkeypatch.setattr(bit_survey, "validity_study", lambda *arguments: iter(validity))
    page = tmp_path / "page.md"
    assert main(["audit", "bits-survey", "--markdown", str(page)]) == code
    text = page.read_text()
    assert text == capsys.readouterr().out.removesuffix("\n")
    assert all(one.sampler in text for one in RUNS[run]) and "| a bit | 0.95 | 100 | 3 | 5 | 0.100 | 0.200 |" in text
    if run == 0:
        assert "| (1, 1e-05) | 0.2, refuted | 0, not refuted | ratios: \\|a\\| is 3 |" in text
    assert main(["audit", "bits-survey", "--json"]) == code
    assert len(json.loads(capsys.readouterr().out)["rows"]) == len(RUNS[run])


@pytest.mark.parametrize("option", ["--draws", "--own-draws", "--runs"])
def test_sizes_are_checked(option):
    assert main(["audit", "bits-survey", option, "0"]) == 2


def test_the_page_in_the_docs_is_of_todays_cases():
    ours = PAGE.split("## Every mechanism of ours")[1].split("## How often")[0]
    assert [line.split(" | ")[0].removeprefix("| ") for line in ours.splitlines() if line.startswith("| ")][1:] == [
        case.name for case in NEIGHBOURS
    ]
    assert "| refuted |" not in ours
    before = PAGE.split("## Attacks, before and after")[1].split("## Samplers of other")[0]
    assert all(f"| {case.name} |" in before for case in planted_cases()) and ", not refuted | 0" not in before
    assert set(_REPLACED) == {case.name for case in planted_cases()}
    assert set(_REPLACED.values()) <= {case.name for case in NEIGHBOURS}


def test_every_planted_sampler_draws_finite_numbers_and_none_twice():
    for case in planted_cases():
        for sampler in case.make(np.random.default_rng(1)):
            draws = np.asarray(sampler(3))
            assert len(draws) == len(np.unique(draws, axis=0)) == 3 and np.isfinite(draws).all(), case.name
