"""Whether a derivation that says what it concludes is a proof of that: its premises, its facts, and its end.

The steps decide themselves (`Derivation.verify`); here is asked how they hang together. A derivation without
`concludes` is not asked yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.shapes import Shape
from ndis_verify.statements.statement import Relation, Statement
from ndis_verify.statements.terms import Term, nodes
from ndis_verify.symbolic.derivation import DECIDED, Conclusion, Derivation, Hypothesis, Step, Use, at_values, opened
from ndis_verify.symbolic.facts import FACTS, Instance
from ndis_verify.symbolic.meanings import is_meaning
from ndis_verify.symbolic.notation import anything, law
from ndis_verify.symbolic.statement_terms import definitions, expression, relations
from ndis_verify.symbolic.unknowns import equal
from ndis_verify.symbolic.zero import as_expression

_TURNED = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_WEAKER = {"=": ("=", "<=", ">="), "<": ("<", "<="), ">": (">", ">="), "<=": ("<=",), ">=": (">=",)}
_BOUNDS = {"positive": (">", 0), "nonnegative": (">=", 0), "negative": ("<", 0), "nonpositive": ("<=", 0)}


def problems(derivation: Derivation) -> list[str]:
    """What is wrong with the graph of a derivation; of one that says nothing of its conclusions, with its facts and
    inferences.
    """
    if not derivation.concludes:
        linked = [k for k, step in enumerate(derivation.steps) if step.kind in ("fact", "inference")]
        return loose_ends(derivation) or [text for k in linked for text in step_problems(derivation, k)]
    if unknown := _unknown_premises(derivation):
        return unknown
    return [
        *chain.from_iterable(step_problems(derivation, k) for k in range(len(derivation.steps))),
        *_idle_parts(derivation),
    ]


def loose_ends(derivation: Derivation) -> list[str]:
    """The problems that names alone show: premises that are none, and what nothing rests on."""
    unknown = _unknown_premises(derivation)
    return unknown or (list(_idle_parts(derivation)) if derivation.concludes else [])


def _unknown_premises(derivation: Derivation) -> list[str]:
    """Of a derivation that says nothing of its conclusions, those of its facts and inferences."""
    asked = [k for k, step in enumerate(derivation.steps) if derivation.concludes or step.kind in ("fact", "inference")]
    return [text for k in asked for text in _unknown(derivation, k)]


def _idle_parts(derivation: Derivation) -> Iterator[str]:
    yield from (f"step {name!r} is idle" for name in _idle(derivation))
    yield from (f"hypothesis {text!r} is idle" for text in _idle_hypotheses(derivation))


def lemmas(derivation: Derivation) -> dict[str, Derivation]:
    """The derivations that this one rests on, and those rest on, by id."""
    found: dict[str, Derivation] = {}
    for use in (use for step in derivation.steps for use in uses(step)):
        if use.of is not None and use.of().id not in found:
            found |= {use.of().id: use.of(), **lemmas(use.of())}
    return found


def uses(step: Step) -> list[Use]:
    inner = [use for shown in step.conditions.values() if isinstance(shown, Step) for use in uses(shown)]
    return [premise for premise in step.premises if isinstance(premise, Use)] + inner


def _named(step: Step) -> list[str]:
    """The names of steps and hypotheses that a step rests on, those of lemmas left out."""
    shown = [(_named(one) if isinstance(one, Step) else [one]) for one in step.conditions.values()]
    own = [p if isinstance(p, str) else p.step for p in step.premises if isinstance(p, str) or p.of is None]
    own += [name for use in step.premises if isinstance(use, Use) for name in use.granted.values()]
    return [*own, *chain.from_iterable(shown)]


def _unknown(derivation: Derivation, k: int) -> Iterator[str]:
    """Premises of step k that do not exist, or not yet: so there is no circle."""
    step, earlier = derivation.steps[k], {one.name for one in derivation.steps[:k]}
    for name in _named(step):
        if name not in earlier and name not in derivation.given:
            yield f"step {step.name!r}: premise {name!r} is no earlier step and no hypothesis"


def step_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What is wrong with step k and the way it uses its premises."""
    step = derivation.steps[k]
    where = f"step {step.name!r}"
    for use in uses(step):
        if problem := _of_use(derivation, use):
            yield f"{where}: {problem}"
            return
    if step.kind in DECIDED and step.lhs == step.rhs:
        yield f"{where}: both sides are {step.rhs}"
    if step.algebra is not None and (missing := [h for h in step.algebra.given if h not in step.premises]):
        yield f"{where}: its rules need the hypothesis {missing[0]!r}"
    if step.kind == "inference" and not step.premises:
        yield f"{where}: an inference without premises"
    if step.kind == "definition" and step.lhs is not None:
        yield from (f"{where}: {text}" for text in _of_definition(derivation, k))
    if step.kind == "fact":
        yield from (f"{where}: {text}" for text in _of_fact(derivation, step))


