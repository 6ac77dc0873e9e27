"""A derivation: named steps, each an equation or inequality that SymPy decides, ending in a computable expression.

The number comes from the right-hand side of one of the steps, so derivation and number cannot drift apart; a
fault planted in a step is a fault in what `verify` checks. A derivation that says what it `concludes` is a graph: every
step that does not stand on itself names its premises, and the court holds it to that (`court.proof_structure`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError, exact
from ndis_verify.symbolic import typeset
from ndis_verify.symbolic.block_algebra import BlockAlgebra
from ndis_verify.symbolic.notation import anything, as_products, summed, total
from ndis_verify.symbolic.numbers_of_derivations import require_domain, settled
from ndis_verify.symbolic.scopes import unbound
from ndis_verify.symbolic.sides import at_values, has_sign, opened, put_in, sign_of, signs_give
from ndis_verify.symbolic.unknowns import follows
from ndis_verify.symbolic.zero import as_expression, is_zero, zero_at_points

StepKind = Literal["definition", "identity", "inference", "fact", "argument"]
_RELATIONS = {"=": sp.Eq, ">=": sp.Ge, ">": sp.Gt, "<=": sp.Le, "<": sp.Lt}
DECIDED = ("identity", "inference")


@dataclass(frozen=True, eq=False)
class Use:
    """A premise: `step` of this derivation, or of the lemma `of`, at special values of its symbols; or the relation of
    the hypothesis `step` of this derivation, at a vector where it is made of any vector.

    `at`: symbol, or call of an unknown function, -> expression, which has to have its assumptions. `weight`: the
    factor, of known sign, by which an inequality enters an inference; 0 where it says only that what is divided by is
    not 0. `granted`: hypothesis of the lemma -> the hypothesis or the step that says the same here, where it is not a
    hypothesis here word for word. `between`: two products of letters; the equation enters multiplied by them from left
    and right.
    """

    step: str
    of: Callable[[], Derivation] | None = None
    at: Mapping[Any, Any] = field(default_factory=dict)
    weight: Any = 1
    granted: Mapping[str, str] = field(default_factory=dict)
    between: tuple[Any, Any] | None = None

    @cached_property
    def lemma(self) -> Derivation:
        """The derivation that `of` builds, asked for once: what is looked at is what is used."""
        if self.of is None:
            raise InputError("of", "None", "is a step of this derivation, and of no lemma")
        return self.of()


@dataclass(frozen=True, eq=False)
class Step:
    """One line of a derivation: `lhs relation rhs`, and why.

    kind "identity": decided by itself. An equation holds when `reduce(lhs, rhs)`, by default lhs - rhs, is zero, and
    lhs - rhs is at sample points; with `algebra` it is decided by that block algebra's rules. An inequality holds when
    lhs - rhs equals `witness` identically and SymPy's assumptions give `witness` the sign.
    kind "inference": decided from its premises (`Derivation.holds`): an equation when the premises' equations, put in
    one after the other, make both sides equal; an inequality when lhs - rhs is then the sum of the differences of the
    premises' inequalities, each times its weight.
    kind "fact": an entry of `symbolic.facts`, `fact`, of which `letters` says what its letters are here, and
    `conditions` what shows each condition: a step or a hypothesis by name, or a step of its own.
    kind "definition": introduces notation, asserts nothing. kind "argument": prose, never counted as decided.
    `premises`: names of earlier steps, hypotheses word for word, and `Use`s.
    """

    name: str
    why: str
    lhs: Any = None
    rhs: Any = None
    relation: str = "="
    witness: Any = None
    reduce: Callable[[Any, Any], Any] | None = None
    algebra: BlockAlgebra | None = None
    kind: StepKind = "identity"
    premises: tuple[str | Use, ...] = ()
    fact: str = ""
    letters: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, str | Step] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise InputError("relation", self.relation, "must be one of =, >=, >, <=, <")
        if self.kind in DECIDED and (self.lhs is None or self.rhs is None):
            raise InputError("step", self.name, f"an {self.kind} needs both sides")
        if (self.kind == "fact") != bool(self.fact):
            raise InputError("step", self.name, "must name its fact exactly where it is one")
        if self.reduce is not None and self.algebra is not None:
            raise InputError("step", self.name, "is decided by `reduce` or by an algebra")
        if self.kind == "identity" and self.relation != "=" and self.witness is None:
            raise InputError("step", self.name, "an inequality needs a witness")

    @property
    def statement(self) -> Any:
        """What a reader is shown: a SymPy relation, or the sentence where the step is prose."""
        if self.lhs is None:
            return self.why
        left, right = (
            sp.ImmutableMatrix(s) if isinstance(s, sp.MatrixBase) else as_expression(s) for s in (self.lhs, self.rhs)
        )
        if self.relation == "=":
            return sp.Eq(left, right, evaluate=False)
        return _RELATIONS[self.relation](left, right, evaluate=False)

    @property
    def text(self) -> str:
        """The statement on one line of plain text."""
        if self.lhs is None:
            return self.why
        return f"{self.lhs} {self.relation} {self.rhs}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {typeset.relation_tex(self)}$" if self.lhs is not None else self.why

    def _repr_html_(self) -> str:
        return typeset.step_html(self)

    def residual(self) -> Any:
        """The expression whose being zero the step asserts, derivatives and limits taken."""
        if self.kind != "identity":
            raise InputError("step", self.name, f"a step of kind {self.kind} asserts nothing that is decided")
        left, right = opened(self.lhs), opened(self.rhs)
        difference = left - right if self.reduce is None else self.reduce(left, right)
        return difference if self.relation == "=" else difference - self.witness

    @cached_property
    def holds(self) -> bool | None:
        """True, False, or None: undecided, not decided without its premises, or not a step that asserts anything."""
        if self.kind != "identity":
            return None
        if self.algebra is not None:
            outcome = self.algebra.holds(as_products(self.residual()))
        else:
            outcome = is_zero(self.residual())
        if outcome is True and self.reduce is not None:
            flat = all(one.is_commutative for side in (self.lhs, self.rhs) for one in as_expression(side).free_symbols)
            outcome = _zero_as_written(self) if flat else None  # letters are decided by their algebra
        if outcome is not True or self.relation == "=":
            return outcome
        return has_sign(as_expression(self.witness), self.relation)


def steps_in(step: Step) -> Iterator[Step]:
    """A step, and those that stand in its conditions."""
    yield step
    for shown in step.conditions.values():
        if isinstance(shown, Step):
            yield from steps_in(shown)


def named(step: Step) -> list[str]:
    """The names of steps and hypotheses that a step rests on, those of lemmas left out."""
    shown = [(named(one) if isinstance(one, Step) else [one]) for one in step.conditions.values()]
    own = [p if isinstance(p, str) else p.step for p in step.premises if isinstance(p, str) or p.of is None]
    own += [name for use in step.premises if isinstance(use, Use) for name in use.granted.values()]
    return [*own, *chain.from_iterable(shown)]


def _rests_on(step: Step, target: Step) -> bool:
    """Whether what is decided of a step depends on `target`: it is that step, or has it among its premises."""
    own = {premise.step if isinstance(premise, Use) else premise for premise in step.premises}
    return target.name in {step.name, *own}


def _zero_as_written(step: Step) -> bool | None:
    """Whether the difference of the sides is 0 at sample points, whatever `reduce` makes of it; sums are taken where it
    has a value at none.
    """
    gap = as_expression(opened(step.lhs) - opened(step.rhs) - (0 if step.relation == "=" else step.witness))
    outcome = zero_at_points(gap)
    return zero_at_points(gap.doit()) if outcome is None else outcome


@dataclass(frozen=True, eq=False)
class Conclusion:
    """A step whose relation is one of the relations of a claim.

    `symbols`: variable of the claim's statement -> symbol of the derivation; the court translates the statement and
    compares. `part`: what of the claim it is, in words, where it is less than one of its relations; no relation is
    compared then, and the verdict's evidence says so, and under which further hypotheses it holds. `granted`, of a part
    or of a claim that is a text: hypothesis -> words of the claim that say it.
    """

    claim: str
    step: str
    symbols: Mapping[str, sp.Symbol] = field(default_factory=dict)
    part: str = ""
    granted: Mapping[str, str] = field(default_factory=dict)


def parts(
    claims: Iterable[str], ends: Mapping[str, str], granted: Mapping[str, str] | None = None
) -> tuple[Conclusion, ...]:
    """That steps are parts of each of the claims: `ends`, step -> which part."""
    known = granted or {}
    return tuple(Conclusion(claim, end, part=part, granted=known) for claim in claims for end, part in ends.items())


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis that a claim's statement makes: as a relation, or as what the meaning of its quantity `of` says."""

    text: str
    relation: Any = None
    of: str = ""


