"""Claims about the worst record of private least squares below a cap on q: where it is, how bad it is, what noise that
asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ndis_verify.claim import CertificateError, Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.least_squares.largest_cap import FINITE_TARGETS, TARGETS, largest_cap
from ndis_verify.claims.least_squares.matrices import DIRECTIONS
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.certificate_store import Content, StoredCheck, file_name, stored
from ndis_verify.court.domain import Domain, choice, continuous, integer
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.exact_number import exact
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick as fast_als_exact_hockey_stick
from ndis_verify.fast.least_squares.finite_law import log_als_exact_hockey_stick as fast_log_als_exact_hockey_stick
from ndis_verify.fast.least_squares.worst_case import als_cap as fast_als_cap
from ndis_verify.fast.least_squares.worst_case import als_worst_case as fast_als_worst_case
from ndis_verify.fast.least_squares.worst_record import als_exact_cap as fast_als_exact_cap
from ndis_verify.fast.least_squares.worst_record import als_exact_worst_case as fast_als_exact_worst_case
from ndis_verify.oracle.certified.least_squares.worst_case import als_exact_worst_case as certified_als_exact_worst_case
from ndis_verify.oracle.certified.least_squares.worst_case import als_worst_case as certified_als_worst_case
from ndis_verify.oracle.certified.least_squares.worst_case import gaussian_edge, student_edge
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer as whole
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import least_squares_order as order
from ndis_verify.symbolic import least_squares_summit

_RECORD = (
    "a record of leverage p in B and q in [B b]",
    "[B b] and its neighbour of full column rank",
    "0 <= p <= q <= cap < 1",
)

# cap, d, r, eps; the supremum, and where it is: leverage and direction
_NORMAL = (
    ("0.1", 2, 100, "1", "0.0106088", "0.04175", "delete"),
    ("0.05", 10, 1000, "1", "0.0670325", "0.02423", "delete"),
    ("0.01", 10, 1000, "1", "1.54881e-11", "0.0040287", "delete"),
    ("0.1", 1, 1, "0.5", "1.50664e-4", "0", "delete"),
    ("0.5", 1, 1, "0.5", "0.0847988", "0", "delete"),
    ("0.02", 50, 100, "1", "1.80944e-12", "0.00224", "delete"),
)
_FINITE = (
    ("0.1", 2, 100, "1", "0.00865622", "0.06055", "insert"),
    ("0.5", 2, 2, "0.3", "0.0457148", "0", "insert"),
    ("0.1", 2, 101, "1", "0.00892912", "0.06046", "insert"),
    ("0.05", 10, 1000, "1", "0.0656371", "0.026186", "insert"),
    ("0.982266", 3, 4, "8", "9.9992e-6", "0.98188", "insert"),
)
Rule = Callable[[Fraction], tuple[Fraction, ...]]
_FULL_WIDTH = Fraction(1, 1000)


@dataclass(frozen=True)
class Largest:
    """`run(effort)`: certified suprema against the stated ones, or against the larger direction at the leverages of a
    `rule`.

    `name`: of the certificate in which the full size, every case to 0.1 percent, is kept; "" for none.
    """

    cases: tuple
    edge_at: Callable
    worst_case: Callable
    rule: Rule | None = None
    name: str = ""

    def __call__(self, effort: str) -> Evidence:
        return stored(self.stored_check(), effort) if self.name else self._computed(effort)[0]

    def stored_check(self) -> StoredCheck:
        """Each supremum's enclosure, where it is attained, and the size of its branch and bound are what is kept."""
        parameters = {"cases": [list(map(str, case)) for case in self.cases], "relative": str(_FULL_WIDTH)}
        return StoredCheck(self.name, parameters, {__name__}, self._computed, self._sampled)

    def _computed(self, effort: str) -> tuple[Evidence, Content | None]:
        relative, chosen = (_FULL_WIDTH, self.cases) if effort == "full" else (Fraction(1, 20), self.cases[:2])
        lines, boxes, kept = [], 0, []
        for *case, stated, at, direction in chosen:
            edge = self.edge_at(*case, 6)
            claimed = exact(stated)
            if self.rule is not None:
                claimed = max(edge.value(p, name).upper for p in self.rule(edge.cap) for name in DIRECTIONS)
            if edge.value(exact(at), direction).lower > claimed * (1 + relative):
                detail = (
                    f"cap {case[0]}, d = {case[1]}, r = {case[2]}, eps = {case[3]}: p = {at} is above"
                    f" {float(claimed):.4g}"
                )
                return Evidence(Outcome.FAILED, "Arb", detail, count=1), None
            found = self.worst_case(*case, relative=relative)
            boxes += found.boxes
            if not claimed * (1 - relative) <= found.value.lower <= found.value.upper <= claimed * (1 + relative):
                return (
                    Evidence(Outcome.FAILED, "Arb", f"stated {stated}: {found.line()}", count=boxes, counted="boxes"),
                    None,
                )
            lines.append(f"d = {case[1]}, r = {case[2]}, eps = {case[3]}: {found.line()}")
            ends = [str(end) for end in (found.value.lower, found.value.upper)]
            at = {"leverage": str(found.leverage), "direction": found.direction}
            kept.append({"value": ends, **at, "boxes": found.boxes})
        return Evidence(
            Outcome.HELD, "branch and bound in ball arithmetic", "; ".join(lines), count=boxes, counted="boxes"
        ), {"suprema": kept}

    def _sampled(self, content: Content) -> Evidence:
        """Every stored supremum against the stated number and the certified value where it is attained; the quick size
        again.
        """
        found, lines = content["suprema"], []
        if len(found) != len(self.cases):
            raise CertificateError("it has another number of cases")
        for (*case, stated, _, _), entry in zip(self.cases, found, strict=True):
            low, high = (Fraction(end) for end in entry["value"])
            value = self.edge_at(*case, 6).value(Fraction(entry["leverage"]), entry["direction"])
            claimed = exact(stated)
            if not claimed * (1 - _FULL_WIDTH) <= low <= high <= claimed * (1 + _FULL_WIDTH):
                raise CertificateError("a supremum is not the stated one")
            if not value.lower <= high or not abs(exact(value.mid) - low) <= low * Fraction(1, 10**4):
                raise CertificateError("a supremum is not attained where it says")
            at = f"attained near p = {float(Fraction(entry['leverage'])):.6g} ({entry['direction']})"
            sup = f"sup in [{float(low):.6g}, {float(high):.6g}]"
            lines.append(f"d = {case[1]}, r = {case[2]}, eps = {case[3]}: {sup}, {at}")
        if self._computed("quick")[0].outcome is not Outcome.HELD:
            raise CertificateError("the first cases differ from the stated numbers")
        boxes = sum(int(entry["boxes"]) for entry in found)
        detail = "; ".join(lines) + "; computed again: every supremum at its point, the first two to 5 percent"
        return Evidence(Outcome.HELD, "branch and bound in ball arithmetic", detail, count=boxes, counted="boxes")


