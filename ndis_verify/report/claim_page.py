"""The page of one claim: what is printed, what is true, the proof, the evidence, and where everything is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, cast

from ndis_verify.claim import Check, Claim, Kind
from ndis_verify.claims.kinds import kind_of
from ndis_verify.claims.ledger import SOURCES
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.certificate_store import FOLDER, read
from ndis_verify.court.judge import Judgement
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.proof_paths import lemmas
from ndis_verify.court.source_names import ROOT
from ndis_verify.court.statement_checks import Violation, missing_link
from ndis_verify.court.statement_mutants import faults_line
from ndis_verify.report.errata import is_erratum, is_printed
from ndis_verify.report.places import cited, label_of
from ndis_verify.report.violation_picture import violation_svg
from ndis_verify.rich import folded, prose, table, wrapping
from ndis_verify.symbolic import derivations_for
from ndis_verify.symbolic.derivation import DECIDED, Derivation
from ndis_verify.symbolic.typeset import derivation_html

_ID = re.compile(r"[A-Z][\w.]*-[\w.-]*\w")
MEANS = {
    Kind.PROOF: "proof",
    Kind.ENCLOSURE: "certified over its domain",
    Kind.ATTACK: "search for a violation",
    Kind.COUNTEREXAMPLE: "certified counterexample",
    Kind.CROSSCHECK: "independent routes agree",
    Kind.MEANING: "the implementations mean the same",
}


def derivations_of(claim: Claim) -> tuple[Derivation, ...]:
    """The derivations that a claim's proofs are made of, and those that say that they carry a part of it."""
    built = [check.run.derive() for check in claim.checks if isinstance(check.run, ProofRun)]
    return tuple({derivation.id: derivation for derivation in (*built, *derivations_for(claim.id))}.values())


def proofs_of(claim: Claim) -> tuple[Derivation, ...]:
    """The derivations that prove it, and those that they rest on; no other route to its number."""
    runs = [check.run for check in claim.checks if check.kind is Kind.PROOF]
    own = [run.derive() for run in runs if isinstance(run, ProofRun)]
    return tuple({one.id: one for proof in own for one in (proof, *lemmas(proof).values())}.values())


def claim_body(
    claim: Claim, ruling: Judgement | None, uses: Collection[str], used: Iterable[str], calculator: bool = False
) -> str:
    """The page without its frame; `calculator`: whether there is one, in which a counterexample can be tried."""
    derivations = derivations_of(claim)
    return "".join(
        (
            _head(claim, ruling),
            _statement(claim, uses),
            _violation(claim, calculator, uses),
            _derivations(claim, derivations),
            _evidence(claim, ruling),
            _links(claim, uses, used),
        )
    )


def counts(derivations: Sequence[Derivation]) -> dict[str, int]:
    """Of derivations: steps that are decided, standard facts, steps argued in words."""
    steps = [step for derivation in derivations for step in derivation.steps]
    return {
        "decided": sum(step.kind in DECIDED for step in steps),
        "facts": sum(step.kind == "fact" for step in steps),
        "argued": sum(step.kind == "argument" for step in steps),
    }


def steps_in_words(numbers: Mapping[str, int]) -> str:
    """`12 decided, 1 fact` of what `counts` gives, or of a node of the graph."""
    words = ((numbers.get(name, 0), name) for name in ("decided", "facts", "argued"))
    return ", ".join(f"{n} {'fact' if (n, name) == (1, 'facts') else name}" for n, name in words if n)


def carried(claim: Claim, derivation: Derivation) -> str:
    """What a derivation has to do with a claim, and in which of its words the claim grants a hypothesis."""
    said, proofs = derivation.claims.get(claim.id, ""), proofs_of(claim)
    granted = {h: by for one in derivation.concludes if one.claim == claim.id for h, by in one.granted.items()}
    if granted:
        said += f" (the claim says of {'; '.join(f'{h!r}: {by!r}' for h, by in granted.items())})"
    if proofs and derivation not in proofs:
        return f"Beside its proofs: {said or 'another route to its number'}"
    return f"Of the statement: {said}" if said else "A lemma of its proofs"


def mentioned(claim: Claim, ids: Sequence[str]) -> list[str]:
    """The other claims that a claim's texts name."""
    fields = (claim.title, claim.statement, claim.formula, claim.note, claim.reason, claim.corrected, *claim.hypotheses)
    words = set(_ID.findall(" ".join(text for text in fields if text)))
    return [i for i in ids if i in words and i != claim.id]