@dataclass(frozen=True, eq=False)
class Fault:
    """A planted error: in step `step`, the right-hand side becomes `change(rhs)`."""

    name: str
    step: str
    change: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Derivation:
    """Steps from hypotheses to `result`, the right-hand side of step `result_step`.

    `symbols` maps each argument of `number` to its symbol; `domain` are relations between them that must hold
    beyond their declared assumptions. `concludes` says which steps are relations of which claims, or parts of what
    they say.
    """

    id: str
    title: str
    sources: tuple[str, ...]
    hypotheses: tuple[str | Hypothesis, ...]
    steps: tuple[Step, ...]
    result_step: str
    symbols: Mapping[str, sp.Symbol]
    domain: tuple[Any, ...] = ()
    faults: tuple[Fault, ...] = ()
    concludes: tuple[Conclusion, ...] = ()

    def __post_init__(self) -> None:
        names = [step.name for step in self.steps]
        if len(set(names)) != len(names):
            raise InputError("steps", self.id, "step names must be distinct")
        for name in (*(fault.step for fault in self.faults), *(end.step for end in self.concludes)):
            self.step(name)
        missing = as_expression(self.result).free_symbols - set(self.symbols.values())
        if missing:
            raise InputError("symbols", self.id, f"the result also has {sorted(map(str, missing))}")

    def step(self, name: str) -> Step:
        """The step called `name`."""
        for step in self.steps:
            if step.name == name:
                return step
        raise InputError("step", name, f"must be one of {[step.name for step in self.steps]}")

    @property
    def result(self) -> sp.Expr:
        """The expression that the derivation ends in."""
        return self.step(self.result_step).rhs

    @property
    def given(self) -> tuple[str, ...]:
        """The hypotheses in words."""
        return tuple(h.text if isinstance(h, Hypothesis) else h for h in self.hypotheses)

    @property
    def claims(self) -> Mapping[str, str]:
        """Claim -> how much of it this derivation carries."""
        parts: dict[str, list[str]] = {}
        for end in self.concludes:
            parts.setdefault(end.claim, []).append(end.part)
        return {
            claim: f"part: {'; '.join(dict.fromkeys(own))}" if all(own) else "concluded" for claim, own in parts.items()
        }

    @cached_property
    def names(self) -> frozenset[Any]:
        """What definitions define, here and in lemmas."""
        own = (step.lhs for step in self.steps if step.kind == "definition" and step.lhs is not None)
        uses = [p for step in self.steps for one in steps_in(step) for p in one.premises if isinstance(p, Use)]
        return frozenset(own).union(*(use.lemma.names - {*use.at} for use in uses if use.of is not None))

    def supposed(self, hypothesis: str) -> Step | None:
        """The relation that a hypothesis is, where it is one that its symbols' assumptions alone do not decide."""
        for h in self.hypotheses:
            relation = h.relation if isinstance(h, Hypothesis) and h.text == hypothesis else None
            if isinstance(relation, sp.core.relational.Relational):
                sign = relation.rel_op.replace("==", "=")
                return Step(hypothesis, hypothesis, relation.lhs, relation.rhs, sign, kind="definition")
        return None

    def used(self, premise: str | Use) -> Step | None:
        """The step that a premise is, at the values of its `Use`; None for a hypothesis."""
        if premise in self.given:
            return None
        use = premise if isinstance(premise, Use) else Use(premise)
        if use.of is None and use.step in self.given:
            if set(use.at) - {anything}:
                raise InputError("at", str(set(use.at)), "of a hypothesis must be a vector in the place of any vector")
            step = self.supposed(use.step)
        else:
            whole = self if use.of is None else use.lemma
            step = whole.step(use.step)
            if use.at and (held := whole.fixed(use.step) & set(use.at)) and (use.of is None or held & whole.names):
                raise InputError("at", str(min(held, key=str)), f"is not free in {use.step!r}")
        return (
            dataclasses.replace(step, lhs=at_values(step.lhs, use.at), rhs=at_values(step.rhs, use.at))
            if use.at and step is not None
            else step
        )

    def holds(self, step: Step) -> bool | None:
        """Whether a step is true, by itself or, of an inference, by its premises; None where that is not decided."""
        if step.kind != "inference":
            return step.holds
        if step not in self._inferences:
            self._inferences[step] = self._inferred(step)
        return self._inferences[step]

    @cached_property
    def _inferences(self) -> dict[Step, bool | None]:
        """By step: one in the conditions of another may have the name of a third."""
        return {}

    def _inferred(self, step: Step) -> bool | None:
        uses = [p if isinstance(p, Use) else Use(p) for p in step.premises if p not in self.given]
        known = [(use, found) for use in uses if (found := self.used(use)) is not None and found.lhs is not None]
        sides, signs = [step.lhs, step.rhs], []
        for use, found in known:
            if found.relation != "=" and use.weight != 0:
                sides[0] -= use.weight * (found.lhs - found.rhs)
                signs.append(sign_of(use.weight, found.relation))
        sandwiched = sp.Integer(0)
        for use, found in known:
            if found.relation == "=" and use.between is not None:
                sandwiched += use.between[0] * (found.lhs - found.rhs) * use.between[1]
            elif found.relation == "=":
                fixed = self.fixed(use)
                sides = [put_in(as_expression(side), found.lhs, found.rhs, fixed) for side in sides]
        gap = opened(sides[0] - sides[1])
        outcome = follows(gap) if step.algebra is None else step.algebra.holds(as_products(gap) - sandwiched)
        return outcome if outcome is not True else signs_give(step.relation, signs)

    def mark_decided(self) -> None:
        """Take every step that asserts something for true, which another process of one run has found
        (`court.proofs_of_a_run`); a fault that is planted later shares what it does not change.
        """
        for step in self.steps:
            if step.kind == "identity":
                vars(step)["holds"] = True
            elif step.kind == "inference":
                self._inferences[step] = True

    def fixed(self, premise: str | Use) -> frozenset[Any]:
        """The symbols at whose every value a step or hypothesis does not hold: of the hypotheses that it rests on and,
        as names, of the definitions.
        """
        if isinstance(premise, Use) and premise.of is not None:
            lemma = premise.lemma
            shown = [self.fixed(premise.granted.get(text, text)) for text in lemma.given]
            return (lemma.fixed(premise.step) - set(premise.at)).union(*shown)
        name = premise.step if isinstance(premise, Use) else premise
        if name not in self._fixed:
            self._fixed[name] = frozenset()  # what rests on itself is a fault of its own
            supposed = self.supposed(name)
            if supposed is not None:
                sides = [as_expression(side) for side in (supposed.lhs, supposed.rhs)]
                self._fixed[name] = frozenset().union(*map(unbound, sides))
            elif name not in self.given:
                self._fixed[name] = frozenset().union(*(self.fixed_in(s) for s in self.steps if s.name == name))
        return self._fixed[name]

    def fixed_in(self, step: Step) -> frozenset[Any]:
        """The same of a step that may stand in the conditions of another one."""
        shown = [self.fixed_in(one) if isinstance(one, Step) else self.fixed(one) for one in step.conditions.values()]
        own = {step.lhs} if step.kind == "definition" and isinstance(step.lhs, (sp.Symbol, AppliedUndef)) else set()
        own |= {call for name in own if isinstance(name, (total, summed)) for call in name.args}  # a density is one
        return frozenset(own).union(*shown, *map(self.fixed, step.premises))

    @cached_property
    def _fixed(self) -> dict[str, frozenset[Any]]:
        return {}

    def verify(self) -> list[tuple[Step, bool | None]]:
        """Every step with True, False, or None (undecided, a definition, a fact or an argument)."""
        return [(step, self.holds(step)) for step in self.steps]

    @property
    def proved(self) -> bool:
        """Whether every step that asserts something was decided True."""
        return all(self.holds(step) is True for step in self.steps if step.kind in DECIDED)

    def _repr_html_(self) -> str:
        return typeset.derivation_html(self)

    @property
    def arguments(self) -> tuple[Step, ...]:
        """The steps that are prose: standard facts used, not decided by SymPy."""
        return tuple(step for step in self.steps if step.kind == "argument")

    def with_fault(self, step_name: str, rhs: Any) -> Derivation:
        """The derivation with the right-hand side of one identity replaced; `verify` must reject it."""
        target = self.step(step_name)
        if target.kind not in DECIDED:
            raise InputError("step", step_name, "only a decided step can carry a fault")
        if rhs == target.rhs:
            raise InputError("rhs", str(rhs), "must differ from the original right-hand side")
        steps = tuple(dataclasses.replace(step, rhs=rhs) if step is target else step for step in self.steps)
        faulty = dataclasses.replace(self, steps=steps, faults=())
        known = self._inferences
        faulty._inferences.update(
            {step: known[step] for step in self.steps if step in known and not _rests_on(step, target)}
        )
        return faulty

    def mutants(self) -> dict[str, Derivation]:
        """Each named fault, planted."""
        return {
            fault.name: self.with_fault(fault.step, fault.change(self.step(fault.step).rhs)) for fault in self.faults
        }

    def number(self, digits: int | None = None, **values: Any) -> Any:
        """`result` at the given argument values.

        digits None: float64 through numpy/scipy, arrays allowed. Otherwise an mpf in which two evaluations, one
        at more than twice the working precision of the other, agree to `digits` significant digits; inputs are
        taken exactly (see `exact_number.exact`). Raises `InputError` for missing or unknown arguments.
        """
        if set(values) != set(self.symbols):
            raise InputError("arguments", str(sorted(values)), f"must be exactly {sorted(self.symbols)}")
        symbols = list(self.symbols.values())
        if digits is None:
            floats = [np.asarray(values[name], dtype=np.float64) for name in self.symbols]
            require_domain(self.symbols, self.domain, floats)
            return self._float_function(*(array if array.ndim else float(array) for array in floats))
        if not isinstance(digits, int) or digits < 1:
            raise InputError("digits", digits, "must be a positive integer")
        given = [exact(values[name], name) for name in self.symbols]
        require_domain(self.symbols, self.domain, [np.asarray(value, dtype=object) for value in given])
        return settled(sp.lambdify(symbols, self.result, modules="mpmath"), given, digits)

    @cached_property
    def _float_function(self) -> Callable[..., Any]:
        # The printed maximum does not broadcast; the same value through the absolute value does.
        plain = self.result.replace(sp.Max, lambda first, second: (first + second + sp.Abs(first - second)) / 2)
        return sp.lambdify(list(self.symbols.values()), plain, modules=["scipy", "numpy"])
