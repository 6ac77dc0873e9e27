"""Kept records that are damaged or forged: nothing of them is believed."""

import json
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from kept_runs import KINDS, nothing, toy_ledger, verify

from ndis_verify.claims import session
from ndis_verify.cli import main
from ndis_verify.court import certificate_store

FLIPS = 500
UNKNOWN_FIELDS = ("verify", "branch_and_bound")  # leave alone what they do not know; verdicts and the like are not read
RESUMED = [name for name in KINDS if name != "conformance"]


def flips(data, seed):
    """`FLIPS` copies with one byte changed, and where."""
    rng = np.random.default_rng(seed)
    for place, change in zip(rng.integers(0, len(data), FLIPS), rng.integers(1, 256, FLIPS)):
        yield int(place), data[:place] + bytes([data[place] ^ int(change)]) + data[place + 1 :]


@pytest.mark.parametrize("kind", KINDS)
def test_no_flipped_byte_of_a_journal_is_believed(tmp_path, monkeypatch, journals_left, capsys, kind):
    KINDS[kind](tmp_path, nothing, monkeypatch)
    journal, data = journals_left[0]
    whole, lines = journal.believed(data)
    assert whole == journal.done and len(lines) == data.count(b"\n") - 1 >= 2
    ends = np.cumsum([0, *(len(line) for line in data.splitlines(keepends=True))])
    for place, damaged in flips(data, len(data)):
        values, believed = journal.believed(damaged)
        hit = int(np.searchsorted(ends, place, side="right")) - 1  # 0: the header, under which nothing is believed
        # Without its end a line takes the next one with it.
        lost = {line for k, line in enumerate(lines, 1) if hit in (0, k) or (hit == k - 1 and place == ends[k] - 1)}
        assert set(believed) == set(lines) - lost, (place, damaged[max(0, place - 20) : place + 20])
        assert all(values[key] == whole[key] for key in values)


def test_no_flipped_byte_of_a_certificate_is_believed(tmp_path):
    source = min(certificate_store.FOLDER.glob("*.json"), key=lambda path: path.stat().st_size)
    path, data = tmp_path / source.name, source.read_bytes()
    path.write_bytes(data)
    assert certificate_store.read(path) is not None
    for place, damaged in flips(data, 11):
        path.write_bytes(damaged)
        with pytest.raises(certificate_store.CertificateError):
            certificate_store.read(path)


@pytest.mark.parametrize("kind", RESUMED)
def test_a_damaged_line_is_computed_again_and_reported(tmp_path, monkeypatch, journals_left, capsys, kind):
    first = KINDS[kind](tmp_path, nothing, monkeypatch)
    shown = capsys.readouterr().out
    journal, data = journals_left[0]
    lines = data.splitlines(keepends=True)
    for place in (len(lines) // 2, len(lines) - 1):
        broken = lines[place].replace(b"0", b"1", 1) if b"0" in lines[place] else lines[place][:-5]
        journal.path.write_bytes(b"".join([*lines[:place], broken, *lines[place + 1 :]]))
        again = KINDS[kind](tmp_path, nothing, monkeypatch)
        answer = capsys.readouterr()
        assert f"1 of {len(lines) - 1} lines damaged: not believed" in answer.err and journals_left[-1][0].damaged == 1
        if kind in ("verify", "study"):
            assert again == first and answer.out == shown
        elif kind in ("hunt", "experiment", "build"):
            assert again == first
        else:  # its seconds differ
            assert replace(again, seconds=0) == replace(first, seconds=0)


@pytest.mark.parametrize("kind", RESUMED)
def test_what_is_no_content_of_its_kind_is_not_believed_even_under_its_seal(tmp_path, monkeypatch, journals_left, kind):
    KINDS[kind](tmp_path, nothing, monkeypatch)
    journal, data = journals_left[0]
    *lines, last = data.splitlines(keepends=True)
    record = json.loads(last)
    content = record["content"]
    fields = list(content)[:4] + list(content)[-2:]
    odd = [
        None,
        3,
        "text",
        [],
        [[]],
        {},
        {"id": 1},
        *({name: content[name] for name in content if name != gone} for gone in fields),
    ]
    odd += [{**content, "unknown": 1}] if kind not in UNKNOWN_FIELDS else []
    for other in odd:
        values, _ = journal.believed(b"".join([*lines, journal._sealed(record["line"], record["id"], other)]))
        assert record["id"] not in values, other
        assert len(values) == len(journal.done) - 1


# --- forgeries


def test_a_verdict_cannot_be_forged_by_a_copied_line(tmp_path, monkeypatch, journals_left, capsys):
    assert verify(tmp_path, nothing, monkeypatch) == 1, "C is not as declared"
    journal, data = journals_left[0]
    header, a, b, c, d = data.splitlines(keepends=True)
    declared = b'"declared": "proved", "verdict": "proved", "agrees": true, '
    for forged in (a.replace(b'"id": "A"', b'"id": "C"'), a, c.replace(b'"content": {', b'"content": {' + declared)):
        journal.path.write_bytes(b"".join([header, a, b, forged, d]))
        heard = []
        assert verify(tmp_path, lambda: heard.append(1), monkeypatch) == 1 and len(heard) == 1
        assert "1 NOT as declared" in capsys.readouterr().out


def test_a_forger_with_the_seal_decides_nothing(tmp_path, monkeypatch, capsys):
    """The hearing of A under the name of C, sealed as it must be; and verdicts among the evidence."""
    toy_ledger(monkeypatch, nothing)
    hearing = session._heard_by_id("A", "quick", certificate_store.FOLDER, False)
    own = session._heard_by_id("C", "quick", certificate_store.FOLDER, False)
    for content in (hearing, own | {"declared": "proved", "agrees": True}):
        with (
            pytest.raises((ValueError, KeyError)) if content is hearing else nullcontext(),
            session.session_journal(tmp_path / "journal.jsonl", "quick") as journal,
        ):
            journal.kept = True
            journal.append("C", content)
        assert main(["verify", "C", "--jobs", "1", "--output", str(tmp_path)]) == 1
        assert "1 NOT as declared" in capsys.readouterr().out


def test_a_journal_of_other_sources_or_certificates_is_not_believed(tmp_path, monkeypatch):
    from ndis_verify.runs import identity as made

    root = tmp_path / "package"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    monkeypatch.setattr(made, "_ROOT", root)
    monkeypatch.setattr(made, "_package", made._package.__wrapped__)  # as other processes would find them
    seen = [made.identity("run"), made.identity("run", folder=certificates)]
    (certificates / "one.json").write_text("{}")
    seen.append(made.identity("run", folder=certificates))
    (root / "a.py").write_text("a = 2\n")
    seen.append(made.identity("run"))
    (root / "a.py").rename(root / "b.py")
    seen.append(made.identity("run"))
    monkeypatch.setattr(made.metadata, "version", lambda name: "0")
    seen += [made.identity("run"), made.identity("another")]
    assert len(set(seen)) == len(seen) - 1 and seen[0] == seen[1], "an empty folder adds nothing"
    assert made.identity("run") == seen[-2]