def _largest_check(
    owner: str, name: str, cases: tuple, edge_at: Callable, worst_case: Callable, faults: dict[str, Rule]
) -> Check:
    mutants = {fault: Largest(cases, edge_at, worst_case, rule) for fault, rule in faults.items()}
    return Check(
        name, Kind.ENCLOSURE, Largest(cases, edge_at, worst_case, name=file_name(owner, name)), mutants, "largest value"
    )


_CORNERS = {"tested at p = 0 and p = q": lambda cap: (Fraction(0), cap), "tested at p = q/20": lambda cap: (cap / 20,)}


def _corners(p: Fraction) -> Callable[[str], Evidence]:
    """Certified: at q = 0.1, d = 2, r = 100, eps = 1 the leverage p gives over 1000 times either corner."""

    def run(effort: str) -> Evidence:
        edge = gaussian_edge("0.1", 2, 100, 1, 12)
        inner, *ends = ([edge.value(at, name) for name in DIRECTIONS] for at in (p, Fraction(0), edge.cap))
        low = max(value.lower for value in inner)
        holds = all(low > 1000 * value.upper for end in ends for value in end)
        shown = ", ".join(max(values, key=lambda value: value.mid).decimal(6)[0] for values in (inner, *ends))
        return Evidence(
            Outcome.HELD if holds else Outcome.FAILED,
            "certified",
            f"inside, at p = 0, at p = q: {shown}",
            12,
            3,
            "numbers",
        )

    return run


def _summit_margin(moved: float = 0.0) -> Callable[..., np.ndarray]:
    """log of the finite-r divergence at the stated worst record, moved by a share of its way to q, less that at another
    record of the same q.
    """

    def margin(q, share, position, d, extra, way):
        r, result = d + extra, np.empty(q.shape)
        for direction, chosen in zip(DIRECTIONS, (way == 0, way == 1)):
            cap, rows = q[chosen], r[chosen]
            most = (extra[chosen] + 1 if direction == "delete" else rows) * -np.log1p(-cap) / 2
            epsilon = position[chosen] * most
            t = 2 * (most - epsilon) / (rows + extra[chosen] + 1)
            worst = -np.expm1(-t) if direction == "delete" else cap - (1 - cap) * np.expm1(t)
            worst = np.clip(worst + moved * (cap - worst), 0, cap)
            for width in np.unique(d[chosen]):
                at = d[chosen] == width
                high, other = (
                    fast_log_als_exact_hockey_stick(p[at], cap[at], int(width), rows[at], epsilon[at], direction)
                    for p in (worst, share[chosen] * cap)
                )
                result[np.flatnonzero(chosen)[at]] = np.where(other > -600, high - np.maximum(other, -600.0), 1.0)
        return result

    return margin


