"""Whether the end of a proof is the claim's statement: its relations by comparison, under hypotheses of the claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp

from ndis_verify.court.proof_hypotheses import is_meant, is_read, says
from ndis_verify.court.proof_paths import lemmas, reached
from ndis_verify.court.proof_relations import BOUNDS, TURNED, WEAKER
from ndis_verify.court.proof_sizes import misfit
from ndis_verify.court.statement_values import values_missing
from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.shapes import Shape
from ndis_verify.statements.statement import Relation, Statement
from ndis_verify.statements.terms import Term, nodes
from ndis_verify.symbolic.derivation import DECIDED, Conclusion, Derivation, Hypothesis, Step
from ndis_verify.symbolic.notation import anything, definite, law, positive_definite, scalar, transpose
from ndis_verify.symbolic.scopes import unheard
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.statement_terms import definitions, expression, lettered, relations
from ndis_verify.symbolic.transposes import is_marked, is_symmetric
from ndis_verify.symbolic.unknowns import equal

_TAKEN = {anything: "any vector", definite: "any positive definite matrix"}


def unconcluded(claim_id: str, stated: Statement | None, given: Iterable[str], proofs: list[Derivation]) -> list[str]:
    """What is missing for `proofs` to prove the claim: of those that say what they conclude, and of all together.

    A proof that does not conclude the claim has to be a lemma of one that does: where every proof says what it
    concludes, and where the statement is ended in by comparison, beside which nothing stands on its word. `given`: the
    claim's hypotheses. Where all that is concluded are parts, nothing is compared with the statement, and the evidence
    says which parts.
    """
    whole = bool(proofs) and all(proof.concludes for proof in proofs)
    wanted = set() if stated is None else set(relations(stated.claimed))
    ends = [(proof, one) for proof in proofs for one in proof.concludes if one.claim == claim_id]
    wrong: list[str] = []
    met: set[Relation] = set()
    for proof, one in ends:
        wrong += _foreign_hypotheses(proof, one, stated, tuple(given))
        if stated is not None and not one.part:
            met_here, text = _matched(proof, one, stated)
            met |= met_here
            wrong += [text] if text else []
    if whole or (wanted and wanted <= met):
        used = {id_ for proof, _ in ends for id_ in (proof.id, *lemmas(proof))}
        wrong += [f"{proof.id} concludes nothing of {claim_id}" for proof in proofs if proof.id not in used]
    if whole and stated is not None and not all(one.part for _, one in ends):
        left = [one.plain() for one in relations(stated.claimed) if one not in met]
        wrong += [f"no proof concludes {text}" for text in left] or (
            [] if wanted else ["an equivalence of this form is not compared with proofs"]
        )
    if wrong or stated is None:
        return wrong
    return [text for proof, one in ends if not one.part and (text := concluded(proof, one, stated)[1])]


def compared(claim_id: str, stated: Statement | None, proofs: list[Derivation]) -> bool:
    """Whether the ends of `proofs` are, by comparison, all relations of the claim's statement."""
    if stated is None or not relations(stated.claimed):
        return False
    ends = [(proof, one) for proof in proofs for one in proof.concludes if one.claim == claim_id and not one.part]
    return set(relations(stated.claimed)) <= set().union(*(concluded(proof, one, stated)[0] for proof, one in ends))


_Found = tuple[frozenset[Relation], str]  # relations of a statement, or what keeps a step from being one
_OfEnds = WeakKeyDictionary[Derivation, dict[tuple[Conclusion, Statement], _Found]]
_MATCHED: _OfEnds = WeakKeyDictionary()
_CONCLUDED: _OfEnds = WeakKeyDictionary()


def concluded(derivation: Derivation, end: Conclusion, stated: Statement) -> _Found:
    """The relations of `stated` that the step is, under hypotheses of `stated` by which they have values, or what keeps
    it from being one.

    Asked once of the same three: the verdict, the page of the claim and the graph of the ledger ask in turn.
    """
    known = _CONCLUDED.setdefault(derivation, {})
    if (end, stated) not in known:
        found, text = _matched(derivation, end, stated)
        if found and (missing := next(values_missing(derivation, end, stated, found), "")):
            found, text = frozenset(), f"{derivation.id}: {end.step!r}: {missing}"
        known[end, stated] = found, text
    return known[end, stated]


def _matched(derivation: Derivation, end: Conclusion, stated: Statement) -> _Found:
    """The same, whether they have values or not, which takes longer to tell."""
    known = _MATCHED.setdefault(derivation, {})
    if (end, stated) not in known:
        found, text = _relations_of(derivation, end, stated)
        known[end, stated] = frozenset(found), text
    return known[end, stated]


