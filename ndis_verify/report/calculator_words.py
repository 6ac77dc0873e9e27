"""How the calculator of the site speaks of the quantities of the line protocol and of their inputs."""

from __future__ import annotations

from typing import Any

_PAIR = {"mean_p": "0.5", "cov_p": "2", "mean_q": "0", "cov_q": "1"}
_CHI2 = {"weights": "1, -0.5", "dofs": "1, 2", "noncentralities": "0, 0.25", "std": "0", "shift": "0.25", "x": "1.25"}
_SKETCH = {
    "leverage": "0.2",
    "augmented_leverage": "0.3",
    "d": "2",
    "r": "20",
    "epsilon": "1",
    "direction": "delete",
}
_SENSITIVITY = {"sensitivity": "1", "epsilon": "1"}
INPUTS = {  # input: what it is; vectors by commas, matrices by semicolons between their rows
    "mean_p": "Mean of P: numbers, by commas",
    "cov_p": "Covariance of P: a number, a diagonal by commas, or rows by semicolons",
    "mean_q": "Mean of Q",
    "cov_q": "Covariance of Q",
    "epsilon": "ε, epsilon (nats)",
    "delta": "δ, delta (a probability)",
    "sensitivity": "Sensitivity: the largest change of the answer (units of the answer)",
    "std": "Standard deviation of the noise (units of the answer)",
    "leverage": "Leverage of the record (a share, 0 to 1)",
    "augmented_leverage": "Leverage of the record with its label (a share, 0 to 1)",
    "norm_bound": "Largest norm of a record (units of the records)",
    "d": "d: number of features",
    "r": "r: rows of the projection",
    "direction": "delete or insert",
    "weights": "Weights, by commas",
    "dofs": "Degrees of freedom, by commas",
    "noncentralities": "Noncentralities, by commas",
    "shift": "Shift",
    "x": "x",
}
AXES = {"epsilon": "ε (nats)", "delta": "δ (a probability), logarithmic", "x": "x (no unit)"}  # below a curve
# group, title, an example, what the answer is with its unit, and the input along which the curve is drawn
WORDS: dict[str, dict[str, Any]] = {
    "hockey_stick": {
        "group": "Two Gaussians",
        "title": "δ at an ε: the hockey-stick divergence",
        "example": {**_PAIR, "epsilon": "1"},
        "value": "δ (a probability)",
        "along": "epsilon",
    },
    "log_hockey_stick": {
        "group": "Two Gaussians",
        "title": "the logarithm of δ, for far tails",
        "example": {**_PAIR, "epsilon": "100"},
        "value": "log δ (nats)",
        "along": "epsilon",
    },
    "epsilon_for_delta": {
        "group": "Two Gaussians",
        "title": "the smallest ε for a δ",
        "example": {**_PAIR, "delta": "1e-6"},
        "value": "ε (nats)",
        "along": "delta",
    },
    "gaussian_hockey_stick": {
        "group": "Gaussian mechanism",
        "title": "δ of a noise level",
        "example": {**_SENSITIVITY, "std": "4"},
        "value": "δ (a probability)",
        "along": "epsilon",
    },
    "gaussian_std": {
        "group": "Gaussian mechanism",
        "title": "the least noise for (ε, δ)",
        "example": {**_SENSITIVITY, "delta": "1e-6"},
        "value": "standard deviation of the noise (units of the answer)",
        "along": "delta",
    },
    "rp_hockey_stick": {
        "group": "Random projection",
        "title": "δ at a leverage",
        "example": {"leverage": "0.1", "r": "50", "epsilon": "1", "direction": "delete"},
        "value": "δ (a probability)",
        "along": "epsilon",
    },
    "rp_leverage": {
        "group": "Random projection",
        "title": "the largest leverage for (ε, δ)",
        "example": {"r": "50", "epsilon": "1", "delta": "1e-6"},
        "value": "leverage (a share, 0 to 1)",
        "along": "delta",
    },
    "rp_ridge": {
        "group": "Random projection",
        "title": "the least ridge for (ε, δ)",
        "example": {"norm_bound": "1", "r": "50", "epsilon": "1", "delta": "1e-6"},
        "value": "ridge (squared units of the records)",
        "along": "delta",
    },
    "als_hockey_stick": {
        "group": "Sketched least squares",
        "title": "δ of the limiting law",
        "example": _SKETCH,
        "value": "δ (a probability)",
        "along": "epsilon",
    },
    "als_exact_hockey_stick": {
        "group": "Sketched least squares",
        "title": "δ of the exact law",
        "example": _SKETCH,
        "value": "δ (a probability)",
        "along": "epsilon",
    },
    "generalized_chi2_cdf": {
        "group": "Generalized chi-square law",
        "title": "the probability up to x",
        "example": _CHI2,
        "value": "Pr[W ≤ x] (a probability)",
        "along": "x",
    },
    "generalized_chi2_sf": {
        "group": "Generalized chi-square law",
        "title": "the probability beyond x",
        "example": _CHI2,
        "value": "Pr[W > x] (a probability)",
        "along": "x",
    },
}
