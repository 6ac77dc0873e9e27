"""`ndis-verify where`: every claim has a place, by its id, however it is written, and by its source's label."""

import re
from pathlib import Path

import pytest
from command_line import run

from ndis_verify.claim import Kind
from ndis_verify.claims.attack_index import attacks_by_id
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.report.places import LAYERS, Place, ids_of, kind_of, of_claim, of_name, records

IDS = [claim.id for claim in all_claims()]
ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ndis_verify"
SUBJECTS = sorted(path.parent.name for path in (PACKAGE / "claims").glob("*/__init__.py"))


def holds_its_name(place: Place) -> bool:
    """Whether a definition stands on the line that is given for it."""
    lines = place.path.read_text(encoding="utf-8").splitlines()
    return re.match(rf"(def|class) {place.name}\b|[\w, ]*\b{place.name}\b.* = |{place.name}:", lines[place.line - 1])


@pytest.mark.parametrize("claim_id", IDS)
def test_every_claim_is_found_in_a_file_that_states_it(claim_id):
    places = [place for place in records(claim_id) if place.kind == "claim"]
    stated = [place.path.read_text(encoding="utf-8").splitlines()[place.line - 1 : place.line + 3] for place in places]
    assert places and all(stated)
    made = claim_id.startswith(("DATA-", "PKG-"))  # put together from a table of cases
    assert made or any(claim_id in line for lines in stated for line in lines)


@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: claim.id)
def test_every_claim_leads_to_its_derivation_its_attacks_and_the_lines_of_what_it_uses(claim):
    places = of_claim(claim.id)
    kinds = {place.kind for place in places}
    assert "symbolic" in kinds or all(check.kind is not Kind.PROOF for check in claim.checks)
    assert "attack" in kinds or not attacks_by_id(claim.id).get(claim.id)
    assert all(
        holds_its_name(place)
        for place in places
        if place.name.isidentifier() and place.name != "file" and place.kind in LAYERS
    )


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_subject_leads_to_every_file_that_bears_its_name(subject):
    places = of_name(subject)
    found = {place.path for place in places}
    named = list(PACKAGE.rglob(f"{subject}.py"))
    inside = [path for path in PACKAGE.glob(f"**/{subject}/*.py") if path.name != "__init__.py"]
    assert found >= {*named, *inside}
    assert {kind_of(path, PACKAGE) for path in (*named, *inside)} <= {place.kind for place in places}
    assert {place.path for place in places if place.kind == "test"} >= {*(ROOT / "tests").glob(f"test_{subject}.py")}


def test_ids_are_found_whatever_their_case():
    for claim_id in IDS:
        assert find(claim_id.lower()).id == find(claim_id.upper()).id == claim_id
        assert ids_of(claim_id.swapcase(), IDS) == [claim_id]


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("N26 Lemma 2", {"N26-L2", "N26-L2-corrected"}),
        ("n26, lemma 4", {"N26-L4"}),
        ("BW theorem 8", {"BW-T8"}),
        ("KM Section 6.1", set()),
        ("N24 Table II", {"N24-TabII", "N24-TabII-same-noise"}),
        ("N24 table 2", {"N24-TabII", "N24-TabII-same-noise"}),
        ("N26 Theorem 6.1", {"N26-T6.1", "N26-T6.1-corrected"}),
        ("N26 Thm. 6.1", {"N26-T6.1", "N26-T6.1-corrected"}),
        ("bw alg 1", {"BW-Alg1", "BW-Alg1-float", "BW-Alg1-safe-side"}),
        ("KM equation (2.4)", {"KM-eq2.4", "KM-eq2.4-epsilon"}),
        ("KM Theorem 4.1", {"KM-4.1"}),
        ("KM theorem 4.4", {"KM-T4.4", "KM-T4.4-corrected"}),
        ("KM Def. 2.2", {"KM-2.2"}),
        ("n26 L4", {"N26-L4"}),
        ("SL 3", {"SL-3"}),
        ("SL exercise 3", {"SL-3"}),
        ("N26 Chapter 2", set()),
    ],
)
def test_labels_of_the_sources_are_read(label, found):
    assert found <= set(ids_of(label, IDS))
    assert all(i.startswith(tuple(found)) for i in ids_of(label, IDS)) if found else True


def test_a_claim_leads_to_each_layer():
    kinds = {place.kind for place in of_claim("N26-L2-corrected")}
    assert {"claim", "symbolic", "oracle", "fast", "test", "notebook"} <= kinds
    (derivation,) = (place for place in of_claim("N26-L2-corrected") if place.kind == "symbolic")
    line = derivation.path.read_text(encoding="utf-8").splitlines()[derivation.line - 1]
    assert re.match(rf"def {derivation.name}\b", line)


def test_a_claim_of_a_table_of_cases_leads_to_its_own_case():
    places = of_claim("PKG-release-least-squares")
    assert ("mechanisms", "least_squares") in {(place.kind, place.name) for place in places}
    first, maker = (place for place in places if place.kind == "claim")
    assert '"least-squares"' in "".join(first.path.read_text(encoding="utf-8").splitlines()[first.line - 1 :][:2])
    assert maker.line > first.line


def test_what_a_facade_hands_on_is_found_where_it_is_defined():
    (place,) = (place for place in of_name("certified_hockey_stick") if place.kind == "oracle")
    assert (place.path.relative_to(PACKAGE).as_posix(), place.name) == (
        "oracle/certified/hockey_stick.py",
        "hockey_stick",
    )
    (place,) = (place for place in of_name("fast.hockey_stick") if place.kind in LAYERS)
    assert place.path.relative_to(PACKAGE).as_posix() == "fast/hockey_stick.py"
    assert [place.name for place in of_name("ndis_verify.fast.hockey_stick") if place.kind == "fast"] == [
        "hockey_stick"
    ]
    assert of_name("fast.no_such_thing") == [] == of_name("nowhere.hockey_stick")


def test_a_subject_leads_to_its_rows_and_to_the_tests_that_import_it():
    kinds = {(place.kind, place.path.name) for place in of_name("least_squares")}
    assert {
        ("reference rows", "als_hockey_stick.json"),
        ("claim", "worst_record.py"),
        ("attack", "attacks.py"),
    } <= kinds
    assert {("symbolic", "least_squares_summit.py"), ("test", "test_least_squares.py")} <= kinds
    assert ("test", "test_monte_carlo.py") in {(place.kind, place.path.name) for place in of_name("monte_carlo")}
    assert ("symbolic", "relative_least_squares.py") not in kinds


def test_functions_and_subjects_have_places_in_every_layer():
    for name in ("rp_hockey_stick", "random_projection"):
        assert {"oracle", "fast", "test", "notebook"} <= {place.kind for place in of_name(name)}
        assert of_name("no_such_thing") == []


def test_the_command_prints_paths_with_lines_and_refuses_what_is_not_there():
    done = run("where", "n26-l2-CORRECTED")
    assert done.returncode == 0 and done.stdout.startswith("N26-L2-corrected\n  claim\n    ")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    for path, line in re.findall(r"(\S+\.(?:py|ipynb|md|json)):(\d+)", done.stdout):
        assert (ROOT / path).is_file() and int(line) > 0
    missing = run("where", "nothing", "here")
    assert missing.returncode == 2 and "nothing here" in missing.stderr