def _relations_of(derivation: Derivation, end: Conclusion, stated: Statement) -> tuple[set[Relation], str]:
    step = derivation.step(end.step)
    name = f"{derivation.id}: {end.step!r}"
    if step.kind not in (*DECIDED, "fact"):
        return set(), f"{name} is no relation that is decided"
    if len(set(end.symbols.values())) < len(end.symbols) or not all(s.is_Symbol for s in end.symbols.values()):
        return set(), f"{name}: variables must be different symbols"
    if taken := [s for s in end.symbols.values() if s in _TAKEN]:
        return set(), f"{name}: a variable must be another symbol than {taken[0]}, which stands for {_TAKEN[taken[0]]}"
    if strange := (step.lhs.free_symbols | step.rhs.free_symbols) - {*end.symbols.values(), anything}:
        return set(), f"{name}: also speaks of {', '.join(sorted(map(str, strange)))}"
    if odd := [v for v, s in end.symbols.items() if not s.is_commutative and not _named_by_kind(v, s, stated)]:
        return set(), f"{name}: a vector is a small letter and a matrix a capital, which {odd[0]} is not"
    if flat := [v for v, s in end.symbols.items() if s.is_commutative and _has_to_be_letter(v, stated)]:
        return set(), f"{name}: an array is spoken of as a whole, and {flat[0]} is no letter"
    if more := [f"{v} is {', '.join(unheard(s))}" for v, s in end.symbols.items() if unheard(s)]:
        return set(), f"{name}: the statement does not say that {more[0]}"
    if missing := [text for text in _assumed(end) if not _granted(text, end, stated)]:
        variable, assumption = missing[0]
        return set(), f"{name}: the statement does not say that {variable} is {assumption}"
    if text := misfit(derivation, end.symbols, {v.name: v.shape for v in stated.variables}):
        return set(), f"{name}: {text}"
    known = definitions(stated, end.symbols)
    found = {one for one in relations(stated.claimed) if _is_relation(step, one, known, stated.shapes)}
    return found, "" if found else f"{name} is no relation of the statement"


def _named_by_kind(variable: str, symbol: sp.Symbol, stated: Statement) -> bool:
    """Whether a letter is written as what the variable is: where blocks are told apart, a small one is a vector."""
    shapes = {v.name: v.shape for v in stated.variables}
    by_name = 1 if symbol.name[0].islower() else 2
    return variable in shapes and len(shapes[variable]) == by_name and not is_marked(symbol)


def _has_to_be_letter(variable: str, stated: Statement) -> bool:
    """Whether it is a vector or a matrix that is spoken of otherwise than by its coordinates: no number is like it."""
    if not any(v.name == variable and v.shape != () for v in stated.variables):
        return False
    spoken = [node for t in stated.all_terms() for node in nodes(t)]
    by_coordinates = [arg for node in spoken if node.head in QUANTITIES for arg in node.args[: _vectors(node)]]
    return _times_named(variable, spoken) > _times_named(variable, by_coordinates)


def _vectors(term: Term) -> int:
    return QUANTITIES[term.head].vectors


def _times_named(variable: str, terms: list[Term]) -> int:
    return sum(term.head == "variable" and term.name == variable for term in terms)


def _assumed(end: Conclusion) -> list[tuple[str, str]]:
    """(variable, assumption) of the symbols, the strongest of each sign; being real is part of every variable."""
    return [
        (variable, assumption)
        for variable, symbol in end.symbols.items()
        for assumption in (*BOUNDS, "integer")
        if getattr(symbol, f"is_{assumption}") is True
    ]


def _granted(assumed: tuple[str, str], end: Conclusion, stated: Statement, seen: tuple[str, ...] = ()) -> bool:
    """Whether the statement's hypotheses, or the kind of the variable, say what the symbol assumes; `seen`: variables
    that were asked already.
    """
    variable, assumption = assumed
    if assumption == "integer":
        return any(v.name == variable and v.kind in ("integer", "integers") for v in stated.variables)
    sign, _ = BOUNDS[assumption]
    for h in stated.hypotheses:
        for one, relation, other in ((h.left, h.sign, h.right), (h.right, TURNED[h.sign], h.left)):
            if one.head == other.head == "variable" and one.name == variable and relation[0] == sign[0]:
                if other.name not in seen and _granted((other.name, assumption), end, stated, (*seen, variable)):
                    return True
            if one.head == "variable" and one.name == variable and relation == ">=" and sign[0] == ">":
                if _positive(other, end, stated, (*seen, variable)):
                    return True
        if h.left.head in ("variable", "coordinate") and h.left.name == variable and h.right.head == "number":
            bound, strict = h.right.number, len(sign) == 1
            same = h.sign[0] == sign[0]
            beyond = bound > 0 if sign[0] == ">" else bound < 0
            if same and (beyond or (bound == 0 and (not strict or len(h.sign) == 1))):
                return True
    return False


def _positive(term: Term, end: Conclusion, stated: Statement, seen: tuple[str, ...]) -> bool:
    """Whether a term is positive because the hypotheses make all of its variables so, none of which is in `seen`."""
    names = {node.name for node in nodes(term) if node.head == "variable"}
    if not names or names & set(seen) or not all(_granted((one, "positive"), end, stated, seen) for one in names):
        return False
    return expression(term, {one: sp.Symbol(one, positive=True) for one in names}).is_positive is True