def linked(text: str, known: Collection[str], folder: str = "") -> str:
    """`prose` with the claims of `known` that it names as links to their pages in `folder`."""

    def link(found: re.Match[str]) -> str:
        name = found[0]
        return f'<a href="{folder}{name}.html">{name}</a>' if name in known else name

    return _ID.sub(link, prose(text))


def _head(claim: Claim, ruling: Judgement | None) -> str:
    verdict = claim.declared.value
    shown = ruling.in_words if ruling else verdict
    if ruling and not ruling.agrees:
        shown += f" (declared {verdict})"
    numbers = steps_in_words(counts(proofs_of(claim)))
    detail = f"Steps of its proofs, lemmas included: {numbers}. " if numbers else ""
    link = ruling.link if ruling else missing_link(claim)
    detail += f"Also argued: {link}. " if link else ""
    heard = "Recomputed for this page." if ruling else "As the ledger declares it."
    return (
        f'<h1>{escape(label_of(claim.id))}</h1><p><b>{prose(claim.title)}</b></p><p><span class="badge {verdict}">'
        f'{escape(shown)}</span> <small>{kind_of(claim).value}</small></p><p class="soft">{detail}{heard}</p>'
        f'<p class="soft">{escape(SOURCES[claim.source])}; <code>{claim.id}</code></p>'
    )


def formula_html(claim: Claim) -> str:
    """The formula of a claim: from its object where there is one, else its plain text with the symbols typeset."""
    if claim.stated is not None:
        tex = claim.stated.tex
        return folded(wrapping(tex), len(tex))
    return folded(prose(claim.formula), len(claim.formula)) if claim.formula else ""


def _statement(claim: Claim, known: Collection[str]) -> str:
    heading = "Statement" if is_printed(claim) else "Statement, as it can be read"
    hypotheses = "".join(f"<li>{linked(text, known)}</li>" for text in claim.hypotheses)
    reason = f"<p><b>Not decided because:</b> {linked(claim.reason, known)}</p>" if claim.reason else ""
    note = f"<p>{linked(claim.note, known)}</p>" if claim.note else ""
    said = f"<p>{linked(claim.statement, known)}</p>{formula_html(claim)}"
    return (
        f'<h2>{heading}</h2><div class="statement">{said}</div>'
        + (f"<h2>Hypotheses</h2><ul>{hypotheses}</ul>" if hypotheses else "")
        + (
            f'<h2>Correct is</h2><div class="right"><p>{linked(claim.corrected, known)}</p></div>'
            if claim.corrected
            else ""
        )
        + reason
        + note
    )


def _violation(claim: Claim, calculator: bool, known: Collection[str]) -> str:
    """What is refuted, at its point, with the enclosed size of the violation and what recomputes it."""
    runs = [check for check in claim.checks if check.kind is Kind.COUNTEREXAMPLE]
    if not runs and not claim.counterexample:
        return ""
    text = f"<p>{linked(claim.counterexample, known)}</p>" if claim.counterexample else ""
    points = "".join(_points([check for check in runs if _has_point(check)]))
    lines = [f"ndis-verify verify {claim.id}"]
    lines += [_by_hand(claim.id, k) for k, check in enumerate(claim.checks) if _has_point(check)]
    return (
        f'<h2>Counterexample</h2><div class="broken">{text}{points}</div>'
        + (_tried(claim, runs) if calculator else "")
        + f"<p>Recompute it:</p><pre>{escape(chr(10).join(lines))}</pre>"
    )


def _tried(claim: Claim, runs: Iterable[Check]) -> str:
    """A link to the calculator, where the counterexample is a statement at a point."""
    if not any(isinstance(check.run, PointRun) and isinstance(check.run.certify, Violation) for check in runs):
        return ""
    return (
        f'<p><a href="../calculator.html#quantity={escape(claim.id)}/1">Try it, or another point, in the page</a></p>'
    )


def _has_point(check: Check) -> bool:
    return check.kind is Kind.COUNTEREXAMPLE and isinstance(check.run, PointRun)


def _by_hand(claim_id: str, number: int) -> str:
    """A line for a shell that prints one violation again."""
    code = f"run = find('{claim_id}').checks[{number}].run; print(run.certify(run.point))"
    return f'python -c "from ndis_verify.claims.ledger import find; {code}"'


def _points(checks: Sequence[Check]) -> Iterator[str]:
    """The exact point and the certified size of each violation, and a picture of the first that can be drawn."""
    drawn = ""
    for check in checks:
        run = cast(PointRun, check.run)  # `_has_point`
        rows = (
            f'<tr><th scope="row">{prose(name)}</th><td>{escape(str(value))}</td></tr>'
            for name, value in run.point.items()
        )
        try:
            violation = run.certify(run.point)._repr_html_()
        except ValueError as error:  # the quantity has no value there: said, not hidden
            violation = escape(str(error))
        picture = "" if drawn else violation_svg(run)
        drawn = drawn or picture
        yield (
            f"<details open><summary>{prose(check.name)}</summary><table>{''.join(rows)}</table>"
            f"<p>It is violated by {violation}</p>{picture}</details>"
        )


