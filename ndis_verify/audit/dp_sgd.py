"""Small DP-SGD and its audits: losses of many trained models (KM-Alg3), inner products with a canary at every step
(KM-Alg4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ndis_verify.arguments import whole, within
from ndis_verify.audit.subsampled_gaussian import ComposedStep, composed_step
from ndis_verify.exact_number import InputError, float_array

_BLOCK = 200_000  # numbers of one array of a block of models: what stays in the cache


class Model(Protocol):
    """A model whose parameters are one flat vector; many models are trained at once, as rows of a matrix."""

    @property
    def size(self) -> int: ...

    def start(self, rng: np.random.Generator) -> np.ndarray: ...

    def losses(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray: ...

    def norms(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray: ...

    def weighted_gradients(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, weights: Any) -> np.ndarray: ...

    def clipped_sum(
        self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, drawn: np.ndarray, clip: float
    ) -> np.ndarray: ...


@dataclass(frozen=True)
class Network:
    """One hidden layer of tanh units, a softmax over `classes`, cross-entropy.

    Parameters, flat: `inputs x hidden` weights, `hidden` biases, `hidden x classes` weights, `classes` biases. Methods
    take parameters of shape (models, size), x (n, inputs), y (n,) class numbers, and give one row for each model.
    """

    inputs: int
    hidden: int
    classes: int

    def __post_init__(self) -> None:
        for name in ("inputs", "hidden", "classes"):
            whole(getattr(self, name), name, 1)

    @property
    def size(self) -> int:
        return (self.inputs + 1) * self.hidden + (self.hidden + 1) * self.classes

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Normal weights of variance 1/inputs and 1/hidden, biases 0."""
        first = rng.standard_normal((self.inputs, self.hidden)) / np.sqrt(self.inputs)
        second = rng.standard_normal((self.hidden, self.classes)) / np.sqrt(self.hidden)
        return np.concatenate([first.ravel(), np.zeros(self.hidden), second.ravel(), np.zeros(self.classes)])

    def losses(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Cross-entropy of every record under every model, (models, n)."""
        _, logits = self._forward(parameters, x)
        largest = logits.max(axis=2)
        total = largest + np.log(np.exp(logits - largest[..., None]).sum(axis=2))
        return total - logits[:, np.arange(len(y)), y]

    def norms(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Euclidean norm of every record's gradient, (models, n).

        A layer's gradient is the outer product of its input (with a 1 for the bias) and its slopes: the norm is the
        product of theirs.
        """
        return self._norms(self._slopes(parameters, x, y), x)

    def weighted_gradients(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, weights: Any) -> np.ndarray:
        """`sum_i weights[., i] grad_i`, (models, size)."""
        return self._weighted(self._slopes(parameters, x, y), x, weights)

    def clipped_sum(
        self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, drawn: np.ndarray, clip: float
    ) -> np.ndarray:
        """`sum_i drawn[., i] grad_i min(1, clip/|grad_i|)`, (models, size); one pass forward and back."""
        slopes = self._slopes(parameters, x, y)
        return self._weighted(slopes, x, drawn * _shrinking(self._norms(slopes, x), clip))

    def _norms(self, slopes: tuple[np.ndarray, np.ndarray, np.ndarray], x: np.ndarray) -> np.ndarray:
        hidden, at_hidden, at_logits = (np.einsum("...i,...i->...", part, part) for part in slopes)
        return np.sqrt((np.einsum("...i,...i->...", x, x) + 1) * at_hidden + (hidden + 1) * at_logits)

    def _weighted(self, slopes: tuple[np.ndarray, np.ndarray, np.ndarray], x: np.ndarray, weights: Any) -> np.ndarray:
        hidden, at_hidden, at_logits = slopes
        weights = np.broadcast_to(weights, hidden.shape[:2])[..., None]
        at_hidden, at_logits = at_hidden * weights, at_logits * weights
        parts = (x.T @ at_hidden, at_hidden.sum(axis=1), hidden.transpose(0, 2, 1) @ at_logits, at_logits.sum(axis=1))
        return np.concatenate([part.reshape(len(hidden), -1) for part in parts], axis=1)

    def _forward(self, parameters: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (first, bias), (second, offset) = self._layers(parameters)
        hidden = x @ first
        hidden += bias[:, None, :]
        np.tanh(hidden, out=hidden)
        return hidden, hidden @ second + offset[:, None, :]

    def _slopes(
        self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Hidden values, and the slope of each record's loss at the hidden units and at the logits."""
        hidden, logits = self._forward(parameters, x)
        at_logits = np.exp(logits - logits.max(axis=2, keepdims=True))
        at_logits /= at_logits.sum(axis=2, keepdims=True)
        at_logits[:, np.arange(len(y)), y] -= 1
        at_hidden = at_logits @ self._layers(parameters)[1][0].transpose(0, 2, 1)
        at_hidden *= 1 - hidden**2
        return hidden, at_hidden, at_logits

    def _layers(self, parameters: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        ends = np.cumsum([self.inputs * self.hidden, self.hidden, self.hidden * self.classes])
        first, bias, second, offset = np.split(parameters, ends, axis=1)
        return (first.reshape(-1, self.inputs, self.hidden), bias), (
            second.reshape(-1, self.hidden, self.classes),
            offset,
        )


@dataclass(frozen=True)
class Linear:
    """Loss `<theta, x>`: the gradient of a record is the record, wherever training stands. y is not used.

    With a canary orthogonal to the other records everything that DP-SGD shows of it has a known law.
    """

    inputs: int

    def __post_init__(self) -> None:
        whole(self.inputs, "inputs", 1)

    @property
    def size(self) -> int:
        return self.inputs

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Zeros."""
        return np.zeros(self.inputs)

    def losses(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """`<theta, x>`, (models, n)."""
        return parameters @ x.T

    def norms(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Euclidean norms of the records, (models, n)."""
        return np.broadcast_to(np.linalg.norm(x, axis=1), (len(parameters), len(x)))

    def weighted_gradients(self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, weights: Any) -> np.ndarray:
        """`sum_i weights[., i] x_i`, (models, size)."""
        return np.broadcast_to(weights, (len(parameters), len(x))) @ x

    def clipped_sum(
        self, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, drawn: np.ndarray, clip: float
    ) -> np.ndarray:
        """`sum_i drawn[., i] x_i min(1, clip/|x_i|)`, (models, size)."""
        return self.weighted_gradients(parameters, x, y, drawn * _shrinking(self.norms(parameters, x, y), clip))


@dataclass(frozen=True)
class DpSgd:
    """DP-SGD: in each of `steps` steps every record is drawn with probability `rate`, its gradient clipped to norm
    `clip`, the sum released with independent `N(0, (noise clip)^2)` in every coordinate. `optimizer` "sgd" or "adam"
    (0.9, 0.999, 1e-8) moves along that sum times `learning_rate` (for "sgd" over clip).

    Neighbours differ by one record added or removed. Raises `InputError`.
    """

    rate: float
    noise: float
    steps: int
    clip: float = 1.0
    learning_rate: float = 0.1
    optimizer: str = "sgd"

    def __post_init__(self) -> None:
        within(self.rate, "rate", "(0, 1]")
        for name in ("noise", "clip", "learning_rate"):
            within(getattr(self, name), name, "(0, inf)")
        whole(self.steps, "steps", 1)
        if self.optimizer not in ("sgd", "adam"):
            raise InputError("optimizer", self.optimizer, "must be sgd or adam")

    def bound(self) -> ComposedStep:
        """The theoretical privacy profile of all steps together; see `subsampled_gaussian`."""
        return composed_step(self.rate, self.noise, self.steps)


def _shrinking(norms: np.ndarray, clip: float) -> np.ndarray:
    return np.minimum(1.0, clip / np.maximum(norms, 1e-300))


def noisy_sum(
    model: Model, settings: DpSgd, parameters: np.ndarray, x: np.ndarray, y: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """What one step releases for every model, (models, size): Poisson sample, clipped sum, noise."""
    drawn = rng.random((len(parameters), len(x))) < settings.rate
    noise = rng.standard_normal(parameters.shape)
    noise *= settings.noise * settings.clip
    noise += model.clipped_sum(parameters, x, y, drawn, settings.clip)
    return noise


@dataclass(frozen=True, eq=False)
class _Moving:
    """Parameters of many models and, for Adam, their running moments."""

    parameters: np.ndarray
    mean: Any = 0.0
    square: Any = 0.0
    steps: int = 0

    def moved(self, settings: DpSgd, total: np.ndarray) -> _Moving:
        """After one step along a released sum."""
        if settings.optimizer == "sgd":
            return _Moving(self.parameters - settings.learning_rate / settings.clip * total, steps=self.steps + 1)
        k = self.steps + 1
        mean, square = 0.9 * self.mean + 0.1 * total, 0.999 * self.square + 0.001 * total**2
        step = mean / (1 - 0.9**k) / (np.sqrt(square / (1 - 0.999**k)) + 1e-8)
        return _Moving(self.parameters - settings.learning_rate * step, mean, square, k)


def train(
    model: Model, settings: DpSgd, x: Any, y: Any, start: np.ndarray, models: int, rng: np.random.Generator
) -> np.ndarray:
    """The final parameters of `models` independent trainings from `start`, (models, size). Raises `InputError`."""
    x, y = checked_records(model, x, y)
    whole(models, "models", 1)
    state = _Moving(np.tile(start, (models, 1)))
    for _ in range(settings.steps):
        state = state.moved(settings, noisy_sum(model, settings, state.parameters, x, y, rng))
    return state.parameters


def losses_after_training(
    model: Model,
    settings: DpSgd,
    x: Any,
    y: Any,
    start: np.ndarray,
    records: tuple[Any, Any],
    models: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Losses of k records (x', y') under `models` models trained on x, y from `start`, (models, k).

    Models are trained in blocks that stay in the processor's cache. model: a `Linear` or a `Network`; settings: a
    `DpSgd`; rng: the generator. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import losses_after_training
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> from ndis_verify.audit import DpSgd, Linear
    >>> x, y = np.eye(3)[1:], np.zeros(2)
    >>> losses_after_training(Linear(3), DpSgd(0.5, 1.0, 2), x, y, np.zeros(3), (x, y), 10, rng).shape
    (10, 2)
    """
    x, y = checked_records(model, x, y)
    whole(models, "models", 1)
    records = checked_records(model, *records)
    return np.concatenate(
        [model.losses(train(model, settings, x, y, start, size, rng), *records) for size in _blocks(model, x, models)]
    )


def with_record(x: Any, y: Any, canary: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The records and one more."""
    return np.vstack([x, np.reshape(canary[0], (1, -1))]), np.append(y, canary[1])


def black_box_scores(
    model: Model, settings: DpSgd, x: Any, y: Any, canary: tuple[Any, Any], models: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Losses of the canary under `models` models trained with it and under as many trained without it (KM-Alg3).

    canary: one record (x', y'). All trainings start at one vector, drawn first and known to the adversary: what is left
    is the mechanism's own randomness, so that the two samples are independent draws from the two laws. Returns (with,
    without) for `audit_scores`. model: a `Linear` or a `Network`; settings: a `DpSgd`; x, y: the other records; rng:
    the generator. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import black_box_scores
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> from ndis_verify.audit import DpSgd, Linear
    >>> x, y = np.eye(3)[1:], np.zeros(2)
    >>> within, without = black_box_scores(Linear(3), DpSgd(0.5, 1.0, 2), x, y, (np.eye(3)[0], 0), 10, rng)
    >>> within.shape, without.shape
    ((10,), (10,))
    """
    x, y = checked_records(model, x, y)
    extra = checked_records(model, np.reshape(canary[0], (1, -1)), np.reshape(canary[1], (1,)))
    start = model.start(rng)
    within, without = (
        losses_after_training(model, settings, rows, labels, start, extra, models, rng)[:, 0]
        for rows, labels in (with_record(x, y, canary), (x, y))
    )
    return within, without


def white_box_scores(
    model: Model,
    settings: DpSgd,
    x: Any,
    y: Any,
    runs: int,
    rng: np.random.Generator,
    *,
    canary: Any = "random",
    own_path: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """`<sum, u>/clip` at every step, with and without a canary gradient `clip u`, |u| = 1, drawn at the sampling rate
    (KM-Alg4).

    canary: "random", a new uniform direction in each step, or one vector of `size` numbers. Returns (with, without),
    each (runs, steps). As in the source both sums of a step are taken at the parameters of the training without canary,
    so that the two entries of a step are draws from that step's pair; but a row "with" is then no run of the mechanism.
    With `own_path` it is: each training moves along its own sums, and statistics of whole rows may be audited for all
    steps together. Entries of one row depend on each other through the parameters. model: a `Linear` or a `Network`;
    settings: a `DpSgd`; x, y: the records; rng: the generator. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import white_box_scores
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> from ndis_verify.audit import DpSgd, Linear
    >>> x, y = np.eye(3)[1:], np.zeros(2)
    >>> within, without = white_box_scores(Linear(3), DpSgd(0.5, 1.0, 2), x, y, 10, rng)
    >>> within.shape, without.shape
    ((10, 2), (10, 2))
    """
    x, y = checked_records(model, x, y)
    whole(runs, "runs", 1)
    fixed = None if isinstance(canary, str) and canary == "random" else _direction(canary, model.size)
    start, found = model.start(rng), []
    for size in _blocks(model, x, runs):
        path, other, scores = _Moving(np.tile(start, (size, 1))), _Moving(np.tile(start, (size, 1))), []
        for _ in range(settings.steps):
            unit = fixed
            if unit is None:
                unit = rng.standard_normal((size, model.size))
                unit /= np.linalg.norm(unit, axis=1, keepdims=True)
            without = noisy_sum(model, settings, path.parameters, x, y, rng)
            within = noisy_sum(model, settings, (other if own_path else path).parameters, x, y, rng)
            within += settings.clip * unit * (rng.random((size, 1)) < settings.rate)
            scores.append([(total * unit).sum(axis=1) / settings.clip for total in (within, without)])
            path, other = path.moved(settings, without), other.moved(settings, within) if own_path else other
        found.append(np.array(scores).transpose(1, 2, 0))
    both = np.concatenate(found, axis=1)
    return both[0], both[1]


def loss_sums(scores: np.ndarray, rate: float, noise: float) -> np.ndarray:
    """`sum_t log(1 - q + q e^{(2 o_t - 1)/(2 s^2)})` of every row: one score of a whole run, from those of its steps.

    The log-likelihood ratio where the other records are orthogonal to the canary; a statistic like any other elsewhere.
    """
    with np.errstate(divide="ignore"):
        return np.logaddexp(
            np.log1p(-rate) if rate < 1 else -np.inf, np.log(rate) + (2 * scores - 1) / (2 * noise**2)
        ).sum(axis=1)


def _blocks(model: Model, x: np.ndarray, models: int) -> list[int]:
    """Numbers of models that are trained at once."""
    width = getattr(model, "hidden", 0) + getattr(model, "classes", 0) + 1
    size = max(1, min(models, _BLOCK // max(model.size, len(x) * width)))
    return [size] * (models // size) + ([models % size] if models % size else [])


def checked_records(model: Model, x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    x, y = float_array(x, "x"), float_array(y, "y")
    inputs = getattr(model, "inputs", x.shape[-1] if x.ndim else 0)
    if x.ndim != 2 or x.shape[1] != inputs or not np.isfinite(x).all():
        raise InputError("x", f"shape {x.shape}", f"must be finite records with {inputs} columns")
    classes = getattr(model, "classes", None)
    if y.shape != (len(x),) or (classes and not (np.equal(y, np.floor(y)) & (y >= 0) & (y < classes)).all()):
        raise InputError("y", f"shape {y.shape}", "must have one class number, 0 to classes - 1, for each record")
    return x, y.astype(np.int64) if classes else y


def _direction(canary: Any, size: int) -> np.ndarray:
    vector = float_array(canary, "canary")
    if vector.shape != (size,) or not np.isfinite(vector).all() or not vector.any():
        raise InputError(
            "canary", f"shape {vector.shape}", f"must be 'random' or a finite vector of {size} numbers, not all 0"
        )
    return vector / np.linalg.norm(vector)
