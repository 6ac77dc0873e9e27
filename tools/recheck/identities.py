"""Relations at points, identities of rational functions decided, other identities and signs held to exact points."""

from __future__ import annotations

import random
from fractions import Fraction

from flint import arb, fmpq, fmpq_mpoly_ctx

from tools.recheck.balls import CLOSE, FUNCTIONS, POINTS, TINY, NotReadable, Wrong, rational, real
from tools.recheck.matrices import compared, is_array, size_of
from tools.recheck.values import length, nodes, value

_SCALES = (Fraction(1, 100), Fraction(1, 4), 1, 1, 3)

_TURN = {"<=": ">=", "<": ">", ">=": ">=", ">": ">"}


def gap(relation, at):
    """left - right, turned so that >= 0 is what the relation asks for; -|left - right| for an equation."""
    sign, left, right = relation
    one, other = value(left, at), value(right, at)
    if is_array(one) or is_array(other):
        first, second = (other, one) if sign in ("<=", "<") else (one, other)
        if sign not in ("=", *_TURN):
            raise Wrong(f"no relation: {sign}")
        return compared(first, second, sign == "=")
    found = FUNCTIONS["sub"](one, other)
    if sign == "=":
        return -abs(found)
    if sign not in _TURN:
        raise Wrong(f"no relation: {sign}")
    return -found if sign in ("<=", "<") else found


def holds(relation, at, close=False):
    """True or False where it is certain, else None; `close`: sides that agree to 20 digits are taken for equal."""
    if relation[0] in ("and", "iff"):
        parts = [holds(part, at, close) for part in relation[1:]]
        if relation[0] == "and":
            return False if False in parts else None if None in parts else True
        return None if None in parts else parts[0] == parts[1]
    if any(part[0] == "coordinate" for part in nodes(relation)) and "i" not in at:
        sides = ["and", *([relation] * length(relation, at))]
        return holds_all([holds(part, {**at, "i": i}, close) for i, part in enumerate(sides[1:])])
    found, sign = gap(relation, at), relation[0]
    if close and sign in ("=", "<=", ">=") and isinstance(found, arb) and found.contains(0):
        found = fmpq(0) if abs(found) <= size_of(value(relation[1], at)) * CLOSE else found
    if found > 0 or (found == 0 and sign in ("=", "<=", ">=")):
        return True
    return False if found < 0 or (found == 0 and sign in ("<", ">")) else None


def holds_all(parts):
    return False if False in parts else None if None in parts else True


def names_of(*expressions):
    return {node[1] for e in expressions for node in nodes(e) if node[0] in ("variable", "coordinate")}


def polynomial(node, ring):
    """Numerator and denominator over the rationals, of an expression that is rational in its variables."""
    head, *rest = node
    context, places = ring
    if head == "number":
        return context.constant(rational(*rest)), context.constant(1)
    if head == "variable":
        return context.gen(places[rest[0]]), context.constant(1)
    if head == "pow":
        exponent = rational(rest[1][1]) if rest[1][0] == "number" else None
        if exponent is None or exponent.q != 1 or abs(exponent) > 64:
            raise NotReadable("a power that is not whole")
        top, bottom = polynomial(rest[0], ring)
        n = int(exponent.p)
        return (top**n, bottom**n) if n >= 0 else (bottom**-n, top**-n)
    if head not in ("add", "mul", "sub", "neg", "div"):
        raise NotReadable(f"{head} is not rational")
    parts = [polynomial(part, ring) for part in rest]
    top, bottom = parts[0]
    if head == "neg":
        return -top, bottom
    for up, down in parts[1:]:
        if head == "div":
            up, down = down, up
        if head in ("mul", "div"):
            top, bottom = top * up, bottom * down
        else:
            top = top * down + (up if head == "add" else -up) * bottom
            bottom = bottom * down
        if len(top) > 3000:
            raise NotReadable("a polynomial of more than 3,000 terms")
    return top, bottom