def _of_use(derivation: Derivation, use: Use) -> str:
    try:
        found = derivation.used(use)
    except InputError as error:
        return str(error)
    if use.of is None and use.step in derivation.given:
        return "" if found is not None else f"the hypothesis {use.step!r} is no relation"
    lemma = derivation if use.of is None else use.of()
    if found is not None and found.lhs is not None and (hidden := _hidden(lemma, lemma.step(use.step), use)):
        return f"{use.step!r} speaks of {hidden}, which was defined for other values"
    if use.of is None:
        return ""
    if not lemma.concludes:
        return f"lemma {lemma.id} does not say what it concludes"
    if found is None or found.lhs is None:
        return f"{use.step!r} of {lemma.id} is no relation"
    for h in lemma.hypotheses:
        if not _of_symbols(h):
            text = h if isinstance(h, str) else h.text
            shown = use.granted.get(text, text)
            if shown not in derivation.given and shown not in {step.name for step in derivation.steps}:
                return f"nothing grants the hypothesis {text!r} of {lemma.id}"
            if not _grants(derivation, shown, h, use):
                return f"{shown!r} does not say the hypothesis {text!r} of {lemma.id}"
    return ""


def _grants(derivation: Derivation, shown: str, wanted: str | Hypothesis, use: Use) -> bool:
    """Whether a step or hypothesis says what the hypothesis of a lemma does, where that is a relation, at the values of
    `use`; of words the reader decides.
    """
    relation = wanted.relation if isinstance(wanted, Hypothesis) else None
    if relation is None:
        return True
    if isinstance(relation, law):
        here = [h.relation for h in derivation.hypotheses if isinstance(h, Hypothesis) and h.text == shown]
        return at_values(relation, use.at) in here
    one = derivation.used(Use(shown))
    if one is None or one.lhs is None or one.kind == "argument":
        return False
    return _says(
        one, (at_values(relation.lhs, use.at), relation.rel_op.replace("==", "="), at_values(relation.rhs, use.at))
    )


def _hidden(derivation: Derivation, step: Step, use: Use) -> str:
    """A name in the step whose definition speaks of what `use` replaces, while the name itself does not."""
    spoken = _atoms(step.lhs) | _atoms(step.rhs)
    behind: dict[Any, set[Any]] = {}
    for one in derivation.steps:
        if one.kind == "definition" and one.lhs is not None:
            own = _atoms(one.rhs)
            behind[one.lhs] = own.union(*(behind[name] for name in own & set(behind)))
            if one.lhs in spoken and (behind[one.lhs] & set(use.at)) - _atoms(one.lhs):
                return str(one.lhs)
    return ""


def _atoms(side: Any) -> set[Any]:
    return set(as_expression(side).atoms(sp.Symbol, AppliedUndef))


def _of_definition(derivation: Derivation, k: int) -> Iterator[str]:
    """A definition gives a new name, or is what a quantity of the statement language means."""
    step, earlier = derivation.steps[k], derivation.steps[:k]
    if step.lhs == anything:
        yield f"{step.lhs} stands for any vector"
    if any(one.kind == "definition" and one.lhs == step.lhs for one in earlier):
        yield f"{step.lhs} is defined twice"
    if is_meaning(step, earlier):
        return
    if not isinstance(step.lhs, (sp.Symbol, AppliedUndef)):
        yield "defines what is no name"
        return
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) in QUANTITIES:
        yield f"is not what {step.lhs.func} means"
        return
    signs = [f"is_{sign}" for sign in _BOUNDS if getattr(step.lhs, f"is_{sign}") is True]
    unseen = [sign for sign in signs if getattr(as_expression(step.rhs), sign) is not True]
    if unseen and not _has_reason(derivation, step, unseen):
        yield f"nothing says why {step.lhs} has a sign"
    name = step.lhs.func if isinstance(step.lhs, AppliedUndef) else step.lhs
    if any(_speaks_of(one, name) for one in earlier):
        yield f"{name} was spoken of before"


