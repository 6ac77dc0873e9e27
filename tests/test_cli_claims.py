"""The command `claims`: it goes over the whole ledger and its derivations."""

import json

from command_line import run

from ndis_verify.claims import certificate_renewal


def test_claims_lists_and_finds_what_is_missing(tmp_path):
    listed = json.loads(run("claims", "--json").stdout)
    assert {"N26-L1", "SL-1"} <= {claim["id"] for claim in listed}
    (tmp_path / "ids.txt").write_text("N26-L1 N99-X\nSL-1\n")
    result = run("claims", "--missing", str(tmp_path / "ids.txt"))
    assert result.returncode == 1 and result.stdout.split() == ["N99-X"]
    (tmp_path / "ids.txt").write_text("N26-L1\n")
    result = run("claims", "--missing", str(tmp_path / "ids.txt"))
    assert result.returncode == 0 and result.stdout == ""
    result = run("claims", "--missing", str(tmp_path / "ids.txt"), "--json")
    assert result.returncode == 0 and result.stdout == "[]\n"
    (tmp_path / "ids.txt").write_text("N99-X\nN99-Y\n")
    assert run("claims", "--missing", str(tmp_path / "ids.txt")).stdout == "N99-X\nN99-Y\n"
    assert json.loads(run("claims", "--missing", str(tmp_path / "ids.txt"), "--json").stdout) == ["N99-X", "N99-Y"]


def test_certificates_are_renewed_by_at_least_one_process(monkeypatch):
    asked = []
    monkeypatch.setattr(certificate_renewal, "renew", lambda folder, jobs, progress: asked.append(jobs) or [])
    for jobs in ("0", "-1"):
        refused = run("claims", "--certificates", "--jobs", jobs)
        assert refused.returncode == 2 and "--jobs" in refused.stderr and not asked
    done = run("claims", "--certificates", "--jobs", "1")
    assert done.returncode == 0 and done.stdout.startswith("current: ") and asked == [1]
    monkeypatch.setattr(certificate_renewal, "renew", lambda folder, jobs, progress: ["N26-L1: not held"])
    assert run("claims", "--certificates", "--jobs", "3").returncode == 1
