"""Terms: numbers, variables and what is made of them, in the author's order, never evaluated on construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import InputError, exact
from ndis_verify.statements.quantities import QUANTITIES, SEVERAL, STRUCTURE

NAMED = ("variable", "coordinate", "sup", "inf", "derivative")  # heads that stand with the name of a variable


@dataclass(frozen=True)
class Term:
    """One node. `head` is a name of `quantities`; `name` the variable of a leaf or of a supremum; `number` the value of
    a number. Sums and products run over the coordinates i of the vectors in their body; a supremum or an infimum has
    the arguments (low, high, body); a derivative in a variable is taken where that variable stands.
    """

    head: str
    args: tuple[Term, ...] = ()
    name: str = ""
    number: Any = None  # a Fraction, or None for every other head

    def __post_init__(self) -> None:
        least = max(2, len(self.args)) if self.head in SEVERAL else None
        wanted = STRUCTURE.get(self.head, getattr(QUANTITIES.get(self.head), "arity", least))
        if wanted is None:
            raise InputError("head", self.head, "must be a quantity of the language")
        if len(self.args) != wanted or not all(isinstance(arg, Term) for arg in self.args):
            raise InputError(self.head, len(self.args), f"must have {wanted} terms as arguments")
        if (self.head in NAMED) != bool(self.name):
            raise InputError(self.head, self.name, "must have a name exactly where it is a variable or binds one")
        if self.name and not self.name.isidentifier():
            raise InputError("name", self.name, "must be an identifier")
        if (self.head == "number") != isinstance(self.number, Fraction):
            raise InputError(self.head, self.number, "must hold a Fraction exactly where it is a number")

    def __add__(self, other: Any) -> Term:
        return Term("add", (self, term(other)))

    def __radd__(self, other: Any) -> Term:
        return Term("add", (term(other), self))

    def __sub__(self, other: Any) -> Term:
        return Term("sub", (self, term(other)))

    def __rsub__(self, other: Any) -> Term:
        return Term("sub", (term(other), self))

    def __mul__(self, other: Any) -> Term:
        return Term("mul", (self, term(other)))

    def __rmul__(self, other: Any) -> Term:
        return Term("mul", (term(other), self))

    def __truediv__(self, other: Any) -> Term:
        return Term("div", (self, term(other)))

    def __rtruediv__(self, other: Any) -> Term:
        return Term("div", (term(other), self))

    def __pow__(self, other: Any) -> Term:
        return Term("pow", (self, term(other)))

    def __neg__(self) -> Term:
        return Term("neg", (self,))


def term(value: Any) -> Term:
    """A term as it is; any exact number (not a float in disguise: decimal strings, ints, Fractions, floats) as one."""
    return value if isinstance(value, Term) else Term("number", number=exact(value, "number"))


def variable(name: str) -> Term:
    """The variable `name`; a whole vector, where a quantity takes one."""
    return Term("variable", name=name)


def coordinate(name: str) -> Term:
    """The i-th coordinate of the vector `name`, i being the index of the sum or product around it."""
    return Term("coordinate", name=name)


def apply(head: str, *args: Any) -> Term:
    """A head with its arguments: `apply("Phi", x)`."""
    return Term(head, tuple(term(arg) for arg in args))


def extremum(head: str, name: str, low: Any, high: Any, body: Term) -> Term:
    """The supremum (`head` "sup") or infimum ("inf") of `body` over the variable `name` in [low, high]."""
    return Term(head, (term(low), term(high), body), name)


def nodes(root: Term) -> Iterator[Term]:
    """Every node, the root first."""
    yield root
    for arg in root.args:
        yield from nodes(arg)


def rewritten(root: Term) -> Iterator[tuple[Term, Any]]:
    """Every node with a function that puts another node in its place and gives the new root."""
    yield root, lambda new: new
    for k, arg in enumerate(root.args):
        for node, rebuild in rewritten(arg):
            yield (
                node,
                lambda new, k=k, rebuild=rebuild: replace(
                    root, args=(*root.args[:k], rebuild(new), *root.args[k + 1 :])
                ),
            )


def substituted(root: Term, values: Mapping[str, Term]) -> Term:
    """`root` with terms in the place of variables; a variable that is bound inside, or differentiated in, stays."""
    if root.head == "variable":
        return values.get(root.name, root)
    inner = {k: v for k, v in values.items() if k != root.name} if root.head in ("sup", "inf", "derivative") else values
    outer = [substituted(arg, values) for arg in root.args[:-1]]
    last = [substituted(root.args[-1], inner)] if root.args else []
    return replace(root, args=tuple(outer + last))


def free_names(root: Term) -> set[str]:
    """The variables and vectors that `root` speaks of."""
    if root.head in ("variable", "coordinate"):
        return {root.name}
    names = set().union(*(free_names(arg) for arg in root.args))
    if root.head == "derivative":
        return names | {root.name}
    if root.head in ("sup", "inf"):
        low, high, body = root.args
        return free_names(low) | free_names(high) | (free_names(body) - {root.name})
    return names


def coordinate_names(root: Term) -> set[str]:
    """The vectors whose i-th coordinates `root` speaks of, those inside sums, products and vectors of its own left
    out.
    """
    if root.head == "coordinate":
        return {root.name}
    if root.head in ("sum", "product"):
        return set()
    vectors = QUANTITIES[root.head].vectors if root.head in QUANTITIES else 0
    return set().union(*(coordinate_names(arg) for arg in root.args[vectors:]))


def arguments_of(term: Term, values: Mapping[str, Any], value: Callable[..., Any], index: int | None) -> list[Any]:
    """The arguments of a head: lists for those that are vectors, a number being one of equal coordinates."""
    count = QUANTITIES[term.head].vectors if term.head in QUANTITIES else 0
    found: list[Any] = [value(arg, index) for arg in term.args[count:]]
    if not count:
        return found
    spoken = [coordinate_names(arg) for arg in term.args[:count]]
    wholes = [None if names else value(arg, None) for names, arg in zip(spoken, term.args, strict=False)]
    lengths = [len(values[name]) for names in spoken for name in names] + [
        len(w) for w in wholes if isinstance(w, list)
    ]
    size = max(lengths, default=1)
    vectors = []
    for whole, arg in zip(wholes, term.args, strict=False):
        each = [value(arg, i) for i in range(size)] if whole is None else [whole] * size
        vectors.append(whole if isinstance(whole, list) else each)
    return vectors + found


def length(term: Term, values: Mapping[str, Any]) -> int:
    """How many coordinates the sum, the product or the relation that `term` is, or is a side of, runs over."""
    names = coordinate_names(term.args[0] if term.head in ("sum", "product") else term)
    sizes = {len(values[name]) for name in names}
    if len(sizes) != 1:
        raise InputError("sum", ", ".join(sorted(names)), "must run over coordinates of vectors of one length")
    return sizes.pop()
