"""Statements from the text that they print: a claim types its relation once, as mathematics, and this is its source.

    statement("delta_shift(D; eps) = Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D)", "D > 0", "eps >= 0")

Products are written side by side, e^x is the exponential, x_i a coordinate, a chain 0 < p < 1 two hypotheses; relations
are joined by ", and " or " if and only if ", those that are joined themselves in brackets. Nothing is evaluated: what a
text gives is a tree of known heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import cast

from ndis_verify.exact_number import InputError, exact
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.statement import Claimed, Joined, Relation, Sign, Statement, Variable
from ndis_verify.statements.terms import Term, apply, coordinate, free_names, term, variable
from ndis_verify.statements.vocabulary import VOCABULARY

_HEADS = {q.plain.partition("(")[0].replace("{{", "{").replace("}}", "}"): q for q in QUANTITIES.values()}
del _HEADS["|{0}|"]
_TOKEN = re.compile(
    r"\s*(?:(?P<head>(?:"
    + "|".join(re.escape(name) for name in sorted(_HEADS, key=len, reverse=True))
    + r")(?![A-Za-z0-9_]))|(?P<bound>(?:sup|inf)_\{|d/d(?=[A-Za-z]))|(?P<all>(?:sum|prod)_i\b)"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<sign><=|>=|[-+/^(){}[\]|,;=<>]))"
)
_TURNED: dict[str, Sign] = {"<": ">", "<=": ">="}
_DEPTH = 60


def statement(
    claimed: str, *hypotheses: str, where: Mapping[str, str] | None = None, over: Iterable[Variable] = ()
) -> Statement:
    """The statement with these texts; raises `InputError` for a text that is none.

    where: named terms, later ones of earlier. over: variables whose ranges are not those of the vocabulary.
    """
    named = tuple((name, read_term(text)) for name, text in (where or {}).items())
    relations = tuple(relation for text in hypotheses for relation in _chain(text))
    said = _joined(claimed)
    spoken = [*said.terms, *(value for _, value in named), *(t for h in relations for t in h.terms)]
    known = {v.name: v for v in over}
    names = dict.fromkeys(name for t in spoken for name in _ordered(t))
    wanted = [name for name in names if name not in dict(named)]
    if unknown := [name for name in wanted if name not in known and name not in VOCABULARY]:
        raise InputError("statement", ", ".join(unknown), "must be variables of the vocabulary or given in `over`")
    return Statement(tuple(known.get(n) or VOCABULARY[n] for n in wanted), relations, said, named)


def under(given: Statement, *hypotheses: str) -> Statement:
    """The statement under further hypotheses."""
    return given.under(*(relation for text in hypotheses for relation in _chain(text)))


def saying(given: Statement, claimed: str) -> Statement:
    """The same variables, hypotheses and definitions with another relation."""
    return replace(given, claimed=_joined(claimed))


def read_term(text: str) -> Term:
    """One term."""
    reader = _Reader(text)
    found = reader.sum()
    reader.end()
    return found


def read_relation(text: str) -> Relation:
    """One relation."""
    found = _chain(text)
    if len(found) != 1:
        raise InputError("relation", text, "must be one relation")
    return found[0]


def _ordered(root: Term) -> list[str]:
    """The free names of a term in the order in which they are written."""
    free = free_names(root)
    found: dict[str, None] = {}

    def visit(node: Term) -> None:
        if node.head in ("variable", "coordinate") and node.name in free:
            found[node.name] = None
        for arg in node.args:
            visit(arg)

    visit(root)
    return list(found)


def _joined(text: str, depth: int = 0) -> Claimed:
    if depth > _DEPTH:
        raise InputError("text", text[:40], f"must be at most {_DEPTH} deep")
    sides, parts = _split(text, " if and only if "), _split(text, ", and ")
    if len(sides) > 1:
        if len(parts) > 1:
            raise InputError("text", text, "must have brackets where `and` and `if and only if` stand side by side")
        return Joined("iff", tuple(_conjunction([side], depth) for side in sides))
    return _conjunction(parts, depth)


def _conjunction(texts: list[str], depth: int) -> Claimed:
    """One relation, or all of several: a chain is two, what is joined stands in brackets."""
    parts: list[Relation | Joined] = []
    for text in map(str.strip, texts):
        whole = text.startswith("(") and 0 not in _depths(text)[:-1] and text.endswith(")")
        parts += [_joined(text[1:-1], depth + 1)] if whole else _chain(text)
    return parts[0] if len(parts) == 1 else Joined("and", tuple(parts))


def _split(text: str, between: str) -> list[str]:
    """The pieces of a text between the words that stand outside of all brackets."""
    found, start, depths = [], 0, _depths(text)
    for at in (match.start() for match in re.finditer(re.escape(between), text)):
        if depths[at] == 0:
            found.append(text[start:at])
            start = at + len(between)
    return [*found, text[start:]]


def _depths(text: str) -> list[int]:
    """How many brackets are open after each character."""
    return list(accumulate((character in "([{") - (character in ")]}") for character in text))


def _chain(text: str) -> tuple[Relation, ...]:
    """a < b, or a < b <= c as b > a and b <= c."""
    reader = _Reader(text)
    sides, signs = [reader.sum()], []
    while reader.peek() in ("=", "<", "<=", ">", ">="):
        signs.append(reader.take())
        sides.append(reader.sum())
    reader.end()
    if len(signs) == 1:
        return (Relation(sides[0], signs[0], sides[1]),)  # type: ignore[arg-type]  # one of the five, as looked at
    if len(signs) != 2 or not set(signs) <= set(_TURNED):
        raise InputError("relation", text, "must be two terms with one of = < <= > >= between them, or a < b < c")
    low, middle, high = sides
    return Relation(middle, _TURNED[signs[0]], low), Relation(middle, cast(Sign, signs[1]), high)


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str):
        self.text, self.at, self.depth, self.bars = text, 0, 0, False
        self.tokens: list[tuple[str, str]] = []
        place, end = 0, len(text.rstrip())
        while place < end:
            found = _TOKEN.match(text, place)
            if found is None:
                raise InputError("text", text, f"cannot be read from {text[place : place + 20]!r} on")
            self.tokens.append((str(found.lastgroup), str(found[found.lastgroup or 0])))
            place = found.end()

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise InputError("text", self.text, f"must have {wanted or 'more'} after {self._before()!r}")
        self.at += 1
        return found

    def _before(self) -> str:
        return " ".join(text for _, text in self.tokens[: self.at])[-30:]

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise InputError("text", self.text, f"must end after {self._before()!r}")

    def sum(self) -> Term:
        self.depth += 1
        if self.depth > _DEPTH:
            raise InputError("text", self.text[:40], f"must be at most {_DEPTH} deep")
        found = self.signed()
        while self.peek() in ("+", "-") and self.kind() == "sign":
            found = found + self.product() if self.take() == "+" else found - self.product()
        self.depth -= 1
        return found

    def signed(self) -> Term:
        if self.peek() == "-":
            self.take()
            return -self.product()
        return self.product()

    def product(self) -> Term:
        found = self.power()
        while True:
            if self.peek() == "/":
                self.take()
                bare, below = self.kind() == "number", self.power()
                whole = all(t.head == "number" and t.number.denominator == 1 for t in (found, below))
                two = bare and whole and below.number != 0
                found = term(found.number / below.number) if two else found / below
            elif (
                self.kind() in ("head", "bound", "all", "number", "name") or self.peek() in ("(", "[") or self._opens()
            ):
                found = found * self.power()
            else:
                return found

    def _opens(self) -> bool:
        return self.peek() == "|" and not self.bars

    def power(self) -> Term:
        found = self.atom()
        if self.peek() != "^":
            return found
        self.take()
        if self.peek() == "T":
            self.take()
            return apply("transpose", found)
        exponent = self.within("{", "}") if self.peek() == "{" else self.atom()
        if exponent.head == "neg" and exponent.args[0].head == "number":
            exponent = term(-exponent.args[0].number)
        return apply("exp", exponent) if found == variable("e") else found**exponent

    def within(self, opening: str, closing: str) -> Term:
        bars, self.bars = self.bars, opening == "|"
        self.take(opening)
        found = self.sum()
        self.take(closing)
        self.bars = bars
        return found

    def atom(self) -> Term:
        kind, text = self.kind(), self.peek()
        if text == "(":
            return self.several("(", ")")
        if text == "[":
            return self.several("[", "]")
        if text == "|":  # where a term is wanted, a bar opens
            return apply("abs", self.within("|", "|"))
        if kind not in ("head", "bound", "all", "number", "name"):
            raise InputError("text", self.text, f"must have a term after {self._before()!r}")
        self.take()
        if kind == "number":
            return term(exact(text, "number"))
        if kind == "name":
            return coordinate(text[:-2]) if text.endswith("_i") else variable(text)
        if kind == "all":
            return apply("sum" if text == "sum_i" else "product", self.product())
        return self.bound(text) if kind == "bound" else self.call(text)

    def several(self, opening: str, closing: str) -> Term:
        """A term in brackets, a vector (a, b), or blocks [A, b] or [A; b]."""
        bars, self.bars = self.bars, False
        self.take(opening)
        found, between = [self.sum()], self.peek()
        while self.peek() == between and between in (",", ";"):
            self.take()
            found.append(self.sum())
        self.take(closing)
        self.bars = bars
        if len(found) == 1 and opening == "(":
            return found[0]
        head = {"(,": "vector", "[,": "beside", "[;": "above"}.get(opening + between)
        if head is None:
            raise InputError("text", self.text, f"must have (a, b), [A, b] or [A; b] before {self._before()!r}")
        return apply(head, *found)

    def bound(self, text: str) -> Term:
        """sup_{a <= x <= b} body."""
        if text.startswith("d/d"):
            name = self.take()
            return Term("derivative", (self.within("(", ")"),), name)
        low = self.sum()
        self.take("<=")
        name = self.take()
        self.take("<=")
        high = self.sum()
        self.take("}")
        return Term(text[:3], (low, high, self.product()), name)

    def call(self, text: str) -> Term:
        args: list[Term] = []
        quantity = _HEADS[text]
        if quantity.arity:
            bars, self.bars = self.bars, False
            self.take("(")
            args.append(self.sum())
            while self.peek() in (",", ";"):
                self.take()
                args.append(self.sum())
            self.take(")")
            self.bars = bars
        return apply(quantity.name, *args)
