"""Claims about the least GDP parameter of a pair: a certified supremum, or none."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ndis_verify.audit.gdp_parameter import laplace_gdp
from ndis_verify.claim import Check, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.points import count, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.pair_trade_off import pair_gdp, pair_trade_off
from ndis_verify.fast.trade_off import gdp_parameter
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import gdp_parameter as certified
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import gdp_parameter as derived


def _shifts(effort: str) -> list[tuple[str]]:
    rng = np.random.default_rng(91)
    return [("1",), ("1e-6",)] + [(str(short(float(np.exp(rng.uniform(-6, 4))))),) for _ in range(count(effort, 8, 60))]


def _largest(fpr: np.ndarray, fnr: np.ndarray) -> float:
    inside = (fnr > 0) & (fnr < 1 - 1e-5)
    return float(gdp_parameter(fpr[inside], fnr[inside]).max()) if inside.any() else 0.0


def _no_bound(equal: bool = False) -> Callable[[str], Evidence]:
    """The derived threshold's test reaches the wanted parameter, for unequal variances; `equal` plants equal ones."""

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(92)
        for _ in range(count(effort, 10, 60)):
            ratio, mean, wanted = (
                1.0 if equal else float(rng.uniform(3, 6)),
                float(rng.uniform(-1, 1)),
                float(rng.uniform(1.5, 2.2)),
            )
            pair = GaussianPair([mean], ratio, [0], 1)
            levels = np.geomspace(1e-280, 0.4, 2000)
            reached = _largest(levels, pair_trade_off(pair, levels))
            if reached < wanted or np.isfinite(pair_gdp(pair)):
                return Evidence(Outcome.FAILED, "float64", f"{reached:.4g} only at ratio {ratio:.4g}", count=1)
        return Evidence(
            Outcome.HELD,
            "float64",
            "tests in the tail reach every wanted parameter up to 2.2",
            count=count(effort, 10, 60),
            counted="pairs",
        )

    return run


def _equal_pairs(effort: str) -> list[tuple[GaussianPair]]:
    rng = np.random.default_rng(93)
    found: list[tuple[GaussianPair]] = []
    while len(found) < count(effort, 6, 30):
        d = int(rng.integers(1, 5))
        root = rng.integers(-3, 4, (d, d)) + 4 * np.eye(d, dtype=int)
        if round(np.linalg.det(root)) == 0:
            continue
        cov = [[Fraction(int(v), 4) for v in row] for row in root @ root.T]
        found.append((GaussianPair([Fraction(int(v), 8) for v in rng.integers(1, 9, d)], cov, [0] * d, cov),))
    return found


CLAIMS = (
    stated_claim(
        id="KM-AppC-gdp",
        source="KM",
        title="the least GDP parameter of the Laplace mechanism",
        stated=statement(
            "-Phi^-1(alpha) - Phi^-1(f) <= -2 Phi^-1(e^{-mu/2}/2)",
            *("mu > 0", "0 < alpha < 1"),
            where={
                "x": "max(0, -log(2 alpha)) + min(0, log(2 (1 - alpha))) - mu",
                "f": "e^{min(0, x)}/2 + (1 - e^{-max(0, x)})/2",
            },
            over=(real("mu", "1e-3", 20, "log"),),
        ),
        about="f = F(F^-1(1 - alpha) - mu) is the trade-off function of Lap(0, 1) and Lap(mu, 1).",
        declared=Verdict.PROVED,
        checks=(
            proof("slopes along both branches", derived.laplace_gdp),
            formula_check(
                "against a certified quantile",
                derived.laplace_gdp,
                lambda mu: certified.laplace_gdp(mu, 25),
                _shifts,
                digits=20,
            ),
            agreement(
                "float64",
                "float64",
                lambda mu: laplace_gdp(float(mu)),
                lambda mu: certified.laplace_gdp(float(mu), 15),
                lambda effort: [point for point in _shifts(effort) if float(point[0]) > 1e-3],
                digits=11,
                mutants={"shift not halved": lambda mu: laplace_gdp(2 * float(mu))},
            ),
        ),
        note=(
            "The source reads one mu off a Gaussian curve (eq 2.4); the Laplace profile itself is 0 beyond epsilon ="
            " mu, the profile of that Gaussian curve is not."
        ),
    ),
    stated_claim(
        id="KM-2.8-pairs",
        source="KM",
        title="which Gaussian pairs are mu-GDP",
        stated=statement(
            "Phi^-1(Phi((m - c)/s)) - Phi^-1(Phi(-c)) = c (1 - 1/s) + m/s",
            "s > 0",
            over=(real("c", 0, 6), real("m", -3, 3), real("s", "0.3", 3, "log")),
        ),
        about=(
            "N(m1, S1) and N(m2, S2), both positive definite, are mu-GDP for some finite mu exactly where S1 = S2;"
            " the least is then |S^{-1/2} (m1 - m2)|. Where a variance differs, N(m, s^2) against N(0, 1) for s > 1,"
            " the test x > c asks for a mu of the left side, which grows without bound with c."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("one threshold", derived.one_test),
            proof("whitening, and one direction", derived.pair_gdp),
            Check("tests in the tail", Kind.CROSSCHECK, _no_bound(), {"equal variances": _no_bound(equal=True)}),
            agreement(
                "float64 against the exact square",
                "exact rational",
                lambda pair: pair_gdp(pair),
                lambda pair: certified.pair_gdp(pair, 20),
                _equal_pairs,
                digits=12,
                mutants={"square for root": lambda pair: pair_gdp(pair) ** 2 + 1},
            ),
        ),
        note=(
            "No single mu describes a random projection or a calibrated covariance: their mechanisms are mu-GDP for"
            " no mu."
        ),
    ),
)
