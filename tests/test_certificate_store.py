"""Stored certificates: taken where everything matches, and never where the file, the sources or the sample differ."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from ndis_verify import oracle
from ndis_verify.claim import Evidence, Outcome
from ndis_verify.claims import certificate_renewal as renewal
from ndis_verify.claims.covariance_shift.box import BoxOrder
from ndis_verify.claims.least_squares.worst_record import _NORMAL, Largest
from ndis_verify.claims.ledger import all_claims
from ndis_verify.claims.mean_shift.monotone import increases_with_shift
from ndis_verify.cli import main
from ndis_verify.court import certificate_store as store
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.checks import agreement
from ndis_verify.court.checks import kept as keep
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.court.source_closure import defining_modules
from ndis_verify.oracle.certified.least_squares.worst_case import gaussian_edge

SMALL_BOX = BoxOrder(quick=((2.0, 2.25), (0.5, 0.75)), full=((2.0, 2.5), (0.5, 1.0)))


def squares(limit=30):
    """A check that counts what it computes."""
    counted = []

    def compute(effort):
        numbers = [n * n for n in range(limit if effort == "full" else 3)]
        counted.append(effort)
        return Evidence(Outcome.HELD, "squares", "computed", count=len(numbers)), {"squares": numbers}

    def recheck(content):
        counted.append("sample")
        if any(content["squares"][n] != n * n for n in (0, 7, limit - 1)):
            raise store.CertificateError("a square is wrong")
        return Evidence(Outcome.HELD, "squares", "sampled", count=len(content["squares"]))

    return store.StoredCheck("squares", {"limit": limit}, {"ndis_verify.court.certify_box"}, compute, recheck), counted


def kept(tmp_path, check):
    with store.writing(tmp_path):
        store.stored(check, "full")
    return tmp_path / f"{check.name}.json"


def quick(tmp_path, check):
    with store.certificates_in(tmp_path):
        return store.stored(check, "quick")


def test_a_certificate_that_was_made_elsewhere_is_kept_whole_or_not_at_all(tmp_path):
    check, _ = squares()
    with store.made_inside() as made:
        store.stored(check, "full")
    assert list(made) == ["squares"] and not list(tmp_path.iterdir())
    for name, text in (("../squares", made["squares"]), ("cubes", made["squares"]), ("squares", made["squares"][:-9])):
        with pytest.raises(store.CertificateError):
            store.keep(tmp_path, {**made, name: text})
        assert not list(tmp_path.iterdir())
    store.keep(tmp_path, made)
    assert "stored certificate" in quick(tmp_path, check).detail


def tampered(path, change):
    """The file with other content and a checksum that fits it."""
    certificate = store.read(path)
    content = json.loads(json.dumps(certificate.content))
    change(content)
    path.write_text(replace(certificate, content=content).text(), encoding="utf-8")


def test_a_certificate_that_matches_is_evidence_after_a_sample(tmp_path):
    check, counted = squares()
    path = kept(tmp_path, check)
    evidence = quick(tmp_path, check)
    assert counted == ["full", "sample"]
    assert evidence.outcome is Outcome.HELD and evidence.count == 30
    assert evidence.detail.startswith(f"stored certificate {store.key(check)[:8]} (")
    assert path.read_text(encoding="utf-8") == store.read(path).text(), "the format repeats itself"


def test_the_full_effort_reads_no_certificate_and_writes_only_when_told(tmp_path):
    check, counted = squares()
    with store.certificates_in(tmp_path):
        assert store.stored(check, "full").detail == "computed"
    assert not list(tmp_path.iterdir()) and counted == ["full"]
    kept(tmp_path, check)
    with store.certificates_in(tmp_path):
        assert store.stored(check, "full").detail == "computed"


def test_a_check_that_did_not_hold_is_not_kept(tmp_path):
    check, _ = squares()
    failing = replace(check, compute=lambda effort: (Evidence(Outcome.FAILED, "squares", "no"), {"squares": []}))
    assert not kept(tmp_path, failing).exists()


def test_without_a_certificate_the_quick_size_is_computed(tmp_path):
    check, counted = squares()
    assert quick(tmp_path, check).detail == "computed" and counted == ["quick"]


@pytest.mark.parametrize("change", ["parameters", "sources", "versions"])
def test_a_certificate_of_something_else_is_not_used(tmp_path, monkeypatch, change):
    check, counted = squares()
    kept(tmp_path, check)
    if change == "parameters":
        check = replace(check, parameters={"limit": 31})
    elif change == "sources":
        monkeypatch.setattr(store, "source_hash", lambda modules: "another")
    else:
        monkeypatch.setattr(store, "versions", lambda: {"python-flint": "0"})
    evidence = quick(tmp_path, check)
    assert counted == ["full", "quick"]
    assert evidence.outcome is Outcome.HELD and "other sources or versions" in evidence.detail


def test_a_flipped_bit_anywhere_is_caught_and_said(tmp_path):
    check, counted = squares()
    path = kept(tmp_path, check)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(store.CertificateError):
            store.read(path)
    path.write_bytes(whole.replace(b"841", b"842"))
    assert "NOT used: squares.json has a wrong checksum" in quick(tmp_path, check).detail
    assert counted[-1] == "quick"


@pytest.mark.parametrize("said", [{"parameters": {"limit": 10**6}}, {"versions": {"numpy": "99"}}, {"key": "0" * 64}])
def test_a_certificate_that_says_it_is_of_something_else_is_not_used(tmp_path, said):
    """Under a right checksum, and with content that the sample bears out."""
    check, counted = squares()
    path = kept(tmp_path, check)
    path.write_text(replace(store.read(path), **said).text(), encoding="utf-8")
    assert "other sources or versions" in quick(tmp_path, check).detail and counted[-1] == "quick"
    assert not store.is_current(check, tmp_path)


def test_what_a_report_says_of_a_kept_attack_is_made_again(tmp_path):
    run = replace(increases_with_shift().run, owner="N24-P6", evaluations={"quick": 400, "full": 3000})
    path = kept(tmp_path, run.stored_check())
    with store.certificates_in(tmp_path):
        shown = run("quick").detail.partition(" s): ")[2]
        tampered(path, lambda c: c.update(declared="proved", rounds=10**9))
        assert run("quick").detail.partition(" s): ")[2] == shown
        tampered(path, lambda c: c.update(dangerous=c["dangerous"][-1:]))
        assert "NOT used: its worst point is not among its points" in run("quick").detail


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/zero"), os.mkfifo, lambda path: path.mkdir()])
def test_only_a_regular_file_is_a_certificate(tmp_path, make):
    check, _ = squares()
    make(tmp_path / "squares.json")
    assert "NOT used: squares.json cannot be read" in quick(tmp_path, check).detail


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 99}', '{"format": 1, "check": "squares"}', "\x00", "[" * 100_000]
)
def test_a_file_that_is_no_certificate_is_not_used(tmp_path, text):
    check, _ = squares()
    (tmp_path / "squares.json").write_text(text, encoding="utf-8")
    evidence = quick(tmp_path, check)
    assert evidence.outcome is Outcome.HELD and "NOT used" in evidence.detail


@pytest.mark.parametrize(
    "change", [lambda c: c["squares"].__setitem__(7, 50), lambda c: c.clear(), lambda c: c.update(squares=None)]
)
def test_content_that_is_wrong_under_a_right_checksum_is_caught_by_the_sample(tmp_path, change):
    check, counted = squares()
    tampered(kept(tmp_path, check), change)
    evidence = quick(tmp_path, check)
    assert evidence.outcome is Outcome.HELD and "NOT used" in evidence.detail and counted[-1] == "quick"


def test_a_certificate_of_another_check_is_not_used(tmp_path):
    check, _ = squares()
    path = kept(tmp_path, check)
    path.rename(tmp_path / "cubes.json")
    assert "NOT used" in quick(tmp_path, replace(check, name="cubes")).detail


def test_the_boxes_of_a_partition_are_kept_and_sampled(tmp_path):
    check = SMALL_BOX.stored_check()
    with store.writing(tmp_path):
        full = SMALL_BOX("full")
    path = tmp_path / f"{check.name}.json"
    with store.certificates_in(tmp_path):
        line = SMALL_BOX("quick")
    assert line.outcome is Outcome.HELD and line.count == full.count
    assert (
        f"{full.count} boxes, depth " in line.detail and " bits" in line.detail and "stored certificate" in line.detail
    )
    levels = store.read(path).content["levels"]
    for change in (
        lambda c: c.update(levels=["#"], boxes=1),  # the whole box claimed at once
        lambda c: c.update(levels=levels[:-1]),
        lambda c: c.update(levels=[*levels[:-2], "#" * len(levels[-2])], boxes=c["boxes"] - levels[-2].count(".")),
        lambda c: c.update(boxes=c["boxes"] + 1),
        lambda c: c.update({"least gap": 0.5}),
    ):
        with store.writing(tmp_path):
            SMALL_BOX("full")
        tampered(path, change)
        with store.certificates_in(tmp_path):
            again = SMALL_BOX("quick")
        assert again.outcome is Outcome.HELD and "NOT used" in again.detail and again.count < full.count


def test_an_attack_is_kept_and_its_first_rounds_aresearched_again(tmp_path):
    run = replace(increases_with_shift().run, owner="N24-P6", evaluations={"quick": 400, "full": 3000})
    path = kept(tmp_path, run.stored_check())
    with store.certificates_in(tmp_path):
        assert run("quick").count == 3000
        for change in (
            lambda c: c["dangerous"][0].update(margin=0.25),
            lambda c: c["dangerous"][0].update(unit=[1.5, 0.5, 0.5]),
            lambda c: c["dangerous"][0].update(unit=[0.5]),
            lambda c: c.update(dangerous=[]),
            lambda c: c.update(dangerous=c["dangerous"][:1] * 3, finding="suspected"),
            lambda c: c.update(evaluations=10**9),
        ):
            whole = path.read_text(encoding="utf-8")
            tampered(path, change)
            evidence = run("quick")
            path.write_text(whole, encoding="utf-8")
            assert evidence.count == 400 and "NOT used" in evidence.detail


def test_a_certificate_cannot_hide_a_violation(tmp_path):
    """The stored search of a true statement under the name of a false one: the first rounds find the violation."""
    sound = replace(increases_with_shift().run, owner="N24-P6", evaluations={"quick": 400, "full": 3000})
    false = replace(sound, problem=replace(sound.problem, margin=lambda shift, factor, epsilon: shift - 1))
    check = sound.stored_check()
    path = kept(tmp_path, check)
    claimed = false._computed("quick")
    assert claimed[0].outcome is Outcome.FAILED
    recheck = replace(check, recheck=lambda content: attack_recheck(false, content), compute=false._computed)
    assert quick(tmp_path, recheck).outcome is Outcome.FAILED
    assert path.exists()


def attack_recheck(run, content):
    from ndis_verify.court.attack_recheck import searched_again

    return searched_again(run.problem, content, run.seed, run.evaluations)


def test_worst_records_below_a_cap_are_kept(tmp_path):
    run = Largest(_NORMAL[3:5], gaussian_edge, oracle.certified_als_worst_case, name="caps")
    path = kept(tmp_path, run.stored_check())
    with store.certificates_in(tmp_path):
        assert "stored certificate" in run("quick").detail
        for change in (
            lambda c: c["suprema"].pop(),
            lambda c: c["suprema"].reverse(),
            lambda c: c["suprema"][0].update(leverage="1/20"),
            lambda c: c["suprema"][1].update(value=["1", "2"]),
        ):
            whole = path.read_text(encoding="utf-8")
            tampered(path, change)
            assert "NOT used" in run("quick").detail
            path.write_text(whole, encoding="utf-8")


def test_a_long_comparison_is_kept_and_some_of_its_points_are_compared_again(tmp_path):
    seen = []

    def cube(x):
        seen.append(x)
        return x**3 * (1 + (1e-9 if x == 13 else 1e-12))

    points = lambda effort: [(float(x),) for x in range(1, 41 if effort == "full" else 4)]
    check = keep(agreement("cubes", "twice", cube, lambda x: x * x * x, points, 8, {"square": lambda x: x**2}))
    run = replace(check.run, owner="X-1")
    path = kept(tmp_path, run.stored_check())
    assert path.name == "X-1-cubes.json" and store.read(path).content == {"points": 40, "digits": 9.0, "worst": 12}
    seen.clear()
    with store.certificates_in(tmp_path):
        evidence = run("quick")
        assert (
            evidence.outcome is Outcome.HELD and evidence.count == 40 and evidence.digits == 9 and 1 <= len(seen) <= 3
        )
        for change in (
            lambda c: c.update(digits=12.0),
            lambda c: c.update(worst=0),
            lambda c: c.update(points=41),
            lambda c: c.update(worst=99),
        ):
            whole = path.read_text(encoding="utf-8")
            tampered(path, change)
            again = run("quick")
            path.write_text(whole, encoding="utf-8")
            assert again.count == 3 and "NOT used" in again.detail
    assert check.mutants["square"]("quick").outcome is Outcome.FAILED


def test_margins_written_outside_the_package_are_not_kept():
    domain = Domain((continuous("x", 0, 1),))
    check = attack_check("mine", lambda x: x, domain, mutants={"reverse": lambda x: -x})
    assert check.run.stored_check() is None
    assert all(run.stored_check() is None for run in increases_with_shift().mutants.values())


def test_functions_that_a_margin_closes_over_count_as_its_sources():
    inner = increases_with_shift().run.problem.margin

    def wrapped(shift, factor, epsilon, of=np.float64):
        return of(inner(shift, factor, epsilon))

    assert defining_modules(wrapped) >= {__name__, "ndis_verify.claims.mean_shift.monotone"}
    assert "ndis_verify.claims.mean_shift.monotone" in defining_modules([lambda: None, {"a": (inner,)}])


def test_the_ledger_s_certificates_have_names_of_their_own():
    runs = [check.run for claim in all_claims() for check in claim.checks if hasattr(check.run, "stored_check")]
    names = [check.name for check in (run.stored_check() for run in runs) if check is not None]
    assert names and len(set(names)) == len(names)
    present = {path.stem for path in store.FOLDER.glob("*.json")}
    assert present <= set(names), "a certificate that no check asks for"


def test_every_certificate_of_the_package_is_whole_and_standing():
    for path in sorted(store.FOLDER.glob("*.json")):
        certificate = store.read(path)
        assert certificate.check == path.stem and certificate.seconds >= 0 and certificate.content


def test_the_command_line_keeps_certificates_and_stands_on_them(tmp_path, capsys):
    folder, report = str(tmp_path / "kept"), str(tmp_path / "report")
    assert main(["verify", "SL-1", "--full", "--store", "--certificates", folder, "--output", report, "--json"]) == 0
    assert "stored certificate" not in capsys.readouterr().out
    assert main(["verify", "SL-1", "--certificates", folder, "--output", report, "--json"]) == 0
    assert "stored certificate" in capsys.readouterr().out
    assert main(["verify", "SL-1", "--store", "--output", report]) == 2
    assert "needs --full" in capsys.readouterr().err


def test_certificates_are_renewed_where_they_are_not_current(tmp_path, monkeypatch):
    chosen = {task: check for task, check in renewal.kept_checks().items() if task[0] in ("SL-1", "KM-4.1", "KM-2.2")}
    chosen = dict(list(chosen.items())[:3])
    assert len(chosen) == 3 and len(renewal.kept_checks()) > 60
    monkeypatch.setattr(renewal, "kept_checks", lambda: chosen)
    seen = []
    assert renewal.renew(tmp_path, 1, lambda done, total, label: seen.append((done, total))) == []
    assert seen == [(k, 3) for k in range(4)] and {p.stem for p in tmp_path.glob("*.json")} == {
        c.name for c in chosen.values()
    }
    damaged, *others = sorted(tmp_path.glob("*.json"))
    damaged.write_text("{", encoding="utf-8")
    (tmp_path / "nobody-s.json").write_text("{}", encoding="utf-8")
    before = [path.stat().st_mtime_ns for path in others]
    assert renewal.renew(tmp_path, 1, lambda done, total, label: seen.append((done, total))) == []
    assert seen[-1] == (1, 1) and store.read(damaged) is not None
    assert [path.stat().st_mtime_ns for path in others] == before and not (tmp_path / "nobody-s.json").exists()
