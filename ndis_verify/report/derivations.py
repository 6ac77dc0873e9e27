"""A derivation as plain text: its steps one by one, what was decided about each, and why it holds."""

from __future__ import annotations

import textwrap

from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step
from ndis_verify.symbolic.typeset import method

_MAX_LINES = 4
_INDENT = " " * 6


def steps_table(derivation: Derivation, width: int = 110, whole: bool = False) -> str:
    """Title, sources and hypotheses; for each step its name, outcome, statement and reason; a summary line.

    The outcome is "decided", "FALSE" or "UNDECIDED" for a decided step, else the kind of the step. A statement that
    fills more than four lines of `width` characters is cut, and its length is given: `Step.statement` has the whole.
    `whole`: nothing is cut and nothing is decided again; a step says how it is settled instead.
    """
    lines = [
        f"{derivation.id}: {derivation.title}",
        f"sources: {', '.join(derivation.sources)}; given: {'; '.join(derivation.given)}",
    ]
    for number, step in enumerate(derivation.steps, start=1):
        lines.append(f"{number:3d}. {step.name} [{method(step) if whole else _outcome(derivation, step)}]")
        lines += [line for text in _body(step) for line in _wrapped(text, width, whole)]
    lines += [] if whole else [_summary(derivation)]
    return "\n".join(lines)


def _outcome(derivation: Derivation, step: Step) -> str:
    if step.kind not in DECIDED:
        return step.kind
    return {True: "decided", False: "FALSE", None: "UNDECIDED"}[derivation.holds(step)]


def _body(step: Step) -> list[str]:
    """The paragraphs of a step."""
    if step.lhs is None:
        return [step.why]
    lines = [step.text]
    if step.witness is not None and str(step.witness) != str(step.lhs):
        lines.append(f"left - right = {step.witness}")
    lines.append(f"-- {step.why}")
    return lines + ([f"from: {_premises(step)}"] if step.premises or step.conditions else [])


def _premises(step: Step) -> str:
    """The premises and, of a standard fact, its name and what shows its conditions."""
    named = [p if isinstance(p, str) else p.step + (f" of {p.lemma.id}" if p.of else "") for p in step.premises]
    shown = [f"{name}: {one if isinstance(one, str) else one.text}" for name, one in step.conditions.items()]
    return "; ".join([step.fact] * bool(step.fact) + named + shown)


def _wrapped(text: str, width: int, whole: bool) -> list[str]:
    lines = textwrap.wrap(text, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
    if whole or len(lines) <= _MAX_LINES:
        return lines
    return [*lines[:_MAX_LINES], f"{_INDENT}... ({len(text)} characters in all)"]


def _summary(derivation: Derivation) -> str:
    identities = [step for step in derivation.steps if step.kind in DECIDED]
    decided = sum(derivation.holds(step) is True for step in identities)
    verdict = "proved" if derivation.proved else "NOT proved"
    cited = (
        f"; argued in prose: {', '.join(step.name for step in derivation.arguments)}" if derivation.arguments else ""
    )
    return f"{verdict}: {decided} of {len(identities)} identities decided{cited}"
