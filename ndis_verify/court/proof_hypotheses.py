"""What hypotheses say: whether one stands in a text, and is the relation that a proof takes it for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.reading import read_relation
from ndis_verify.statements.statement import Relation
from ndis_verify.statements.terms import nodes
from ndis_verify.symbolic.derivation import Derivation, Hypothesis
from ndis_verify.symbolic.notation import scalar, where
from ndis_verify.symbolic.statement_terms import expression, lettered, quantity
from ndis_verify.symbolic.unknowns import equal

_SIGNS = re.compile(r"( (?:[<>]=?|=|in) )")
_BEFORE = r"(?:^|[,;:(]\s|[.]\s|(?<!\bnot )\b(?:and|for|if|of|where|with)\s)"
_AFTER = r"(?:$|[,;:.)](?:\s|$)|\sand\b)"
_REAL = re.compile(r"real \w+(?:, \w+)*")  # which is asked of every symbol
_TURNED = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SQUARE = re.compile(r"scalar\((?:transpose\()?(\w+)(?:\)|\^T)\*\1\) <= l(?:2|\*\*2)")
_GREEK = {"lam": "lambda", "eps": "epsilon"}


def misread(derivation: Derivation) -> Iterator[str]:
    """Hypotheses whose text is another relation between the symbols of the one that they are taken for.

    Where a text speaks of what the claim alone gives a name the relation is compared with the claim (`proof_ends`).
    """
    for h in derivation.hypotheses:
        if isinstance(h, Hypothesis) and h.relation == sp.true and not (links(h.text) or _REAL.fullmatch(h.text)):
            yield f"hypothesis {h.text!r} says no relation, and is taken for one that symbols make true"
        if isinstance(h, Hypothesis) and isinstance(h.relation, sp.core.relational.Rel):
            if all(_is(said, h.relation) is False for said in links(h.text) or [h.text]):
                yield f"hypothesis {h.text!r} is taken for {h.relation}"


def in_words(derivation: Derivation) -> list[str]:
    """The hypotheses that no relation stands for: their words are what they say."""
    return [
        h if isinstance(h, str) else h.text for h in derivation.hypotheses if isinstance(h, str) or h.relation is None
    ]


def is_read(text: str, relation: Any) -> bool:
    """Whether a text alone says the relation of a hypothesis, every name in it being one of the relation's."""
    if not isinstance(relation, sp.core.relational.Rel):
        return True
    return any(_is(said, relation) for said in links(text) or [text])


def links(text: str) -> list[str]:
    """The relations that a chain of them is made of."""
    chain = _SIGNS.split(text.partition(": ")[0])
    return ["".join(chain[k : k + 3]) for k in range(0, len(chain) - 2, 2)]


def says(text: str, hypothesis: str) -> bool:
    """Whether a hypothesis stands in a text word for word, two words at least; a relation as one link of a chain, or
    between words.
    """
    wanted = re.escape(hypothesis)
    if not _SIGNS.search(hypothesis):
        found = re.search(rf"(?<!\w)(?<!\bno )(?<!\bnot ){wanted}(?!\w)", text, re.IGNORECASE)
        return " " in hypothesis and found is not None
    return hypothesis in links(text) or re.search(_BEFORE + wanted + _AFTER, text) is not None


def is_meant(hypothesis: Hypothesis) -> bool:
    """Whether it is what the meaning of its quantity says."""
    known = QUANTITIES.get(hypothesis.of)
    return known is not None and hypothesis.relation is None and says(known.means, hypothesis.text)


def _is(said: str, relation: Any) -> bool | None:
    """Whether a text says the relation; None where it speaks of what the relation does not."""
    if said.endswith("norm at most l"):
        return relation.rel_op == "<=" and _SQUARE.fullmatch(str(relation)) is not None
    for k, mass in enumerate(sorted(relation.atoms(where), key=str)):
        said, relation = said.replace(_of_a_set(mass), f"mass_{k}"), relation.xreplace({mass: sp.Symbol(f"mass_{k}")})
    symbols = {str(symbol): symbol for symbol in relation.free_symbols}
    try:
        read = read_relation(re.sub("= I$", "= 1", said))
        known = {name: symbols.get(_GREEK.get(name, name)) for name in _names(read)}
        if None in known.values():
            return None
        left, right = (lettered(expression(side, known)) for side in read.terms)
    except InputError:
        return False
    gap, wanted = relation.lhs - relation.rhs, relation.rel_op.replace("==", "=")
    if gap.is_commutative:
        left, right = (side if side.is_commutative else scalar(side) for side in (left, right))
    ways = ((read.sign, left - right), (_TURNED[read.sign], right - left))
    return any(sign == wanted and (equal(way, gap) or equal(_plain(way), _plain(gap))) for sign, way in ways)


def _of_a_set(mass: Any) -> str:
    """P(S), of the integral of p where s >= 0."""
    law, chosen = (str(part.func).upper() for part in mass.args)
    return f"{law}({chosen})"


def _names(read: Relation) -> set[str]:
    return {node.name for side in read.terms for node in nodes(side) if node.head in ("variable", "coordinate")}


def _plain(side: Any) -> Any:
    """With the vector in the place of its coordinate, where a derivation looks at one coordinate alone."""
    head = quantity("coordinate", sp.Symbol("x", real=True)).func
    return side.replace(head, lambda vector: vector) if isinstance(side, sp.Expr) else side