def _has_reason(derivation: Derivation, step: Step, signs: list[str]) -> bool:
    """Whether the premises of a definition give its right side these signs; of those in words the reader decides."""
    found = [derivation.used(Use(p) if isinstance(p, str) else p) for p in step.premises]
    order = [one for one in found if one is not None and one.lhs is not None and one.relation != "="]
    if not order:
        return bool(step.premises)
    gaps = [sp.cancel(sp.together(one.lhs - one.rhs)) for one in order]
    shown = {_times(one.relation, sp.cancel(step.rhs / gap)) for one, gap in zip(order, gaps, strict=True)}
    wanted = {_BOUNDS[sign.removeprefix("is_")][0] for sign in signs}
    return all(any(sign in _WEAKER[one] for one in shown if one) for sign in wanted)


def _times(relation: str, factor: Any) -> str:
    """The relation to 0 of what has `relation` to 0, times a factor; empty where that has no sign."""
    if factor.is_positive:
        return relation
    return _TURNED[relation] if factor.is_negative else ""


def _speaks_of(step: Step, name: Any) -> bool:
    sides = [side for side in (step.lhs, step.rhs) if isinstance(side, (sp.Basic, sp.MatrixBase))]
    if isinstance(name, sp.Symbol):
        return any(name in side.free_symbols for side in sides)
    return any(call.func == name for side in sides for call in side.atoms(AppliedUndef))


def _of_fact(derivation: Derivation, step: Step) -> Iterator[str]:
    """The fact is in the catalogue, the step is its instance, and every condition is shown."""
    fact = FACTS.get(step.fact)
    if fact is None:
        yield f"{step.fact!r} is not in the catalogue of facts"
        return
    if set(step.letters) != set(fact.letters):
        yield f"must say what {', '.join(fact.letters)} are"
        return
    left, sign, right = fact.instance(step.letters)
    if sign != step.relation or not (equal(left, step.lhs) and equal(right, step.rhs)):
        yield f"is no instance of {step.fact!r}: {left} {sign} {right}"
    if set(step.conditions) != set(fact.conditions):
        yield f"must show exactly these conditions: {', '.join(fact.conditions)}"
    for name, shown in step.conditions.items():
        one = shown if isinstance(shown, Step) else derivation.used(shown) or derivation.supposed(shown)
        if one is not None and (one.kind == "argument" or (one.kind in DECIDED and derivation.holds(one) is not True)):
            yield f"condition {name!r} is not shown"
        elif name in fact.required and (one is None or not _says(one, fact.required[name](step.letters))):
            left, sign, right = fact.required[name](step.letters)
            wanted = f"{left} {sign} {'a finite number' if right is None else right}"
            yield f"condition {name!r} is {wanted}, which is not what shows it"


def _says(step: Step, wanted: Instance) -> bool:
    left, sign, right = wanted
    if step.lhs is None or sign not in _WEAKER[step.relation]:
        return False
    try:  # a limit that is a fact need not be taken
        same = step.lhs == left or equal(opened(step.lhs), opened(left))
    except NotImplementedError:  # SymPy cannot take one of them
        same = False
    if not same:
        return False
    return bool(step.rhs.is_finite is not False) if right is None else equal(opened(step.rhs), opened(right))


def _reached(derivation: Derivation) -> set[str]:
    """The steps and hypotheses on a path to a conclusion."""
    waiting, seen = [one.step for one in derivation.concludes], set[str]()
    names = {step.name: step for step in derivation.steps}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            if name in names:
                lent = [h for use in uses(names[name]) if use.of is not None for h in use.of().given]
                waiting += _named(names[name]) + [h for h in lent if h in derivation.given]
    return seen


