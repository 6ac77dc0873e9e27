"""That somebody says the rules by which a block algebra rewrites products of letters.

Where a claim's relation is concluded, and in every lemma of that, a rule is the relation of a premise. Of a part, which
is compared with nothing, it may be said in words: by hypotheses and definitions that speak of its letters. All rules of
a derivation hold in one model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.block_algebra import BlockAlgebra
from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.notation import as_products, transpose
from ndis_verify.symbolic.transposes import base_letter, written_transposed
from ndis_verify.symbolic.zero import as_expression, is_zero


def rule_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What is wrong with the rules that decide step k, and with those of the lemmas that it uses."""
    if not derivation.concludes:
        return
    whole = any(not end.part for end in derivation.concludes)
    for one in steps_in(derivation.steps[k]):
        if one.algebra is not None and one.algebra.rules:
            yield from _unsaid(derivation, one, one.algebra, whole=whole)
            yield from _of_model(derivation, one.algebra)
        for use in one.premises:
            if whole and isinstance(use, Use) and use.of is not None:
                yield from (f"lemma {use.lemma.id}, {text}" for text in _unsaid_in_lemma(use.lemma))


@cache
def _unsaid_in_lemma(lemma: Derivation) -> tuple[str, ...]:
    found: list[str] = []
    for step in lemma.steps:
        for one in steps_in(step):
            if one.algebra is not None:
                found += [f"step {step.name!r}: {text}" for text in _unsaid(lemma, one, one.algebra, whole=True)]
            used = [use.lemma for use in one.premises if isinstance(use, Use) and use.of is not None]
            found += [text for other in used for text in _unsaid_in_lemma(other)]
    return tuple(dict.fromkeys(found))


def _unsaid(derivation: Derivation, step: Step, algebra: BlockAlgebra, *, whole: bool) -> Iterator[str]:
    """The rules that no premise says, nor how transposes are written: as its relation or, where not the `whole` of a
    claim is concluded, in words.
    """
    said = [gap for premise in step.premises if (gap := _gap(derivation, premise)) is not None]
    variables = {symbol for end in derivation.concludes for symbol in end.symbols.values()}
    words = "" if whole else _words(derivation, algebra)
    for word, value in algebra.rules.items():
        gap = sp.expand(sp.Mul(*word) - as_expression(value))
        if any(_same(gap, one) for one in said) or written_transposed(transpose(sp.Mul(*word)), value):
            continue
        if whole or all(base_letter(one) in variables for one in word):
            yield f"no premise says the rule {sp.Mul(*word)} = {value}"
        elif silent := [one for one in word if not re.search(rf"(?<!\w){base_letter(one)}(?!\w)", words)]:
            yield f"its rules speak of {silent[0]}, and {', '.join(algebra.given) or 'nothing'} does not"


def _gap(derivation: Derivation, premise: str | Use) -> Any:
    """What an equation among the premises says to be 0."""
    use = premise if isinstance(premise, Use) else Use(premise)
    try:
        found = derivation.used(use) or derivation.supposed(use.step)
    except InputError:  # said of the use itself
        return None
    if found is None or found.lhs is None or found.relation != "=" or found.kind == "argument":
        return None
    return sp.expand(as_products(as_expression(found.lhs - found.rhs)))


def _same(gap: Any, said: Any) -> bool:
    """Whether two differences of sides are one, up to exchange of the sides and transposition."""
    return any(sp.expand(gap - one) == 0 or written_transposed(one, gap) for one in (said, -said))


def _words(derivation: Derivation, algebra: BlockAlgebra) -> str:
    """What hypotheses and definitions say from which the rules come, in words and in letters."""
    defined = [step for step in derivation.steps if step.name in algebra.given and step.kind == "definition"]
    sides = [str(side) for step in defined for side in (step.lhs, step.rhs) if side is not None]
    return " | ".join([*(h for h in derivation.given if h in algebra.given), *(one.why for one in defined), *sides])


def _of_model(derivation: Derivation, algebra: BlockAlgebra) -> Iterator[str]:
    """Rules hold in their model, which is that of all rules of the derivation."""
    if not algebra.consistent():
        yield "its rules do not hold in their model"
    for step in derivation.steps:
        for other in (one.algebra for one in steps_in(step) if one.algebra is not None and one.algebra.rules):
            if other is not algebra and (apart := _apart(algebra, other)):
                yield f"{apart[0]} is another one in the model of step {step.name!r}"


def _apart(algebra: BlockAlgebra, other: BlockAlgebra) -> list[Any]:
    """The letters that are different things in the models of two algebras."""
    shared = algebra.model.keys() & other.model.keys()
    return sorted((one for one in shared if not _is_one(algebra.model[one], other.model[one])), key=str)


def _is_one(value: Any, other: Any) -> bool:
    if isinstance(value, sp.MatrixBase) and isinstance(other, sp.MatrixBase):
        return value.shape == other.shape and all(is_zero(entry) for entry in value - other)
    return not isinstance(value - other, sp.MatrixBase) and bool(is_zero(value - other))