def _derivations(claim: Claim, derivations: Sequence[Derivation]) -> str:
    if not derivations:
        return ""
    parts = []
    for number, derivation in enumerate(derivations, 1):
        parts.append(f'<p class="soft" id="{derivation.id}">{prose(carried(claim, derivation))}</p>')
        parts.append(derivation_html(derivation, prefix=f"step-{number}"))
    return '<h2 id="derivation">Derivation</h2>' + "".join(parts)


def _evidence(claim: Claim, ruling: Judgement | None) -> str:
    heard = ruling.evidence if ruling else ("",) * len(claim.checks)
    pairs = enumerate(zip(claim.checks, heard, strict=True), 1)
    items = "".join(f'<li id="check-{number}">{_check(check, line)}</li>' for number, (check, line) in pairs)
    failed = "".join(f"<li>{prose(text)}</li>" for text in ruling.failures) if ruling else ""
    caught = f"<p>{ruling.mutants_killed} of {ruling.mutants} planted faults were caught.</p>" if ruling else ""
    ruled = f"<p>{prose(line)}.</p>" if (line := faults_line(claim)) else ""
    wrong = f"<p><b>Failed:</b></p><ul>{failed}</ul>" if failed else ""
    return f"<h2>Evidence</h2><ul>{items}</ul>{caught}{ruled}{wrong}" if items else ""


def _check(check: Check, heard: str) -> str:
    found = heard.partition("] ")[2]
    faults = "".join(f"<li>{prose(fault)}</li>" for fault in check.mutants)
    part = "" if check.part == "statement" else f", of the part “{prose(check.part)}”"
    return (
        f"<b>{prose(check.name)}</b> <small>{MEANS[check.kind]}{part}</small>"
        + (f"<p>{prose(found)}</p>" if found else "")
        + _kept(check)
        + (
            f'<details class="caught"><summary>Planted faults that it has to catch: {len(check.mutants)}</summary>'
            f"<ul>{faults}</ul></details>"
            if faults
            else ""
        )
    )


def _kept(check: Check) -> str:
    """What the kept certificate of a check says, if there is one."""
    stored = getattr(check.run, "stored_check", None)
    name = stored().name if stored is not None and stored() is not None else ""
    certificate = read(FOLDER / f"{name}.json") if name else None
    if certificate is None:
        return ""
    rows = [("file", f"<code>court/certificates/{escape(name)}.json</code>")]
    for data in (certificate.parameters, certificate.content):
        rows += [(key, _said(value)) for key, value in data.items() if isinstance(value, (int, float, str))]
    return f"<details><summary>Kept certificate</summary>{table(rows)}</details>"


def _said(value: float | str) -> str:
    """A value of a certificate: a point typeset, a statement as the data that was hashed behind a line to open."""
    if isinstance(value, str) and value.startswith("{"):
        return f"<details><summary>as data</summary><code>{escape(value)}</code></details>"
    return prose(value) if isinstance(value, str) else escape(str(value))


def _links(claim: Claim, uses: Iterable[str], used: Iterable[str]) -> str:
    def listed(ids: Iterable[str]) -> str:
        return ", ".join(f'<a href="{i}.html">{escape(label_of(i))}</a>' for i in ids)

    places = "".join(
        f'<tr><th scope="row">{place.kind}</th><td><code>{escape(shown_path(place.path))}:{place.line}</code>'
        f" {escape(place.name)}</td></tr>"
        for place in cited(claim.id)
    )
    errata = f'<a href="../errata.html#{claim.id}">{escape(label_of(claim.id))}</a>' if is_erratum(claim) else ""
    checks = "" if claim.source in ("PKG", "DATA") else f'<a href="../matrix.html#{claim.id}">cross-check matrix</a>'
    graph = '<a href="../graph.html">what rests on what</a>'
    found = {"uses": listed(uses), "used by": listed(used), "errata": errata, "routes": checks, "graph": graph}
    rows = table(found.items())
    again = f"<pre>ndis-verify verify {claim.id}\nndis-verify where {claim.id}</pre>"
    return f"<h2>Where it is</h2>{rows}<table>{places}</table>{again}"


def shown_path(path: Any) -> str:
    """A path from the folder that the package stands in."""
    return str(path.relative_to(ROOT.parent)) if path.is_relative_to(ROOT.parent) else path.name
