"""Printed slips that no other record carries: swapped table rows, a lost logarithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.statements.reading import statement

_TEXT = {"Song": 515345, "Flight": 327346}  # section 7.2, with 91 and 2 features
_TABLES = {"Song": 327346, "Flight": 515345}


def _sizes_differ(rows: Mapping[str, int]) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        wrong = [name for name, size in rows.items() if size != _TEXT[name]]
        swapped = wrong and {rows[name] for name in wrong} == {_TEXT[name] for name in wrong}
        detail = f"{', '.join(wrong)} exchanged" if swapped else "rows as in the text"
        return Evidence(
            Outcome.HELD if swapped else Outcome.FAILED, "printed numbers", detail, count=len(rows), counted="rows"
        )

    return run


CLAIMS = (
    Claim(
        id="N24-Tab-sizes",
        source="N24",
        title="sizes of the Song and Flight data in the tables",
        statement="Tables I to IV label their rows Song n = 327346 and Flight n = 515345.",
        hypotheses=("the sizes of section 7.2's text",),
        declared=Verdict.REFUTED,
        checks=(
            Check(
                "tables against the text",
                Kind.COUNTEREXAMPLE,
                _sizes_differ(_TABLES),
                {"rows as in the text": _sizes_differ(_TEXT)},
            ),
        ),
        counterexample=(
            "The text: the flight data have 327346 records and 2 features, the song data 515345 records and 91"
            " features."
        ),
        corrected="Song n = 515345, Flight n = 327346.",
        note=(
            "Whether the labels or the whole rows are exchanged cannot be read off; whoever compares with these rows"
            " must ask which."
        ),
        tags=("misprint", "words"),
    ),
    stated_claim(
        id="KM-AppE-log",
        source="KM",
        title="epsilon from two bins, Appendix E",
        stated=statement(
            "p - e^eps q = delta",
            *("0 < p < 1", "0 < q < p", "0 <= delta < p"),
            where={"eps": "(p - delta)/q"},
        ),
        fails_at=({"p": "0.75", "q": "0.25", "delta": 0},),
        about=(
            "Setting the two-bin divergence p1 - e^eps q1 equal to delta gives eps = (p1 - delta)/q1, and likewise eps"
            " = (q2 - delta)/p2."
        ),
        declared=Verdict.REFUTED,
        checks=(),
        corrected="eps = log((p1 - delta)/q1) and eps = log((q2 - delta)/p2), as the lemma itself prints (KM-6.1).",
        note="Code written from the appendix reports an epsilon that is too large, e^eps in place of eps.",
        tags=("misprint",),
    ),
)
