"""ERRATA.md is what the ledger generates."""

from pathlib import Path

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.report.errata import errata, is_erratum, is_printed

PAGE = Path(__file__).resolve().parents[1] / "ERRATA.md"


def claim(declared, **fields):
    return Claim("KM-X", "KM", "title", "What is printed.", declared, **fields)


def test_the_committed_page_is_the_generated_one():
    assert PAGE.read_text(encoding="utf-8") == errata(all_claims())


def test_an_entry_says_what_is_wrong_and_how_to_recompute_it():
    page = errata([claim(Verdict.REFUTED, counterexample="x = 1", corrected="What holds.", note="Leaks.")])
    for text in ("false as printed", "What is printed.", "x = 1", "What holds.", "Leaks.", "ndis-verify verify KM-X"):
        assert text in page


def test_only_what_is_wrong_is_listed():
    assert not is_erratum(claim(Verdict.PROVED)) and is_erratum(claim(Verdict.PROVED, tags=("misprint",)))
    assert "KM-X" not in errata([claim(Verdict.PROVED)])
    assert "(misprint)" in errata([claim(Verdict.PROVED, tags=("misprint",))])


def test_a_reading_is_never_called_printed():
    page = errata([claim(Verdict.RESTRICTED, tags=("reading",), counterexample="x = 1")])
    assert (
        "- Reading: What is printed." in page
        and "- Printed" not in page
        and "a reading that is false, true under" in page
    )


def test_what_was_rebuilt_from_a_lost_display_is_a_reading():
    """Printed is said where the formula or at least the words can be read; the lemma on two bins is not accused."""
    for claim_ in all_claims():
        if is_erratum(claim_):
            label = "Printed" if is_printed(claim_) else "Reading"
            entry = errata([claim_])
            assert f"- {label}: " in entry and ("a reading" in entry or label == "Printed" or "(misprint)" in entry)
    assert not is_printed(find("N26-L2")) and not is_printed(find("KM-CI")) and is_printed(find("KM-C8.2"))
    assert not is_erratum(find("KM-6.1"))
