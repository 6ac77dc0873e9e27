"""Polynomials in letters that do not commute (matrices of every dimension at once), rewritten by stated rules."""

from __future__ import annotations

from flint import fmpq

from tools.recheck.balls import POINTS, TINY, NotReadable, Wrong, product, rational, total
from tools.recheck.identities import points
from tools.recheck.values import nodes, value

_MOST = 20_000


def words_agree(record):
    """At how many points of the scalars both sides are one polynomial once no rule applies; 0 without scalars."""
    declared = record["symbols"]
    good = 0
    for at in points(declared, [], f"{record['derivation']}/{record['step']}") if declared else [{}]:
        rules = [(tuple(word), _expanded(to, at)) for word, to in record["rules"]]
        if not all(word for word, _ in rules):
            raise Wrong("a rule for the empty word")
        for left, right in record["sides"]:
            rest = _rewritten(_expanded(["sub", left, right], at), rules)
            if word := next((w for w, c in rest.items() if not _is_zero(c)), None):
                raise Wrong(f"what is left has the word {' '.join(word) or '1'}")
            if not all(_is_zero(c) for c in rest.values()):
                raise Wrong("what is left has a number")
        good += 1
        if good == POINTS:
            break
    if declared and not good:
        raise NotReadable("no point of its domain")
    return good if declared else 0


def _is_zero(number):
    return number == 0 if isinstance(number, fmpq) else number.contains(0) and number.rad() < TINY


def _expanded(node, at):
    """Word -> coefficient."""
    if not any(part[0] == "letter" for part in nodes(node)):
        return {(): value(node, at)}
    head, *rest = node
    if head == "letter":
        return {(rest[0],): fmpq(1)}
    if head == "pow":
        times = rational(rest[1][1]) if rest[1][0] == "number" else None
        if times is None or times.q != 1 or not 0 < times <= 20:
            raise NotReadable("a power of a letter that is not whole and positive")
        return _times([_expanded(rest[0], at)] * int(times.p))
    parts = [_expanded(part, at) for part in rest]
    if head == "mul":
        return _times(parts)
    if head == "sub":
        return _sum([parts[0], _scaled(fmpq(-1), parts[1])])
    if head != "add":
        raise NotReadable(f"{head} of letters")
    return _sum(parts)


def _scaled(factor, polynomial):
    return {word: product([factor, c]) for word, c in polynomial.items()}


def _sum(parts):
    found = {}
    for part in parts:
        for word, c in part.items():
            found[word] = total([found[word], c]) if word in found else c
    return {word: c for word, c in found.items() if not (isinstance(c, fmpq) and c == 0)}


def _times(parts):
    found = {(): fmpq(1)}
    for part in parts:
        found = _sum([{a + b: product([x, y]) for b, y in part.items()} for a, x in found.items()])
    return found


def _rewritten(polynomial, rules):
    """The polynomial once no rule applies to a word of it."""
    for _ in range(_MOST):
        place = next(((w, k, rule) for w in polynomial for rule in rules for k in _found(rule[0], w)), None)
        if place is None:
            return polynomial
        word, k, (pattern, to) = place
        rest = {w: c for w, c in polynomial.items() if w != word}
        before, after = {word[:k]: polynomial[word]}, {word[k + len(pattern) :]: fmpq(1)}
        polynomial = _sum([rest, _times([before, to, after])])
    raise NotReadable("rules that do not end")


def _found(pattern, word):
    return (k for k in range(len(word) - len(pattern) + 1) if word[k : k + len(pattern)] == pattern)
