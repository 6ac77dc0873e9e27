"""Claims about when the tested ridge of random projection is below the one without a test."""

from __future__ import annotations

from ndis_verify.claim import Verdict
from ndis_verify.court.checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import ridge_comparison

_BEYOND = "m + tau (y - c - Phi^-1(1 - delta))"
_SHORT = "m + tau (-w - c - Phi^-1(1 - delta))"

CLAIMS = (
    stated_claim(
        id="N26-P5",
        source="N26",
        tags=("reading",),
        title="when the tested ridge is below the untested one",
        stated=statement(
            "Phi((m - g)/tau - Phi^-1(1 - delta)) = 1",
            *("tau > 0", "0 < delta < 1", "m > g + tau Phi^-1(1 - delta)"),
            over=(*(real(name, 0, 100) for name in "mg"), real("tau", "0.01", 100, "log")),
        ),
        about=(
            "If the least eigenvalue m exceeds tau Phi^{-1}(1 - delta) plus the gap g = l^2/p*_R - l^2/p* of the two"
            " ridges, the tested ridge is smaller for certain: the left side is the probability that it is, delta ="
            " delta_P and tau the noise of the test."
        ),
        declared=Verdict.REFUTED,
        fails_at=({"m": 2, "g": 1, "tau": 1, "delta": "0.5"},),
        parts=("for certain", "for certain"),
        checks=(),
        corrected="Strictly smaller with probability Phi(s) at lambda_min = gap + tau (z_P + s): above 1/2 past the"
        " threshold, never 1 (N26-P5-corrected).",
        note="The printed threshold was lost; the surrounding sentence gives no probability. With probability 1 - beta"
        " the threshold needs tau Phi^{-1}(1 - beta) more.",
    ),
    stated_claim(
        id="N26-P5-corrected",
        source="N26",
        title="how often the tested ridge is below the untested one",
        stated=statement(
            f"max(0, l^2/Q - max(0, {_BEYOND})) < l^2/P, and max(0, l^2/Q - max(0, {_SHORT})) >= l^2/P"
            ", and 1 - Phi(-c) = Phi(c), and Phi(c) < 1, and 1/2 < Phi(y)",
            *("l > 0", "0 < Q <= P", "tau > 0", "0 < delta < 1", "y > 0", "w >= 0"),
            where={"c": "(m - (l^2/Q - l^2/P))/tau - Phi^-1(1 - delta)"},
            over=(
                *(real(name, "0.01", 100, "log") for name in ("l", "tau")),
                *(real(name, "1e-4", 1, "log") for name in "QP"),
                *(real(name, 0, 10) for name in "yw"),
                real("m", -100, 100),
            ),
        ),
        about=(
            "m is the least eigenvalue, tau z the noise of the test, z standard normal, P the largest leverage that is"
            " private at (eps, delta) and Q <= P the one at what the test leaves of them: the tested ridge max(0, l^2/Q"
            " - max(0, m + tau (z - Phi^{-1}(1 - delta)))) is below the untested one, l^2/P, for z = y - c > -c and at"
            " least as large for z = -w - c <= -c: it is smaller with probability 1 - Phi(-c) = Phi(c), which is never"
            " 1, and above 1/2 once c > 0, that is past the threshold of N26-P5."
        ),
        declared=Verdict.PROVED,
        checks=(proof("smaller beyond one value of the noise alone", ridge_comparison.how_often),),
        note="Q <= P as less of eps and of delta is left, and the divergence falls in eps and grows in the leverage"
        " (N26-P4).",
    ),
)