_AT_THE_SUMMIT = attack_check(
    "finite-r divergence at the stated record and at others, float64",
    _summit_margin(),
    Domain(
        (
            continuous("q", "0.001", "0.95", "logit"),
            continuous("share", 0, 1),
            continuous("position", 0, "0.98"),
            choice("d", (1, 2, 3, 6)),
            integer("extra", 1, 200, "log"),
            choice("way", (0, 1)),
        )
    ),
    mutants={"a tenth of the way to q": _summit_margin(0.1)},
    quick=200,
    full=10_000,
    tolerance=1e-8,
)


def _targets_text(targets: tuple) -> str:
    return ", ".join(f"({', '.join(target)})" for target in targets)


def _text(cases: tuple) -> str:
    return "; ".join(f"({cap}, {d}, {r}, {eps}): {value}" for cap, d, r, eps, value, *_ in cases)


CLAIMS: tuple[Claim, ...] = (
    stated_claim(
        id="N24-T5-worst-case",
        source="N24",
        title="where the worst record below a cap lies",
        stated=statement(
            "delta_LS_delete(a, b, d, r; eps) <= delta_LS_delete(p, q, d, r; eps),"
            " and delta_LS_insert(a, b, d, r; eps) <= delta_LS_insert(p, q, d, r; eps)",
            *("X > 0", "Y > 0", "tau >= 0", "d >= 1", "r >= 1", "eps >= 0"),
            where={
                "x": "X/(1 + tau X)",
                "y": "Y/(1 + tau Y)",
                "p": "X/(1 + X)",
                "q": "(X + Y + X Y)/((1 + X) (1 + Y))",
                "a": "x/(1 + x)",
                "b": "(x + y + x y)/((1 + x) (1 + y))",
            },
            over=(
                *(real(name, "1e-3", 20, "log") for name in "XY"),
                real("tau", "1e-3", 100, "log"),
                *(whole("d", 1, 20), whole("r", 1, 200, "log"), real("eps", 0, 10)),
            ),
        ),
        about=(
            "Both divergences grow along 1/y - 1/x = const, x = p/(1-p), y = (q-p)/(1-q), and these lines end on q ="
            " cap: over 0 <= p <= q <= cap the largest asymptotic divergence lies on q = cap, in each direction, at"
            " every eps, d and r."
        ),
        declared=Verdict.PROVED,
        checks=(proof("a record below the cap is one on it with noise added", order.gaussian_order),),
        note=(
            "The order conjectured in N24-T5-assumption is not needed: it moves along other lines, on which the"
            " divergence can fall. What is left is a search over p alone, and it is not at an end: N24-T5-worst-value."
        ),
    ),
    Claim(
        id="N24-T5-worst-value",
        source="N24",
        title="the largest divergence below a cap, and the noise it asks for",
        statement=(
            "At these (cap, d, r, eps) the largest asymptotic divergence over 0 <= p <= q <= cap is, to 0.1 percent: "
        )
        + _text(_NORMAL)
        + ". It is not at a corner of q = cap in general. At (d, r, eps, delta) = "
        + _targets_text(TARGETS)
        + " als_cap is the largest cap to 0.05 percent.",
        formula="sup over 0 <= p <= q <= cap of max(delta_delete, delta_insert)",
        hypotheses=(*_RECORD, "eps >= 0"),
        declared=Verdict.CERTIFIED,
        checks=(
            proof("only q = cap", order.gaussian_order, part="largest value"),
            proof("the bound on a box", order.box_bound, part="largest value"),
            _largest_check(
                "N24-T5-worst-value",
                "every box of leverages",
                _NORMAL,
                gaussian_edge,
                certified_als_worst_case,
                _CORNERS,
            ),
            Check(
                "corners understate",
                Kind.ENCLOSURE,
                _corners(Fraction(1, 24)),
                {"at p = 1e-7": _corners(Fraction(1, 10**7))},
                "not at a corner",
            ),
            largest_cap(TARGETS, gaussian_edge, fast_als_cap, fast_als_worst_case, fast_als_hockey_stick, 0.05),
        ),
        note=(
            "cap = 0.1, d = 2, r = 100, eps = 1: 0.0106088 at p = 0.04175, 4.78e-6 at p = 0 and 1.29e-6 at p = q: noise"
            " chosen at a corner is too small. Records of norm l need a ridge of l^2 (1/cap - 1). Other parameters:"
            " oracle.certified_als_worst_case, certified_als_cap."
        ),
    ),
    stated_claim(
        id="N24-6.3-worst-case",
        source="N24",
        title="where the worst record below a cap lies, at every r",
        stated=statement(
            "delta_sketch_delete(s q, q, d, r; eps) <= delta_sketch_delete(s u, u, d, r; eps),"
            " and delta_sketch_insert(s q, q, d, r; eps) <= delta_sketch_insert(s u, u, d, r; eps)",
            *("0 <= s <= 1", "0 < q <= u", "u < 1", "d >= 1", "r >= d", "eps >= 0"),
            over=(
                *(real(name, "1e-3", "0.99", "logit") for name in "qu"),
                *(real("s", 0, 1), whole("d", 1, 8), whole("r", 1, 60, "log"), real("eps", 0, 8)),
            ),
        ),
        about=(
            "For the sketched solution itself the divergence at a fixed p/q grows with q: over 0 <= p <= q <= cap it"
            " is largest on q = cap."
        ),
        search={"quick": 200},
        declared=Verdict.PROVED,
        checks=(proof("one family of laws with a monotone likelihood ratio", order.finite_order),),
        note=(
            "So noise for sketch and solve at its own r is one search over p, and N24-6.3-worst-record says where it"
            " ends. No limit r -> infinity is needed."
        ),
    ),
    stated_claim(
        id="N24-6.3-worst-record",
        source="N24",
        title="the worst record below a cap in closed form, at every r",
        stated=statement(
            "delta_sketch_delete(p, q, d, r; eps) <= delta_sketch_delete(1 - e^{-max(0, t)}, c, d, r; eps),"
            " and delta_sketch_insert(p, q, d, r; eps) <= delta_sketch_insert(1 - (1 - c) e^{max(0, u)}, c, d, r; eps)",
            *("0 <= p <= q", "0 < q <= c", "c < 1", "d >= 1", "r >= d", "eps >= 0"),
            where={
                "t": "((r - d + 1) log(1/(1 - c)) - 2 eps)/(2 r - d + 1)",
                "u": "(r log(1/(1 - c)) - 2 eps)/(2 r - d + 1)",
            },
            over=(
                *(real(name, "1e-4", "0.95", "logit") for name in "pqc"),
                whole("d", 1, 6),
                whole("r", 1, 200, "log"),
                real("eps", "1e-3", 10, "log"),
            ),
        ),
        about=(
            "Over all records with 0 <= p <= q <= c, [B b] and its neighbour of full column rank; where t or u is at"
            " most 0 no record costs anything, and one with q = 0, a row of zeros, never does."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("the divergence along q = cap has one summit", least_squares_summit.worst_record),
            proof("only q = cap", order.finite_order),
            _AT_THE_SUMMIT,
        ),
        note=(
            "The two laws of T are those of an angle on a sphere that turns with p, in one family; what moves across"
            " the threshold tau differs by an elementary factor, so d delta/dp has the sign of q tau - p. No search is"
            " left in the calibration of the sketched mechanism (N24-Fig11): oracle.certified_als_exact_cap. With r = d"
            " the divergence is the same at every p."
        ),
    ),
    Claim(
        id="N24-6.3-worst-value",
        source="N24",
        title="the largest divergence below a cap at finite r, and the noise it asks for",
        statement=(
            "At these (cap, d, r, eps) the largest finite-r divergence over 0 <= p <= q <= cap is, to 0.1 percent: "
        )
        + _text(_FINITE)
        + ". At (d, r, eps, delta) = "
        + _targets_text(FINITE_TARGETS)
        + " als_exact_cap is the largest cap to 0.05 percent.",
        formula="sup over 0 <= p <= q <= cap of max(delta_delete, delta_insert), finite r",
        hypotheses=("r >= d", *_RECORD),
        declared=Verdict.CERTIFIED,
        checks=(
            proof("only q = cap", order.finite_order, part="largest value"),
            proof("bounds from an end of a box", order.base_change, part="largest value"),
            proof("the bound inside", order.box_bound, part="largest value"),
            _largest_check(
                "N24-6.3-worst-value",
                "every box of leverages",
                _FINITE,
                student_edge,
                certified_als_exact_worst_case,
                {"deletion at p = 0": lambda cap: (Fraction(0),)},
            ),
            largest_cap(
                FINITE_TARGETS,
                student_edge,
                fast_als_exact_cap,
                fast_als_exact_worst_case,
                fast_als_exact_hockey_stick,
                0.5,
            ),
        ),
        note=(
            "Where r is not large the sketch needs less noise than its limit law says: d = 2, r = 100, eps = 1, delta ="
            " 1e-5 allows cap = 0.054179, the limit law 0.048724; d = 3, r = 4, eps = 8: 0.98227 against 0.42213. Other"
            " parameters: oracle.certified_als_exact_worst_case."
        ),
    ),
)
