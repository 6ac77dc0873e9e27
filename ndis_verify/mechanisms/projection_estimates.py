"""What can be computed from a private projection alone: the Gram matrix and least squares (post-processing,
N26-T5.2).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.calibration import number, positive, whole
from ndis_verify.mechanisms.records import number_array


def gram_estimate(matrix: Any, ridge: Any) -> np.ndarray:
    """`M M^T/r - ridge I`, whose expectation is D^T D (N26-T5.2). `matrix`: d x r, as released above `ridge` >= 0.

    Not positive semidefinite in general. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import gram_estimate
    >>> gram_estimate([[1.0, 1.0], [1.0, -1.0]], 0.25).tolist()
    [[0.75, 0.0], [0.0, 0.75]]
    """
    sketch, level = _sketch(matrix), number(ridge, "ridge", 0.0, 1e300)
    return sketch @ sketch.T / sketch.shape[1] - level * np.eye(len(sketch))


def gram_error(d: Any, r: Any, t: Any, norm2: Any, ridge: Any) -> float:
    """With probability 1 - 2 e^-t the spectral error of `gram_estimate` is at most `(2b + b^2)(norm2 + ridge)`
    (N26-T5.2).

    b = (sqrt d + sqrt(2t))/sqrt r, norm2 = the squared spectral norm of D; at most `2 sqrt 3` times the rate of the
    source. d, r whole and positive, t > 0, norm2 >= 0, ridge >= 0. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import gram_error
    >>> round(gram_error(1, 100, 2.0, 3.0, 1.0), 9)  # b = (1 + 2)/10: (0.6 + 0.09) 4
    2.76
    """
    b = (math.sqrt(whole(d, "d")) + math.sqrt(2 * positive(t, "t"))) / math.sqrt(whole(r, "r"))
    return (2 * b + b * b) * (number(norm2, "norm2", 0.0, math.inf) + number(ridge, "ridge", 0.0, math.inf))


def projected_least_squares(matrix: Any, take_off: Any = 0.0) -> np.ndarray:
    """Coefficients x of B x ~ b from the projection of [B b], its last row being that of b.

    With M M^T/r = [A c; c^T .]: the x of `A x = c`, of least norm where there are several: ridge regression on average.
    take_off > 0, the ridge of the release, estimates without it: the eigenvalues of A less take_off, none below
    `sqrt(d/r) take_off`, about the error of the smallest. Shapes: (d + 1) x r in, d out. matrix: the projection M of [B
    b]. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import projected_least_squares
    >>> projected_least_squares([[1.0, 1.0], [2.0, 2.0]]).round(9).tolist()  # b = 2 B
    [2.0]
    """
    sketch, level = _sketch(matrix), number(take_off, "take_off", 0.0, 1e300)
    d, r = sketch.shape[0] - 1, sketch.shape[1]
    if d == 0:
        raise InputError("matrix", f"shape {sketch.shape}", "must have a row for each feature and one for the target")
    if level == 0:
        return np.linalg.lstsq(sketch[:-1].T, sketch[-1], rcond=None)[0]
    gram = sketch @ sketch.T / r
    values, vectors = np.linalg.eigh(gram[:-1, :-1])
    kept = np.maximum(values - level, math.sqrt(d / r) * level)
    return vectors @ (vectors.T @ gram[:-1, -1] / kept)


def _sketch(matrix: Any) -> np.ndarray:
    sketch = number_array(matrix, "matrix")
    if sketch.ndim != 2 or 0 in sketch.shape:
        raise InputError("matrix", f"shape {sketch.shape}", "must be a d x r matrix")
    if np.abs(sketch).max() > 1e150:
        raise InputError(
            "matrix", float(np.abs(sketch).max()), "must have entries of at most 1e150, whose squares float64 can add"
        )
    return sketch