def _idle(derivation: Derivation) -> list[str]:
    reached = _reached(derivation)
    return [step.name for step in derivation.steps if step.name not in reached]


def _idle_hypotheses(derivation: Derivation) -> list[str]:
    """Those that no step names; what SymPy's assumptions say need not be named."""
    reached = _reached(derivation)
    texts = [h if isinstance(h, str) else h.text for h in derivation.hypotheses if not _of_symbols(h)]
    return [text for text in texts if text not in reached]


def _of_symbols(hypothesis: str | Hypothesis) -> bool:
    if not isinstance(hypothesis, Hypothesis) or hypothesis.relation is None:
        return False
    return hypothesis.relation == sp.true  # no symbol assumes that it is a law, or how it compares to another


def unconcluded(claim_id: str, stated: Statement | None, given: Iterable[str], proofs: list[Derivation]) -> list[str]:
    """What is missing for `proofs` to prove the claim: of those that say what they conclude, and of all together.

    A proof that does not conclude the claim has to be a lemma of one that does. `given`: the claim's hypotheses. Where
    all that is concluded are parts, nothing is compared with the statement, and the evidence says which parts.
    """
    whole = bool(proofs) and all(proof.concludes for proof in proofs)
    ends = [(proof, one) for proof in proofs for one in proof.concludes if one.claim == claim_id]
    wrong, met = [], set()
    for proof, one in ends:
        if stated is None or not one.part:
            wrong += _foreign_hypotheses(proof, one, stated, tuple(given))
        if stated is not None and not one.part:
            met_here, text = concluded(proof, one, stated)
            met |= met_here
            wrong += [text] if text else []
    if whole:
        used = {id_ for proof, _ in ends for id_ in (proof.id, *lemmas(proof))}
        wrong += [f"{proof.id} concludes nothing of {claim_id}" for proof in proofs if proof.id not in used]
        if stated is not None and not all(one.part for _, one in ends):
            left = [one.plain() for one in relations(stated.claimed) if one not in met]
            wrong += [f"no proof concludes {text}" for text in left] or (
                [] if relations(stated.claimed) else ["an equivalence of this form is not compared with proofs"]
            )
    return wrong


def compared(claim_id: str, stated: Statement | None, proofs: list[Derivation]) -> bool:
    """Whether the ends of `proofs` are, by comparison, all relations of the claim's statement."""
    if stated is None or not relations(stated.claimed):
        return False
    ends = [(proof, one) for proof in proofs for one in proof.concludes if one.claim == claim_id and not one.part]
    return set(relations(stated.claimed)) <= set().union(*(concluded(proof, one, stated)[0] for proof, one in ends))


def concluded(derivation: Derivation, end: Conclusion, stated: Statement) -> tuple[set[Relation], str]:
    """The relations of `stated` that the step is, under hypotheses of `stated`, or what keeps it from being one."""
    step = derivation.step(end.step)
    name = f"{derivation.id}: {end.step!r}"
    if step.kind not in (*DECIDED, "fact"):
        return set(), f"{name} is no relation that is decided"
    if len(set(end.symbols.values())) < len(end.symbols) or not all(s.is_Symbol for s in end.symbols.values()):
        return set(), f"{name}: variables must be different symbols"
    if strange := (step.lhs.free_symbols | step.rhs.free_symbols) - set(end.symbols.values()):
        return set(), f"{name}: also speaks of {', '.join(sorted(map(str, strange)))}"
    if odd := [v for v, s in end.symbols.items() if not s.is_commutative and not _named_by_kind(v, s, stated)]:
        return set(), f"{name}: a vector is a small letter and a matrix a capital, which {odd[0]} is not"
    if flat := [v for v, s in end.symbols.items() if s.is_commutative and _has_to_be_letter(v, stated)]:
        return set(), f"{name}: laws in more than one dimension are spoken of, and {flat[0]} is no letter"
    if missing := [text for text in _assumed(end) if not _granted(text, end, stated)]:
        variable, assumption = missing[0]
        return set(), f"{name}: the statement does not say that {variable} is {assumption}"
    known = definitions(stated, end.symbols)
    found = {one for one in relations(stated.claimed) if _is_relation(step, one, known, stated.shapes)}
    return found, "" if found else f"{name} is no relation of the statement"


