"""The value of an expression at a point: a small recursion over lists, by which no text is ever evaluated."""

from __future__ import annotations

from itertools import pairwise

from flint import arb, ctx, fmpq

from tools.recheck.balls import CLOSE, FUNCTIONS, NotReadable, Wrong, is_whole, product, rational, real, total
from tools.recheck.laws import QUANTITIES
from tools.recheck.matrices import ALWAYS, OF_ARRAYS, is_array

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
    arguments = [value(part, at) for part in rest] if head != "independent" else _coordinates(rest, at)
    if head in ALWAYS or (head in OF_ARRAYS and any(map(is_array, arguments))):
        return (ALWAYS.get(head) or OF_ARRAYS[head])(*arguments)
    if head in QUANTITIES:
        return QUANTITIES[head](*arguments)
    if head not in FUNCTIONS:
        raise NotReadable(f"no means for {head}")
    return FUNCTIONS[head](*arguments)


def _coordinates(parts, at):
    """Means and deviations over all coordinates, then the other arguments."""
    *laws, last = parts
    laws = [["coordinate", part[1]] if part[0] == "variable" else part for part in laws]
    size = length(["all", *laws], at)
    return *([value(part, {**at, "i": i}) for i in range(size)] for part in laws), value(last, at)


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


def _integral(name, low, high, body, at):
    """By the trapezoid rule after a double exponential substitution, at two steps, over a line with 0 inside by its two
    parts too; their difference is taken for the error: that is no bound, so it is for identities that are held to
    points alone.
    """
    if "numerically" not in at:
        raise NotReadable("an integral has no enclosure here")
    ends = [None if ["infinity"] in (end, *end[1:]) else value(end, at) for end in (low, high)]
    with ctx.workprec(200):
        inside = lambda x: value(body, {**at, name: x})  # noqa: E731
        coarse, fine = (_sampled(ends, inside, arb(1) / n) for n in (48, 64))
        error = abs(coarse - fine)
        low, high = ends
        if None in ends and (low is None or real(low) < 0) and (high is None or real(high) > 0):
            # a peak at 0 may lie between all nodes of a line, of its two parts it does not
            halves = [_sampled(half, inside, arb(1) / 64) for half in ([low, fmpq(0)], [fmpq(0), high])]
            error += abs(sum(halves, -fine))
        if not error < CLOSE * (1 + abs(fine)) / 100:
            raise NotReadable("an integral that two rules give differently")
        return fine + arb(0, (error + CLOSE / 100).upper())


def _sampled(ends, at, width):
    low, high = ends
    found = arb(0)
    for k in range(int(-5 / float(width)), int(5 / float(width)) + 1):
        t = width * k
        inner, steep = arb.pi() / 2 * t.sinh(), arb.pi() / 2 * t.cosh()
        if low is None and high is None:
            x, weight = inner.sinh(), inner.cosh()
        elif low is None or high is None:
            size = inner.exp()
            x, weight = (high - size if low is None else low + size), size
        else:
            x, weight = (low + high) / 2 + (high - low) / 2 * inner.tanh(), (high - low) / 2 / inner.cosh() ** 2
        try:
            part = real(at(x)) * weight * steep
        except ZeroDivisionError:
            continue
        found += part if part.is_finite() else 0
    return found * width


def _derivative(name, body, at):
    return value(slope(body, name), at)


def slope(node, name):
    """The derivative of an expression in a variable, by the rules of sums, products, powers and chains."""
    head, *rest = node
    number = lambda text: ["number", text]  # noqa: E731
    if head in ("number", "pi") or not any(part[:2] == ["variable", name] for part in nodes(node)):
        return number("0")
    if head == "variable":
        return number("1")
    if head == "derivative":
        return slope(slope(rest[1], rest[0]), name)
    inner = [slope(part, name) for part in rest]
    if head in ("add", "sub", "neg"):
        return [head, *inner]
    if head == "mul":
        return ["add", *(["mul", *rest[:k], one, *rest[k + 1 :]] for k, one in enumerate(inner))]
    if head == "pow":
        base, exponent = rest
        by_base = ["mul", exponent, ["pow", base, ["sub", exponent, number("1")]], inner[0]]
        if inner[1] == number("0"):
            return by_base
        return ["add", by_base, ["mul", node, ["log", base], inner[1]]]
    if head == "div":
        return slope(["mul", rest[0], ["pow", rest[1], number("-1")]], name)
    if head not in SLOPES:
        raise NotReadable(f"no derivative of {head}")
    if any(one != number("0") for one in inner[:-1]):
        raise NotReadable(f"no derivative of {head} in its first argument")
    return ["mul", SLOPES[head](*rest), inner[-1]]


def _bell(x, factor):
    """e^{-x^2/2}, or e^{-x^2}, times the root of the rational `factor` over pi."""
    square = ["mul", ["number", "-1/2" if factor == "1/2" else "-1"], ["pow", x, ["number", "2"]]]
    return ["mul", ["exp", square], ["pow", ["mul", ["number", factor], ["pow", ["pi"], ["number", "-1"]]], _HALF]]


def _gamma_density(a, x):
    power = ["pow", x, ["sub", a, ["number", "1"]]]
    return ["mul", power, ["exp", ["neg", x]], ["pow", ["gamma", a], ["number", "-1"]]]


_HALF = ["number", "1/2"]
SLOPES = {
    "exp": lambda x: ["exp", x],
    "log": lambda x: ["pow", x, ["number", "-1"]],
    "sqrt": lambda x: ["mul", _HALF, ["pow", x, ["number", "-1/2"]]],
    "Phi": lambda x: _bell(x, "1/2"),
    "phi": lambda x: ["neg", ["mul", x, ["phi", x]]],
    "erf": lambda x: _bell(x, "4"),
    "erfc": lambda x: ["neg", _bell(x, "4")],
    "gamma_p": _gamma_density,
    "gamma_q": lambda a, x: ["neg", _gamma_density(a, x)],
    "sinh": lambda x: ["cosh", x],
    "cosh": lambda x: ["sinh", x],
    "sin": lambda x: ["cos", x],
    "cos": lambda x: ["neg", ["sin", x]],
}
BINDERS = {
    "derivative": _derivative,
    "integral": _integral,
    "root": _root,
    "series": _series,
    "sup": lambda *rest: _extremum(arb.max, 1, *rest),
    "inf": lambda *rest: _extremum(arb.min, -1, *rest),
}
