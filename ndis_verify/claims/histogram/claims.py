"""Claims about auditing with histograms: binning, sampling error, what it does to a divergence, and composition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.histogram.laws import DRAWS, EXACT, Law, draws_needed, random_laws
from ndis_verify.court.checks import agreement
from ndis_verify.court.decided_points import decided
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.oracle.histogram import tv_error_tail
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic import histogram as derived
from ndis_verify.symbolic import learning, nearby_laws


def _divergence(p: Law, q: Law, factor: Fraction) -> Fraction:
    return sum((max(a - factor * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


def _merged(law: Law) -> Law:
    return tuple(law[k] + law[k + 1] for k in range(0, len(law), 2))


def _held_on(laws: list, broken: Callable[..., bool], what: str) -> Evidence:
    for item in laws:
        if broken(*item):
            return Evidence(
                Outcome.FAILED, EXACT, f"{what} broken at {', '.join(str(law) for law in item[:2])}", count=len(laws)
            )
    return Evidence(Outcome.HELD, EXACT, f"{what} on finite laws", count=len(laws), counted="pairs of laws")


def _merging(allowance: int):
    """Merging neighbours never raises the divergence; `allowance` -1 asks that it never lowers it."""

    def broken(p: Law, q: Law, *_: Law) -> bool:
        factors = (Fraction(1, 2), Fraction(1), Fraction(3, 2))
        return any(allowance * (_divergence(p, q, c) - _divergence(_merged(p), _merged(q), c)) < 0 for c in factors)

    return lambda effort: _held_on(random_laws(51, count(effort, 40, 400)), broken, "merging bins")


def _moved(weight: Fraction):
    """|H(P, Q) - H(P~, Q~)| <= TV(P, P~) + weight c TV(Q, Q~)."""

    def broken(p: Law, q: Law, p2: Law, q2: Law) -> bool:
        near_p, near_q = _divergence(p, p2, Fraction(1)), _divergence(q, q2, Fraction(1))
        return any(
            abs(_divergence(p, q, c) - _divergence(p2, q2, c)) > near_p + weight * c * near_q
            for c in (Fraction(1), Fraction(4))
        )

    return lambda effort: _held_on([*random_laws(52, count(effort, 40, 400)), _SHARP], broken, "the bound")


_SHARP = tuple(tuple(Fraction(v, 8) for v in law) for law in ((6, 2), (1, 7), (6, 2), (2, 6)))


def _learned(divisor: int):
    """Exact failure probabilities at the least n, divided by `divisor`, against delta/2."""

    def run(effort: str) -> Evidence:
        half, quarter = [Fraction(1, 2)] * 2, Fraction(1, 4)
        laws = [half, [quarter, 1 - quarter], [Fraction(1, 3)] * 3] + [[quarter] * 4] * (effort == "full")
        cases = [
            (law, tau, d)
            for law in laws
            for tau in (Fraction(1, 2), Fraction(3, 10))
            for d in (Fraction(1, 2), Fraction(1, 20))
        ]
        worst = 0.0
        for law, tau, failure in cases:
            n = max(draws_needed(len(law), tau, failure) // divisor, 1)
            share = tv_error_tail(law, n, tau) / failure
            if share > Fraction(1, 2):
                return Evidence(
                    Outcome.FAILED, EXACT, f"{float(share):.3g} of delta at n = {n}, tau = {tau}", count=len(cases)
                )
            worst = max(worst, float(share))
        return Evidence(
            Outcome.HELD, EXACT, f"at most {worst:.2g} of delta spent", count=len(cases), counted="exact tails"
        )

    return run


def _composed(p: Law, q: Law, factor: Fraction, copies: int = 3, *, drop: bool = False) -> float:
    """sum over sums of losses of max(0, 1 - e^{eps - s}), the convolution carried as ratios and masses."""
    losses: dict[Fraction | None, Fraction] = {Fraction(1): Fraction(1)}
    for _ in range(copies):
        longer: dict[Fraction | None, Fraction] = {}
        for (ratio, mass), (a, b) in product(losses.items(), zip(p, q, strict=True)):
            if a:
                key = None if ratio is None or not b else ratio * a / b
                longer[key] = longer.get(key, Fraction(0)) + mass * a
        losses = longer
    infinite = Fraction(0) if drop else losses.get(None, Fraction(0))
    return float(
        infinite + sum((m * max(1 - factor / r, Fraction(0)) for r, m in losses.items() if r is not None), Fraction(0))
    )


def _of_products(p: Law, q: Law, factor: Fraction) -> float:
    terms = product(zip(p, q, strict=True), repeat=3)
    return float(
        sum((max(a[0] * b[0] * c[0] - factor * a[1] * b[1] * c[1], Fraction(0)) for a, b, c in terms), Fraction(0))
    )


def _compositions(effort: str) -> list[tuple[Law, Law, Fraction]]:
    found = [(laws[0], laws[1], Fraction(3, 2)) for laws in random_laws(54, count(effort, 10, 40), 4)]
    return [point for point in found if _of_products(*point) > 0]


_OPPOSITE = {f"{name}_{i}": "1e-6" for name in "pquw" for i in (3, 4)} | {
    "p_1": "0.9",
    "p_2": "0.1",
    "u_1": "0.7",
    "u_2": "0.3",
    "q_1": "0.1",
    "q_2": "0.9",
    "w_1": "0.3",
    "w_2": "0.7",
    "eps": 0,
}
ERRORS_OF_LAWS = statement(
    "|H - K| <= (1 + e^eps) tau",
    where={
        "H": "sum_i max(0, p_i - e^eps q_i)",
        "K": "sum_i max(0, u_i - e^eps w_i)",
        "tau": "max((sum_i |p_i - u_i|)/2, (sum_i |q_i - w_i|)/2)",
    },
    over=(*(vector(name, "law", 4, "1e-6", 1, "log") for name in "pquw"), real("eps", -3, 6)),
)

CLAIMS: tuple[Claim, ...] = (
    stated_claim(
        id="KM-4.1",
        source="KM",
        title="binning only lowers the divergence",
        stated=statement(
            "max(0, a + b - e^eps (c + d)) <= max(0, a - e^eps c) + max(0, b - e^eps d)",
            *("a >= 0", "b >= 0", "c >= 0", "d >= 0"),
            over=(*(real(name, "1e-6", 1, "log") for name in "abcd"), real("eps", -3, 6)),
        ),
        about=(
            "H_{e^eps}(P~, Q~) <= H_{e^eps}(P, Q) for the binned laws, finitely many bins that cover the line, real"
            " eps: masses a, b and c, d that fall into one bin."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("positive part of a sum", nearby_laws.binning),
            Check("merging bins of finite laws", Kind.CROSSCHECK, _merging(1), {"merging raises it": _merging(-1)}),
        ),
        note="The first bin is printed (infinity, a + h); read (-infinity, a + h).",
    ),
    stated_claim(
        id="KM-4.2",
        source="KM",
        title="draws that learn a law on k points",
        stated=statement(
            "e^{-n tau^2/2} <= delta/2, and sqrt(k/(4 n)) <= tau/2",
            *("0 < delta < 1", "0 < tau <= 1", "k >= 2", "n >= k/tau^2", "n >= (2/tau^2) log(2/delta)"),
            over=DRAWS,
        ),
        about=(
            "With n independent draws the empirical law of a law on k points is off by more than tau in total"
            " variation with probability at most e^{-n tau^2/2}, the mean error being at most sqrt(k/(4 n)), so with"
            " probability at least 1 - delta it is within tau."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("the mean", learning.mean_distance),
            proof("bounded differences", learning.deviation),
            proof("both halves of tau", learning.learning_bound),
            proof("enough draws", learning.enough_draws),
            Check("exact tails", Kind.CROSSCHECK, _learned(1), {"a sixteenth of the draws": _learned(16)}),
        ),
        note=(
            "The maximum suffices; no sum is needed. The printed constant is not tight: log(1/delta) in place of"
            " log(2/delta) is enough."
        ),
    ),
    stated_claim(
        id="KM-4.3",
        source="KM",
        title="errors in total variation move the divergence by at most (1 + e^eps) tau",
        stated=ERRORS_OF_LAWS,
        search={"quick": 1_500, "starts": (_OPPOSITE,)},
        declared=Verdict.PROVED,
        checks=(
            proof("positive parts", nearby_laws.perturbation),
            Check(
                "finite laws, and a case of equality",
                Kind.CROSSCHECK,
                _moved(Fraction(1)),
                {"error of Q not counted": _moved(Fraction(0)), "99 % of it": _moved(Fraction(99, 100))},
            ),
        ),
        note=(
            "u and w are P~ and Q~."
            " Sharp: P = P~ = (3/4, 1/4), Q = (1/8, 7/8), Q~ = (1/4, 3/4) moves by e^eps/8. For large eps the bound"
            " exceeds 1 and says nothing."
        ),
    ),
    Claim(
        id="KM-eq9.1",
        source="KM",
        title="the composed profile from histograms of the privacy loss",
        statement=(
            "The larger of the two expectations over c-fold convolutions of the losses of two histograms is the larger"
            " divergence of their c-fold products."
        ),
        formula="max over both orders of E_{s ~ w^c}[max(0, 1 - e^{eps - s})]",
        hypotheses=("c independent copies", "bins empty under one law have an infinite loss"),
        declared=Verdict.PROVED,
        checks=(
            proof("term by term", derived.loss_distribution),
            agreement(
                "three-fold convolution against the product laws",
                EXACT,
                _composed,
                _of_products,
                _compositions,
                digits=15,
                mutants={
                    "infinite losses dropped": lambda p, q, f: _composed(p, q, f, drop=True),
                    "two copies": lambda p, q, f: _composed(p, q, f, 2),
                },
            ),
        ),
        note=(
            "Decided is the formula for given histograms. How near its value comes to the composed mechanism's profile:"
            " KM-Fig11; each empty bin of one histogram puts its whole mass into delta."
        ),
    ),
)
CLAIMS = decided(CLAIMS, "KM-4.1", "KM-4.3")
