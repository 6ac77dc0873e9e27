"""Rows whose inputs are invalid: the answer must be an error that names the argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ndis_verify.reference.rows import RowSpec

_PAIR = {"mean_p": ["0.5", "0"], "cov_p": ["2", "1"], "mean_q": ["0", "0"], "cov_q": "1"}
_VALID: dict[str, dict[str, Any]] = {
    "hockey_stick": {**_PAIR, "epsilon": "1"},
    "log_hockey_stick": {**_PAIR, "epsilon": "1"},
    "epsilon_for_delta": {**_PAIR, "delta": "0.125"},
    "generalized_chi2_cdf": {
        "weights": ["1", "-1"],
        "dofs": ["1", "2"],
        "noncentralities": ["0", "1"],
        "std": "0",
        "shift": "0",
        "x": "1",
    },
    "gaussian_hockey_stick": {"sensitivity": "1", "std": "1", "epsilon": "1"},
    "gaussian_std": {"sensitivity": "1", "epsilon": "1", "delta": "0.125"},
    "rp_hockey_stick": {"leverage": "0.5", "r": 10, "epsilon": "1", "direction": "delete"},
    "rp_leverage": {"r": 10, "epsilon": "1", "delta": "0.125"},
    "rp_ridge": {"norm_bound": "1", "r": 10, "epsilon": "1", "delta": "0.125"},
    "als_hockey_stick": {
        "leverage": "0.25",
        "augmented_leverage": "0.5",
        "d": 2,
        "r": 10,
        "epsilon": "1",
        "direction": "delete",
    },
}
_VALID["generalized_chi2_sf"] = _VALID["generalized_chi2_cdf"]
_VALID["als_exact_hockey_stick"] = _VALID["als_hockey_stick"]
_BAD_PAIR: tuple[tuple[str, Any], ...] = (
    ("cov_p", ["2", "-1"]),
    ("cov_p", ["2", "0"]),
    ("cov_q", "0"),
    ("cov_q", "-1"),
    ("cov_p", [["1", "2"], ["2", "1"]]),
    ("cov_p", [["1", "0.5"], ["0.25", "1"]]),
    ("cov_q", [["1", "1"], ["1", "1"]]),
    ("cov_p", ["2", "1", "1"]),
)
_BAD: dict[str, tuple[tuple[str, Any], ...]] = {
    "hockey_stick": _BAD_PAIR,
    "log_hockey_stick": _BAD_PAIR,
    "epsilon_for_delta": (*_BAD_PAIR, ("delta", "-0.125"), ("delta", "1.5")),
    "generalized_chi2_cdf": (("dofs", ["1", "-2"]), ("noncentralities", ["0", "-1"]), ("std", "-1"), ("dofs", ["1"])),
    "gaussian_hockey_stick": (("sensitivity", "-1"), ("std", "-1")),
    "gaussian_std": (("sensitivity", "-1"), ("delta", "0"), ("delta", "-0.125"), ("delta", "1.5")),
    "rp_hockey_stick": (("leverage", "-0.125"), ("leverage", "1"), ("leverage", "1.5"), ("r", 0), ("r", -1)),
    "rp_leverage": (("r", 0), ("delta", "-0.125"), ("delta", "1.5")),
    "rp_ridge": (("norm_bound", "-1"), ("norm_bound", "0"), ("r", 0), ("delta", "1.5")),
    "als_hockey_stick": (("leverage", "-0.125"), ("augmented_leverage", "1"), ("d", 0), ("r", 0)),
}
_BAD["generalized_chi2_sf"] = _BAD["generalized_chi2_cdf"]
_BAD["als_exact_hockey_stick"] = (*_BAD["als_hockey_stick"], ("r", 1))


def rows() -> Iterator[RowSpec]:
    """One bad input each, every other one valid."""
    for quantity, changes in _BAD.items():
        for number, (argument, value) in enumerate(changes):
            inputs = {**_VALID[quantity], argument: value}
            yield RowSpec(
                quantity, f"refused-{number}", inputs, ("refusal",), "N26-L1", refusal=argument, core=number % 3 == 0
            )
