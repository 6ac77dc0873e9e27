"""Claims about leverage scores."""

from __future__ import annotations

import mpmath
import numpy as np

from ndis_verify.claim import Verdict
from ndis_verify.court.checks import agreement
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, orthogonal, vector
from ndis_verify.symbolic import leverage, rows

_BOUNDS = statement(
    "0 <= p <= 1, and 1 - p = det(D^T D)/det(E^T E)",
    "E^T E > 0",
    where={"E": "[D; v^T]", "p": "v^T (E^T E)^{-1} v"},
    over=(matrix("D", 3, 2, -3, 3), vector("v", "reals", 2, -3, 3)),
)
_LONE = {f"D_{i}_1": i - 2 for i in (1, 2, 3)} | {f"D_{i}_2": 0 for i in (1, 2, 3)} | {"v_1": 1, "v_2": 2}


def _databases(effort: str) -> list[tuple[np.ndarray, int]]:
    """Databases of short entries and a row; some rows alone span a direction."""
    rng = np.random.default_rng(19)
    points = []
    for k in range(count(effort, 20, 100)):
        d = int(rng.integers(1, 5))
        data = rng.integers(-9, 10, (d + int(rng.integers(0, 5)), d)) / 4 + np.eye(d + 0, d)[0] * 3
        data = np.vstack([data, np.diag(rng.integers(1, 9, d) / 2)])
        if k % 4 == 0:  # a new column that only the first row uses
            data = np.hstack([data, np.eye(len(data), 1) * 2])
        points.append((data, int(rng.integers(len(data))) if k % 4 else 0))
    return points


def _exact(data: np.ndarray, row: int):
    return exact_leverage_scores(data, [row], digits=30)[0]


def _from_determinants(data: np.ndarray, row: int) -> mpmath.mpf:
    """1 - det(D'^T D')/det(D^T D) in 50 digits: 1 where deleting the row drops the rank."""
    with mpmath.workdps(50):
        rest = np.delete(data, row, axis=0)
        whole, without = (mpmath.det(mpmath.matrix((m.T @ m).tolist())) for m in (data, rest))
        return 1 - without / whole


def _by_angles(data: np.ndarray, row: int, power: int = 2) -> mpmath.mpf:
    """sum_j cos^2(theta_ij) ||d_i||^2/lambda_j from a 40-digit eigendecomposition of D^T D."""
    with mpmath.workdps(40):
        values, vectors = mpmath.eigsy(mpmath.matrix((data.T @ data).tolist()))
        record = mpmath.matrix(data[row].tolist())
        norm = mpmath.norm(record)
        cosines = [(vectors[:, j].T * record)[0] / norm for j in range(len(values))]
        return mpmath.fsum(abs(cosine) ** power * norm**2 / value for cosine, value in zip(cosines, values))


_DETERMINANTS = agreement(
    "exact leverage against the loss of determinant",
    "exact rational, 50-digit determinants",
    _exact,
    _from_determinants,
    _databases,
    digits=25,
    mutants={"another row's leverage": lambda data, row: _exact(data, (row + 1) % len(data))},
)
_FACTS = (
    proof("one of the rows", rows.of_a_row),
    _DETERMINANTS,
)

CLAIMS = (
    stated_claim(
        id="N26-F1",
        source="N26",
        title="a leverage lies in [0, 1] and is 1 exactly when its row carries rank",
        stated=_BOUNDS,
        about=(
            "v is any row of E, a matrix of full column rank, and D the other rows: p = 1 exactly where det(D^T D) = 0,"
            " where deleting v drops the rank."
        ),
        search={"starts": (_LONE,)},
        declared=Verdict.PROVED,
        checks=_FACTS,
    ),
    stated_claim(
        id="N24-F1",
        source="N24",
        title="a leverage is at most 1, and 1 exactly for a row independent of the others",
        stated=_BOUNDS,
        about=(
            "v is any row of E, a matrix of full column rank, and D the other rows: p = 1 exactly where det(D^T D) = 0,"
            " where v is linearly independent of them."
        ),
        search={"starts": (_LONE,)},
        declared=Verdict.PROVED,
        checks=_FACTS,
        note="A row lies outside the span of the others exactly when deleting it drops the rank.",
    ),
    stated_claim(
        id="N24-F2",
        source="N24",
        title="leverage through the angles to the eigenvectors",
        stated=statement(
            "v^T G^{-1} v = sum_i (c_i^2 |v|^2/lam_i)",
            *("lam_i > 0", "|v| > 0"),
            where={"G": "U diag(lam) U^T", "c": "U^T v/|v|"},
            over=(orthogonal("U", 3), vector("lam", "reals", 3, "0.1", 10, "log"), vector("v", "reals", 3, -3, 3)),
        ),
        about="G = D^T D, v a row of D; lam_i are the eigenvalues of G and c_i the cosines of its eigenvectors with v.",
        declared=Verdict.PROVED,
        checks=(
            proof("spectral form", leverage.spectral_form),
            agreement(
                "40-digit eigendecomposition against exact arithmetic",
                "mpmath, exact rational",
                _by_angles,
                _exact,
                _databases,
                digits=25,
                mutants={"cosines not squared": lambda data, row: _by_angles(data, row, power=1)},
            ),
            agreement(
                "float64 against exact arithmetic",
                "fast, exact rational",
                lambda data, row: leverage_scores(data)[row],
                _exact,
                _databases,
                digits=10,
                mutants={"square root": lambda data, row: leverage_scores(data)[row] ** 0.5},
            ),
        ),
    ),
)