def _is_relation(step: Step, wanted: Relation, known: dict[str, Any], shapes: Mapping[str, Shape]) -> bool:
    """Whether the step says what the statement's relation says, or more."""
    try:
        left, right = (lettered(expression(side, known, shapes)) for side in wanted.terms)
    except InputError:  # another relation of the statement, with variables of its own
        return False
    if wanted.sign in ("<=", ">=") and not (left - right).is_commutative:
        return _is_order(step, right - left if wanted.sign == "<=" else left - right)
    if wanted.sign in WEAKER[step.relation] and _same(step.lhs, left) and _same(step.rhs, right):
        return True
    turned = TURNED[step.relation]
    return wanted.sign in WEAKER[turned] and _same(step.lhs, right) and _same(step.rhs, left)


def _is_order(step: Step, gap: Any) -> bool:
    """Whether the step says that the form of a matrix, which is written as its own transpose, is nowhere negative."""
    symmetric = not gap.is_commutative and equal(transpose(gap), gap)
    return bool(symmetric and step.relation in (">=", ">") and step.rhs == 0 and _same(step.lhs, _form(gap)))


def _same(side: Any, wanted: Any) -> bool:
    return equal(opened(side), opened(wanted))


def _foreign_hypotheses(
    derivation: Derivation, end: Conclusion, stated: Statement | None, given: tuple[str, ...]
) -> list[str]:
    """Hypotheses of the derivation that are not the claim's; what is a part may say under which it holds, of those that
    it rests on.
    """
    heads = set() if stated is None else {node.head for t in stated.all_terms() for node in nodes(t)}
    wrong = []
    distinct = len(set(end.symbols.values())) == len(end.symbols)
    gaps = _stated_gaps(stated, definitions(stated, end.symbols)) if stated is not None and distinct else []
    asked = reached(derivation, [end.step]) if end.part else set(derivation.given)
    for h in derivation.hypotheses:
        text = h.text if isinstance(h, Hypothesis) else h
        relation = h.relation if isinstance(h, Hypothesis) else None
        meant = isinstance(h, Hypothesis) and h.of in heads and is_meant(h)
        said = end.granted.get(text, text) if relation is None and (end.part or stated is None) else text
        if stated is None or relation is None:
            same = said in given and is_read(text, relation)
        else:
            same = _assumed_relation(relation, end, stated, gaps)
        if end.part:
            same |= is_read(text, relation) and any(says(one, said) for one in (*given, end.part))
        if text in asked and not (meant or same):
            wrong.append(f"{derivation.id}: hypothesis {text!r} is not one of {end.claim}")
    return wrong


def _stated_gaps(stated: Statement, known: dict[str, Any]) -> list[tuple[str, Any]]:
    """(sign, what has it) of the hypotheses of `stated`, from both sides."""
    found = []
    for h in stated.hypotheses:
        try:
            left, right = (expression(side, known, stated.shapes) for side in h.terms)
        except InputError:
            continue
        sign: str = h.sign
        if not (left - right).is_commutative:  # the form at the zero vector is 0 where it is definite, too
            left, right, sign = _form(left - right), 0, WEAKER[h.sign][-1]
        found += [(sign, left - right), (TURNED[sign], right - left)]
    return found


def _assumed_relation(relation: Any, end: Conclusion, stated: Statement | None, gaps: list[tuple[str, Any]]) -> bool:
    """Whether the assumptions of the symbols, which are the statement's, decide the relation, or it is stated: as one
    of `gaps`, if it is about numbers.
    """
    if stated is None or relation == sp.true:
        return stated is not None
    if isinstance(relation, law):
        return any(v.kind == "law" and end.symbols.get(v.name) == relation.args[0] for v in stated.variables)
    orthogonal = (end.symbols.get(v.name) for v in stated.variables if v.kind == "orthogonal")
    if any(_says_orthogonal(relation, one) for one in orthogonal if one is not None and not one.is_commutative):
        return True
    if isinstance(relation, positive_definite):
        known = definitions(stated, end.symbols)
        return any(_is_definite(h, known, stated.shapes, relation.args[0]) for h in stated.hypotheses)
    wanted, gap = relation.rel_op.replace("==", "="), relation.lhs - relation.rhs
    return any(wanted in WEAKER[sign] and equal(stated_gap, gap) for sign, stated_gap in gaps)


def _says_orthogonal(relation: Any, matrix: Any) -> bool:
    """Whether a relation says that the transpose of a matrix is its inverse, from one of its sides."""
    products = (transpose(matrix) * matrix, matrix * transpose(matrix))
    return isinstance(relation, sp.Eq) and relation.rhs == 1 and relation.lhs in products


def _is_definite(h: Relation, known: dict[str, Any], shapes: Mapping[str, Shape], matrix: Any) -> bool:
    """Whether a hypothesis of the statement says that a matrix, written as its own transpose, is more than 0."""
    try:
        left, right = (lettered(expression(side, known, shapes)) for side in h.terms)
    except InputError:
        return False
    gap = left - right if h.sign == ">" else right - left
    return h.sign in (">", "<") and not gap.is_commutative and is_symmetric(gap) and equal(gap, lettered(matrix))


def _form(matrix: Any) -> Any:
    """Of a matrix that is not less than 0, or more than that: its form at any vector, which is not negative."""
    return scalar(transpose(anything) * lettered(matrix) * anything)
