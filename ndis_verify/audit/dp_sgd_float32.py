"""DP-SGD of one network at a time in float32: networks so large that a score must not cost more (KM section 9).

The law of a step is that of `dp_sgd.noisy_sum`. What is saved: only drawn records are computed, and one that both sums
of a step have once; no gradient of a single record is built; of the second sum, which is looked at along the canary
alone, nothing but that is drawn; arrays of the size of the network are made once for any number of trainings.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ndis_verify.audit.dp_sgd import DpSgd, Network, checked_records
from ndis_verify.exact_number import InputError

Floats: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.intp]
_BETA, _GAMMA, _TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)  # Adam's
_PIECE = 1 << 14  # parameters that Adam moves at once: its five arrays of them stay in the cache


class Parts(NamedTuple):
    """Of some records: inputs, hidden values, and the slopes of their losses at the hidden units and at the logits,
    shrunk as the records' gradients are.
    """

    inputs: Floats
    hidden: Floats
    at_hidden: Floats
    at_logits: Floats

    def of(self, rows: slice) -> Parts:
        return Parts(*(part[rows] for part in self))


class Training:
    """A network under training by DP-SGD, from one start with one set of records, any number of times.

    network, settings: of `dp_sgd`, settings with Adam. x, y: the records, (n, inputs) and class numbers. start: the
    parameters that a training starts at, flat. rng: the generator, which goes on from training to training. Accuracy:
    that of float32 sums, about 1e-5 of a clipping norm. Raises `InputError`.

    Examples
    --------
    >>> import numpy as np
    >>> from ndis_verify.audit.dp_sgd import DpSgd, Network
    >>> from ndis_verify.audit.dp_sgd_float32 import Training
    >>> network, rng = Network(4, 3, 2), np.random.default_rng(0)
    >>> settings = DpSgd(0.5, 2.0, 5, optimizer="adam")
    >>> training = Training(network, settings, np.eye(4), np.array([0, 1, 0, 1]), network.start(rng), rng)
    >>> within, without = training.white_box()
    >>> within.shape, without.shape
    ((5,), (5,))
    """

    def __init__(self, network: Network, settings: DpSgd, x: Any, y: Any, start: Any, rng: np.random.Generator) -> None:
        x, y = checked_records(network, x, y)
        if settings.optimizer != "adam":
            raise InputError("settings.optimizer", settings.optimizer, "must be adam")
        self.network, self.settings, self.rng, self.y = network, settings, rng, y
        self.start: Floats = np.array(start, dtype=np.float32)
        self.used = np.flatnonzero(x.any(axis=0))  # a column of zeros says nothing to any unit
        self.runs = _runs(self.used)
        self.x: Floats = np.ascontiguousarray(x[:, self.used], dtype=np.float32)
        self.lengths: Floats = np.einsum("ij,ij->i", self.x, self.x) + np.float32(1)
        hidden = network.hidden
        self._arrays, self._piece = np.empty((5, self.start.size), np.float32), np.empty(_PIECE, np.float32)
        self.parameters, self.mean, self.square, self.total, self._unit = self._arrays
        seen = self.start.size - (network.inputs - self.used.size) * hidden  # parameters that a record has a say in
        self._sums, self._seen = np.empty((3, seen), np.float32), np.empty(seen, np.float32)
        self._inputs, self._weights = np.empty_like(self.x), np.empty((self.used.size, hidden), np.float32)
        self._units = np.empty((3, len(y), hidden), np.float32)
        self.begin()

    def begin(self) -> None:
        """Back to the start."""
        self.parameters[:], self.mean[:], self.square[:], self.steps = self.start, 0, 0, 0

    def black_box(self, x: Any, y: Any) -> npt.NDArray[np.float64]:
        """The losses of records (x, y) after a training (KM-Alg3)."""
        records = checked_records(self.network, x, y)
        self.begin()
        for _ in range(self.settings.steps):
            self.release(self.summed(self.clipped(np.flatnonzero(self._drawn())), self._sums[0]))
            self.move()
        return self.network.losses(self.parameters.astype(np.float64)[None], *records)[0]

    def white_box(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """`<sum, u>/clip` of every step, with and without a canary `clip u`, u a new uniform direction (KM-Alg4).

        Both sums are taken where the training without canary stands, as in the source.
        """
        scores, noise, clip, unit = [], self.settings.noise, self.settings.clip, self._unit
        self.begin()
        for _ in range(self.settings.steps):
            self.rng.standard_normal(dtype=np.float32, out=unit)
            length = clip * np.sqrt(float(unit @ unit))
            here, there = self._both_sums(self._drawn(), self._drawn())
            self.release(here)
            within = float(there @ self.seen(unit)) / length
            within += noise * self.rng.standard_normal() + (self.rng.random() < self.settings.rate)
            scores.append((within, float(self.total @ unit) / length))
            self.move()
        found = np.array(scores)
        return found[:, 0], found[:, 1]

    def seen(self, flat: Floats) -> Floats:
        """The entries of parameters that a record has a say in: all but the weights of inputs that are always 0."""
        first, *_ = self._layers(flat)
        found, *_ = self._layers(self._seen)
        np.take(first, self.used, axis=0, out=found, mode="clip")
        self._seen[found.size :] = flat[first.size :]
        return self._seen

    def _both_sums(self, drawn: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """The clipped sums over two samples, each record computed once."""
        groups = [np.flatnonzero(rows) for rows in (drawn & ~other, drawn & other, other & ~drawn)]
        parts, ends = self.clipped(np.concatenate(groups)), np.cumsum([0] + [len(rows) for rows in groups])
        here, both, there = (
            self.summed(parts.of(slice(ends[k], ends[k + 1])), self._sums[k]) for k in range(len(groups))
        )
        here += both
        there += both
        return here, there

    def _drawn(self) -> npt.NDArray[np.bool_]:
        return self.rng.random(len(self.y)) < self.settings.rate

    def _layers(self, flat: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        hidden, classes = self.network.hidden, self.network.classes
        rest = flat.size - hidden - hidden * classes - classes
        first, bias, second, offset = np.split(flat, np.cumsum([rest, hidden, hidden * classes]))
        return first.reshape(-1, hidden), bias, second.reshape(hidden, classes), offset

    def clipped(self, rows: Rows) -> Parts:
        """The parts of some records, in that order."""
        first, bias, second, offset = self._layers(self.parameters)
        x, (hidden, at_hidden, spare) = self._inputs[: len(rows)], self._units[:, : len(rows)]
        np.take(self.x, rows, axis=0, out=x, mode="clip")
        np.matmul(x, np.take(first, self.used, axis=0, out=self._weights, mode="clip"), out=hidden)
        hidden += bias
        np.tanh(hidden, out=hidden)
        at_logits = hidden @ second
        at_logits += offset
        at_logits -= at_logits.max(axis=1, keepdims=True)
        np.exp(at_logits, out=at_logits)
        at_logits /= at_logits.sum(axis=1, keepdims=True)
        at_logits[np.arange(len(rows)), self.y[rows]] -= 1
        np.matmul(at_logits, second.T, out=at_hidden)
        at_hidden *= np.subtract(1, np.multiply(hidden, hidden, out=spare), out=spare)
        outer = np.einsum("ij,ij->i", hidden, hidden) + 1
        slopes, ends = (np.einsum("ij,ij->i", part, part) for part in (at_hidden, at_logits))
        norms = np.sqrt(self.lengths[rows] * slopes + outer * ends)
        shrinking = np.minimum(1, np.float32(self.settings.clip) / np.maximum(norms, np.float32(1e-30)))[:, None]
        at_hidden *= shrinking
        at_logits *= shrinking
        return Parts(x, hidden, at_hidden, at_logits)

    def summed(self, parts: Parts, out: Floats) -> Floats:
        """The clipped sum over records, of the parameters that a record has a say in."""
        first, bias, second, offset = self._layers(out)
        np.matmul(parts.inputs.T, parts.at_hidden, out=first)
        parts.at_hidden.sum(axis=0, out=bias)
        np.matmul(parts.hidden.T, parts.at_logits, out=second)
        parts.at_logits.sum(axis=0, out=offset)
        return out

    def release(self, clipped: Floats) -> None:
        """Noise and a clipped sum, into `total`."""
        self.rng.standard_normal(dtype=np.float32, out=self.total)
        self.total *= np.float32(self.settings.noise * self.settings.clip)
        (first, *_), (found, *_) = self._layers(self.total), self._layers(clipped)
        for columns, place in self.runs:
            first[columns] += found[place]
        self.total[first.size :] += clipped[found.size :]

    def move(self) -> None:
        """One step of Adam along `total`, which is used up."""
        self.steps += 1
        rate = np.float32(self.settings.learning_rate / (1 - 0.9**self.steps))
        square_sum = np.float32(1 - 0.999**self.steps)
        for start in range(0, self.parameters.size, self._piece.size):
            parameters, mean, square, total = (
                array[start : start + self._piece.size]
                for array in (self.parameters, self.mean, self.square, self.total)
            )
            spare = self._piece[: total.size]
            mean *= _BETA
            mean += np.multiply(1 - _BETA, total, out=spare)
            square *= _GAMMA
            np.square(total, out=total)
            square += np.multiply(1 - _GAMMA, total, out=spare)
            np.sqrt(np.divide(square, square_sum, out=spare), out=total)
            total += _TINY
            np.divide(mean, total, out=total)
            total *= rate
            parameters -= total


def _runs(columns: Rows) -> list[tuple[slice, slice]]:
    """Neighbouring columns together: where they stand among all, and among themselves."""
    ends = np.flatnonzero(np.diff(columns) > 1) + 1
    starts, stops = np.concatenate([[0], ends]), np.concatenate([ends, [columns.size]])
    return [
        (slice(columns[start], columns[start] + stop - start), slice(start, stop))
        for start, stop in zip(starts, stops, strict=True)
        if stop > start
    ]
