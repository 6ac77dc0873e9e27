"""The value of an expression at a point: a small recursion over lists, by which no text is ever evaluated."""

from __future__ import annotations

from itertools import pairwise

from flint import arb, fmpq

from tools.recheck.balls import FUNCTIONS, NotReadable, Wrong, is_whole, product, rational, real, total
from tools.recheck.laws import QUANTITIES

_DEPTH = 400


def value(node, at):
    """The value of an expression at a point: exact where it is rational, else a ball; never evaluated as text."""
    head, *rest = node
    if head == "number":
        return rational(*rest)
    if head == "variable":
        return at[rest[0]]
    if head == "coordinate":
        return at[rest[0]][at["i"]]
    if head in ("sum", "product") and len(rest) == 1:  # over the coordinates of the vectors inside
        parts = [value(rest[0], {**at, "i": i}) for i in range(length(rest[0], at))]
        return total(parts) if head == "sum" else product(parts)
    if head in BINDERS:
        return BINDERS[head](*rest, at)
    arguments = [value(part, at) for part in rest]
    if head in QUANTITIES:
        return QUANTITIES[head](*arguments)
    if head not in FUNCTIONS:
        raise NotReadable(f"no means for {head}")
    return FUNCTIONS[head](*arguments)


def length(node, at):
    """How many coordinates the vectors inside have."""
    sizes = {len(at[part[1]]) for part in nodes(node) if part[0] == "coordinate"}
    if len(sizes) != 1:
        raise NotReadable("coordinates of no vector or of several lengths")
    return sizes.pop()


def nodes(node, depth=0):
    """Every node; raises where the tree is none or is too deep."""
    if not isinstance(node, list) or not node or not isinstance(node[0], str) or depth > _DEPTH:
        raise Wrong("not an expression")
    yield node
    for part in node[1:]:
        if isinstance(part, list):
            yield from nodes(part, depth + 1)


def _series(name, low, high, body, at):
    """A finite sum over whole numbers."""
    first, last = value(low, at), value(high, at)
    if not (is_whole(first) and is_whole(last)) or last - first > 200_000:
        raise NotReadable("a sum without whole ends")
    return total([value(body, {**at, name: fmpq(k)}) for k in range(int(first.p), int(last.p) + 1)])


def _root(name, low, high, body, at):
    """Where the body turns its sign between the ends, by halving: once, where it is monotone."""
    low, high = value(low, at), value(high, at)
    sides = [real(value(body, {**at, name: x})) for x in (low, high)]
    if not (sides[0] < 0 < sides[1] or sides[1] < 0 < sides[0]):
        raise Wrong("no turn of sign between the ends of a root")
    rises = sides[0] < 0
    for _ in range(80):
        for share in (fmpq(1, 2), fmpq(3, 7)):  # a cut may be the root itself
            middle = low + (high - low) * share
            found = real(value(body, {**at, name: middle}))
            if found > 0 or found < 0:
                low, high = (low, middle) if (found > 0) == rises else (middle, high)
                break
        else:
            break
    return arb(low).union(arb(high))


def _extremum(pick, outward, name, low, high, body, at):
    """Between the best value at 17 points and the best bound over the 16 pieces between them."""
    low, high = value(low, at), value(high, at)
    marks = [low + (high - low) * fmpq(k, 16) for k in range(17)]
    inside = [real(value(body, {**at, name: x})) for x in marks]
    pieces = [real(value(body, {**at, name: real(a).union(real(b))})) for a, b in pairwise(marks)]
    best, bound = inside[0], pieces[0]
    for one in inside[1:]:
        best = pick(best, one)
    for one in pieces[1:]:
        bound = pick(bound, one)
    return best.lower().union(bound.upper()) if outward > 0 else bound.lower().union(best.upper())


BINDERS = {
    "root": _root,
    "series": _series,
    "sup": lambda *rest: _extremum(arb.max, 1, *rest),
    "inf": lambda *rest: _extremum(arb.min, -1, *rest),
}
