"""DP-SGD of one network at a time in float32: networks so large that a score must not cost more (KM section 9).

The law of a step is that of `dp_sgd.noisy_sum`. What is saved: only drawn records are computed, no gradient of a single
record is built, and of the second sum of a step, which is looked at along the canary alone, nothing but that is drawn.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ndis_verify.audit.dp_sgd import DpSgd, Network, checked_records
from ndis_verify.exact_number import InputError

Floats: TypeAlias = npt.NDArray[np.float32]
Parts: TypeAlias = tuple[Floats, Floats, Floats]  # hidden values, slopes at the hidden units and at the logits
_BETA, _GAMMA, _TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)  # Adam's


class Training:
    """A network under training by DP-SGD: parameters and running moments are changed in place.

    network, settings: of `dp_sgd`, settings with Adam. x, y: the records, (n, inputs) and class numbers. start: the
    parameters that the training starts at, flat. rng: the generator. Accuracy: that of float32 sums, about 1e-5 of a
    clipping norm. Raises `InputError`.

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
        self.used = x.any(axis=0)  # a column of zeros says nothing to any unit
        self.x: Floats = np.ascontiguousarray(x[:, self.used], dtype=np.float32)
        self.parameters: Floats = np.array(start, dtype=np.float32)
        self.mean, self.square, self.steps = np.zeros_like(self.parameters), np.zeros_like(self.parameters), 0

    def black_box(self, x: Any, y: Any) -> npt.NDArray[np.float64]:
        """The losses of records (x, y) after the training (KM-Alg3)."""
        records = checked_records(self.network, x, y)
        for _ in range(self.settings.steps):
            drawn = self._drawn()
            self._move(self._released(self._clipped(drawn), drawn))
        return self.network.losses(self.parameters.astype(np.float64)[None], *records)[0]

    def white_box(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """`<sum, u>/clip` of every step, with and without a canary `clip u`, u a new uniform direction (KM-Alg4).

        Both sums are taken where the training without canary stands, as in the source.
        """
        scores = []
        for _ in range(self.settings.steps):
            unit = self.rng.standard_normal(self.parameters.size, dtype=np.float32)
            unit /= np.float32(np.sqrt(np.square(unit, dtype=np.float64).sum()))
            drawn, other = self._drawn(), self._drawn()
            either = drawn | other
            parts = self._clipped(either)
            total = self._released(_of(parts, drawn[either]), drawn)
            within = self._along(unit, _of(parts, other[either]), other) / self.settings.clip
            within += self.settings.noise * self.rng.standard_normal() + (self.rng.random() < self.settings.rate)
            scores.append((within, float(total @ unit) / self.settings.clip))
            self._move(total)
        found = np.array(scores)
        return found[:, 0], found[:, 1]

    def _drawn(self) -> npt.NDArray[np.bool_]:
        return self.rng.random(len(self.y)) < self.settings.rate

    def _layers(self, flat: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        inputs, hidden, classes = self.network.inputs, self.network.hidden, self.network.classes
        first, bias, second, offset = np.split(flat, np.cumsum([inputs * hidden, hidden, hidden * classes]))
        return first.reshape(inputs, hidden), bias, second.reshape(hidden, classes), offset

    def _clipped(self, rows: npt.NDArray[np.bool_]) -> Parts:
        """Hidden values of some records, and the slopes of their losses at the hidden units and at the logits, shrunk
        as the records' gradients are.
        """
        first, bias, second, offset = self._layers(self.parameters)
        x, labels = self.x[rows], self.y[rows]
        hidden = x @ first[self.used]
        hidden += bias
        np.tanh(hidden, out=hidden)
        at_logits = hidden @ second
        at_logits += offset
        at_logits -= at_logits.max(axis=1, keepdims=True)
        np.exp(at_logits, out=at_logits)
        at_logits /= at_logits.sum(axis=1, keepdims=True)
        at_logits[np.arange(len(labels)), labels] -= 1
        at_hidden = at_logits @ second.T
        at_hidden *= 1 - hidden * hidden
        inner, outer = (np.einsum("ij,ij->i", part, part) + 1 for part in (x, hidden))
        norms = np.sqrt(
            inner * np.einsum("ij,ij->i", at_hidden, at_hidden) + outer * np.einsum("ij,ij->i", at_logits, at_logits)
        )
        shrinking = np.minimum(1, np.float32(self.settings.clip) / np.maximum(norms, np.float32(1e-30)))[:, None]
        at_hidden *= shrinking
        at_logits *= shrinking
        return hidden, at_hidden, at_logits

    def _released(self, parts: Parts, rows: npt.NDArray[np.bool_]) -> Floats:
        """The clipped sum over the rows, and its noise."""
        hidden, at_hidden, at_logits = parts
        total = self.rng.standard_normal(self.parameters.size, dtype=np.float32)
        total *= np.float32(self.settings.noise * self.settings.clip)
        first, bias, second, offset = self._layers(total)
        first[self.used] += self.x[rows].T @ at_hidden
        bias += at_hidden.sum(axis=0)
        second += hidden.T @ at_logits
        offset += at_logits.sum(axis=0)
        return total

    def _along(self, unit: Floats, parts: Parts, rows: npt.NDArray[np.bool_]) -> float:
        """The clipped sum over the rows along a direction: each record's from its slopes, as if the network moved."""
        hidden, at_hidden, at_logits = parts
        first, bias, second, offset = self._layers(unit)
        at_first = ((self.x[rows] @ first[self.used] + bias) * at_hidden).sum(dtype=np.float64)
        return float(at_first + ((hidden @ second + offset) * at_logits).sum(dtype=np.float64))

    def _move(self, total: Floats) -> None:
        """One step of Adam along a released sum, which is used up."""
        self.steps += 1
        self.mean *= _BETA
        self.mean += (1 - _BETA) * total
        self.square *= _GAMMA
        np.square(total, out=total)
        self.square += (1 - _GAMMA) * total
        np.sqrt(self.square / np.float32(1 - 0.999**self.steps), out=total)
        total += _TINY
        np.divide(self.mean, total, out=total)
        total *= np.float32(self.settings.learning_rate / (1 - 0.9**self.steps))
        self.parameters -= total


def _of(parts: Parts, rows: npt.NDArray[np.bool_]) -> Parts:
    hidden, at_hidden, at_logits = parts
    return hidden[rows], at_hidden[rows], at_logits[rows]