def vanishes(difference):
    """True or False where the difference is rational in its variables, else None."""
    names = sorted(names_of(difference))
    ring = fmpq_mpoly_ctx.get(names or ["x"], "lex"), {name: k for k, name in enumerate(names)}
    try:
        top, bottom = polynomial(difference, ring)
    except NotReadable:
        return None
    if bottom == 0:
        raise Wrong("a denominator that is 0 everywhere")
    return bool(top == 0)


def signs(node, declared):
    """The signs that a value can have, from -1, 0 and 1, by its build alone."""
    head, *rest = node
    every = {-1, 0, 1}
    if head == "number":
        x = rational(*rest)
        return {(x > 0) - (x < 0)}
    if head == "variable":
        words = declared.get(rest[0], [])
        named = {"positive": {1}, "negative": {-1}, "nonnegative": {0, 1}, "nonpositive": {-1, 0}}
        return min((named[w] for w in words if w in named), key=len, default=every)
    parts = [signs(part, declared) for part in rest if isinstance(part, list)]
    if head == "mul":
        found = {1}
        for part in parts:
            found = {a * b for a in found for b in part}
        return found
    if head == "add":
        if all(part <= {0, 1} for part in parts):
            return {0, 1} if all(0 in part for part in parts) else {1}
        if all(part <= {-1, 0} for part in parts):
            return {0, -1} if all(0 in part for part in parts) else {-1}
        return every
    if head == "pow":
        whole = rational(rest[1][1]) if rest[1][0] == "number" else None
        if parts[0] == {1}:
            return {1}
        if whole is not None and whole.q == 1:
            return {x * x for x in parts[0]} if whole.p % 2 == 0 else parts[0]
        return {0, 1} if parts[0] <= {0, 1} else every
    if head in ("exp", "cosh", "Phi", "erfc", "pi") or (head == "gamma" and parts[0] == {1}):
        return {1}
    if head in ("sinh", "tanh", "erf", "sqrt", "neg"):
        return {-x for x in parts[0]} if head == "neg" else parts[0]
    return {abs(x) for x in parts[0]} if head == "abs" else every


def points(declared, domain, seed):
    """Exact points of the declared signs that satisfy the domain, the same on every run."""
    chosen = random.Random(seed)
    for _ in range(40 * POINTS):
        at = {}
        for name, words in sorted(declared.items()):
            size = Fraction(chosen.randint(1, 10**4), 10**4) * chosen.choice(_SCALES)
            if "integer" in words:
                size = Fraction(chosen.randint(1, 6))
            sign = -1 if {"negative", "nonpositive"} & set(words) else 1
            sign = chosen.choice((-1, 1)) if not {"positive", "nonnegative"} & set(words) and sign == 1 else sign
            at[name] = fmpq(sign * size.numerator, size.denominator)
        try:
            if all(holds(relation, at) for relation in domain):
                yield at
        except (ZeroDivisionError, KeyError):
            continue


def agrees(difference, declared, domain, seed):
    """At how many points a difference is a ball around 0 of no size; raises `Wrong` at one where it is not."""
    good = asked = 0
    tiny = CLOSE if any(node[0] == "integral" for node in nodes(difference)) else TINY
    for at in points(declared, domain, seed):
        asked += 1
        try:
            found = value(difference, at | {"numerically": True})
        except ZeroDivisionError:
            continue
        except NotReadable:  # an integral that is too narrow at this point, perhaps
            if tiny is TINY or asked > 2 * POINTS > good * POINTS:
                raise
            continue
        if isinstance(found, arb) and not found.is_finite():
            continue
        if found != 0 and not (found.contains(0) if isinstance(found, arb) else False):
            raise Wrong(f"the sides are {float(real(found)):.3g} apart at {shown(at)}")
        if isinstance(found, arb) and not found.rad() < tiny:
            continue
        good += 1
        if good == POINTS:
            break
    if good < 2:
        raise Wrong("both sides have a value at no point tried") if asked else NotReadable("no point of its domain")
    return good


def shown(at):
    return ", ".join(f"{name} = {x}" for name, x in at.items())