def _named_by_kind(variable: str, symbol: sp.Symbol, stated: Statement) -> bool:
    """Whether a letter is written as what the variable is: where blocks are told apart, a small one is a vector."""
    shapes = {v.name: v.shape for v in stated.variables}
    return variable in shapes and len(shapes[variable]) == (1 if symbol.name[0].islower() else 2)


def _has_to_be_letter(variable: str, stated: Statement) -> bool:
    """Whether it is a vector or a matrix beside a pair of normal laws, which are on the line where all is numbers."""
    laws = any(node.head == "normal_pair" for t in stated.all_terms() for node in nodes(t))
    return laws and any(v.name == variable and v.shape != () for v in stated.variables)


def _assumed(end: Conclusion) -> list[tuple[str, str]]:
    """(variable, assumption) of the symbols, the strongest of each sign; being real is part of every variable."""
    return [
        (variable, assumption)
        for variable, symbol in end.symbols.items()
        for assumption in (*_BOUNDS, "integer")
        if getattr(symbol, f"is_{assumption}") is True
    ]


def _granted(assumed: tuple[str, str], end: Conclusion, stated: Statement, seen: tuple[str, ...] = ()) -> bool:
    """Whether the statement's hypotheses, or the kind of the variable, say what the symbol assumes; `seen`: variables
    that were asked already.
    """
    variable, assumption = assumed
    if assumption == "integer":
        return any(v.name == variable and v.kind in ("integer", "integers") for v in stated.variables)
    sign, _ = _BOUNDS[assumption]
    for h in stated.hypotheses:
        for one, relation, other in ((h.left, h.sign, h.right), (h.right, _TURNED[h.sign], h.left)):
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
        left, right = (expression(side, known, shapes) for side in wanted.terms)
    except InputError:  # another relation of the statement, with variables of its own
        return False
    if wanted.sign in _WEAKER[step.relation] and _same(step.lhs, left) and _same(step.rhs, right):
        return True
    turned = _TURNED[step.relation]
    return wanted.sign in _WEAKER[turned] and _same(step.lhs, right) and _same(step.rhs, left)


def _same(side: Any, wanted: Any) -> bool:
    return equal(opened(side), opened(wanted))


def _foreign_hypotheses(
    derivation: Derivation, end: Conclusion, stated: Statement | None, given: tuple[str, ...]
) -> list[str]:
    """Hypotheses of the derivation that are not the claim's."""
    heads = set() if stated is None else {node.head for t in stated.all_terms() for node in nodes(t)}
    wrong = []
    for h in derivation.hypotheses:
        text = h.text if isinstance(h, Hypothesis) else h
        meant = isinstance(h, Hypothesis) and h.of in heads and h.text in QUANTITIES[h.of].means
        relation = h.relation if isinstance(h, Hypothesis) else None
        said = text if stated is not None else end.granted.get(text, text)
        same = said in given if stated is None or relation is None else _assumed_relation(relation, end, stated)
        if not (meant or same):
            wrong.append(f"{derivation.id}: hypothesis {text!r} is not one of {end.claim}")
    return wrong


def _assumed_relation(relation: Any, end: Conclusion, stated: Statement | None) -> bool:
    """Whether the assumptions of the symbols, which are the statement's, decide the relation, or it is stated."""
    if stated is None or relation == sp.true:
        return stated is not None
    if isinstance(relation, law):
        return any(v.kind == "law" and end.symbols.get(v.name) == relation.args[0] for v in stated.variables)
    known, gap = definitions(stated, end.symbols), relation.lhs - relation.rhs
    for h in stated.hypotheses:
        try:
            left, right = (expression(side, known, stated.shapes) for side in h.terms)
        except InputError:
            continue
        for sign, stated_gap in ((h.sign, left - right), (_TURNED[h.sign], right - left)):
            if relation.rel_op.replace("==", "=") in _WEAKER[sign] and equal(stated_gap, gap):
                return True
    return False
