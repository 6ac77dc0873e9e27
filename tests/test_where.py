"""`ndis-verify where`: every claim has a place, by its id, however it is written, and by its source's label."""

import re
from pathlib import Path

import pytest
from command_line import run

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.report.places import ids_of, of_claim, of_name, records

IDS = [claim.id for claim in all_claims()]
ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("claim_id", IDS)
def test_every_claim_is_found_in_a_file_that_states_it(claim_id):
    places = [place for place in records(claim_id) if place.kind == "claim"]
    stated = [place.path.read_text(encoding="utf-8").splitlines()[place.line - 1 : place.line + 3] for place in places]
    assert places and all(stated)
    made = claim_id.startswith(("DATA-", "PKG-"))  # put together from a table of cases
    assert made or any(claim_id in line for lines in stated for line in lines)


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


def test_functions_and_subjects_have_places_in_every_layer():
    for name in ("rp_hockey_stick", "random_projection"):
        assert {"symbolic", "oracle", "fast", "mechanisms"} & {place.kind for place in of_name(name)} >= {
            "oracle",
            "fast",
        }
    assert {place.name for place in of_name("random_projection") if place.kind == "symbolic"} == {"file"}
    assert of_name("no_such_thing") == []


def test_the_command_prints_paths_with_lines_and_refuses_what_is_not_there():
    done = run("where", "n26-l2-CORRECTED")
    assert done.returncode == 0 and done.stdout.startswith("N26-L2-corrected\n  claim ")
    for path, line in re.findall(r"(\S+\.(?:py|ipynb|md|json)):(\d+)", done.stdout):
        assert (ROOT / path).is_file() and int(line) > 0
    missing = run("where", "nothing", "here")
    assert missing.returncode == 2 and "nothing here" in missing.stderr
