"""How many faults by rule of a claim's statement are told apart: counted by `claims --mutants`, kept, read by reports.

A count stands for one statement, held to a digest of it: where the statement is another by now, nothing is shown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

from ndis_verify.claim import Claim, Verdict
from ndis_verify.court.attack_checks import AttackRun, PointRun
from ndis_verify.court.seal import digest
from ndis_verify.court.statement_checks import statement_of
from ndis_verify.court.statement_fates import Fate, beyond, fates
from ndis_verify.runs.files import write_atomically
from ndis_verify.statements.json_form import to_json
from ndis_verify.tables import markdown_table

KEPT = Path(__file__).with_name("statement_mutants.json")
FATES: tuple[str, ...] = get_args(Fate)
_FAILING = (Verdict.REFUTED, Verdict.RESTRICTED)
_EVALUATIONS = 60  # of the search for each fault; most show at the first points
Counts = Mapping[str, int]


def counted(claim: Claim) -> Counts:
    """How many faults of the statement of a claim have each fate (0.1 to 60 s), searched from its own points."""
    assert claim.stated is not None
    runs = [check.run for check in claim.checks if statement_of(check) == claim.stated]
    starts = [start for run in runs if isinstance(run, AttackRun) for start in run.problem.starts]
    starts += [run.point for run in runs if isinstance(run, PointRun)]
    found: Counter[str] = Counter(fate for _, fate, _ in fates(claim.stated, _EVALUATIONS, starts=starts))
    return {fate: found[fate] for fate in FATES if found[fate]}


def kept_counts(claim: Claim) -> Counts | None:
    """The kept counts of a claim, where they are of its statement as it is."""
    found = _kept().get(claim.id)
    current = claim.stated is not None and found is not None and found["of"] == digest(to_json(claim.stated))
    return found["counts"] if found is not None and current else None


def searched_beyond(claim: Claim) -> Mapping[str, str]:
    """Where the statement of a claim that holds was searched beyond the ranges of its variables, and the violation
    found there: "" where none was. Empty for a statement that is not to hold.
    """
    assert claim.stated is not None
    return {} if claim.declared in _FAILING else beyond(claim.stated)


def kept_beyond(claim: Claim) -> Mapping[str, str] | None:
    """What was kept of `searched_beyond`, where it is of the statement as it is."""
    return None if kept_counts(claim) is None else dict(_kept()[claim.id]["beyond"])


def faults_line(claim: Claim) -> str:
    """One line for reports; empty where nothing is kept."""
    return in_words(kept_counts(claim) or {})


def in_words(counts: Counts) -> str:
    """`99 faults of the statement by rule: 90 violated, 9 not told apart`."""
    listed = ", ".join(f"{n} {fate}" for fate, n in counts.items())
    return f"{sum(counts.values())} faults of the statement by rule: {listed}" if listed else ""


def added(claims: Iterable[Claim]) -> Counts:
    """The kept counts of several claims together."""
    total: Counter[str] = Counter()
    for claim in claims:
        total.update(kept_counts(claim) or {})
    return {fate: total[fate] for fate in FATES if total[fate]}


def mutants_page(claims: Sequence[Claim]) -> str:
    """The page of all counts, in Markdown."""
    found = {claim.id: counts for claim in claims if (counts := kept_counts(claim)) is not None}
    wider = {claim.id: len(kept_beyond(claim) or {}) for claim in claims if claim.id in found}
    rows = [(name, *(counts.get(fate, 0) for fate in FATES), wider[name]) for name, counts in found.items()]
    total = added(claims)
    rows.append(("all", *(total.get(fate, 0) for fate in FATES), sum(wider.values())))
    table = markdown_table(("claim", *FATES, "beyond"), rows, right=range(1, len(FATES) + 2))
    left = [claim.id for claim in claims if claim.stated is not None and claim.id not in found]
    seen = "".join(
        f"\n- {claim.id}, {where}: {what}"
        for claim in claims
        for where, what in (kept_beyond(claim) or {}).items()
        if what
    )
    listed = f"\nFound beyond the ranges, in float64 alone:\n{seen}\n" if seen else ""
    return f"{_PAGE}\n{table}\n{listed}" + (f"\nNot counted yet: {', '.join(left)}.\n" if left else "")


_PAGE = """# Faults of statements

Every statement that is an object is spoilt by rule at each of its nodes: a sign, a factor, an exponent, a number, a
direction, the two laws exchanged, a hypothesis left out. A fault is *violated* where ball arithmetic certainly refutes
it at a point, *violated in float64* where a search does so clearly and ball arithmetic does not decide, *implied* where
it says the same or both its sides have become one, *weaker* where it asks for no more than the statement at every
random point that has values, *without meaning* where no point meets its hypotheses or its quantities have no value
where they newly speak, and *not told apart* where 60 points of a search found nothing: among them are statements that
are true as well, as the right one is not sharp, and hypotheses that could be spared. A count is of the statement as it
is: its digest is kept beside it.

*beyond*: how many times a statement that is to hold was searched with variables outside the ranges that the other
searches keep to, one of them below, next to 0 or above, or all at values of either sign, as far as its hypotheses leave
room: a statement speaks there too, and fails there where a hypothesis such as k > 0 was forgotten. What these searches
found is listed below the table: no certain violation. Written by `ndis-verify claims --mutants
docs/statement_faults.md`, which counts anew only what has changed.
"""


def renew(claims: Iterable[Claim]) -> None:
    """Count anew what is not current, and keep the counts of these claims alone, after each."""
    found, known = {}, {entry["of"]: entry for entry in _kept().values()}
    for claim in claims:
        if claim.stated is not None:
            of = digest(to_json(claim.stated))  # several claims may make one statement
            entry = known.get(of) or {"of": of, "counts": counted(claim)}
            known[of] = entry | {"beyond": entry.get("beyond") or searched_beyond(claim)}
            found[claim.id] = known[of]
            _write({**_kept(), **found})
    _write(found)


def _write(found: Mapping[str, Any]) -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    write_atomically(KEPT, "{\n" + ",\n".join(lines) + "\n}\n")
    _kept.cache_clear()


@cache
def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return found
