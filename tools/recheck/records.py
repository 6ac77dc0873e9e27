"""What an export says, record by record: each reader gives an outcome and a word on it, or raises."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx, fmpq

from tools.recheck.balls import BITS, FUNCTIONS, POINTS, NotReadable, Wrong, rational, real
from tools.recheck.identities import _TURN, agrees, gap, holds, points, shown, signs, vanishes
from tools.recheck.matrices import drawn
from tools.recheck.values import value
from tools.recheck.words import words_agree

FORMAT, _BOX_BITS = 1, 120
DECIDED, AGREES, REFUTED, LEFT = "decided", "agrees", "refuted", "not rechecked"


def step(record, _):
    """An equation, or an inequality whose difference is a witness of known sign."""
    relation, declared, domain = record["relation"], record["symbols"], record["domain"]
    seed, outcomes = f"{record['derivation']}/{record['step']}", []
    for left, right in record["sides"]:
        difference = ["sub", left, right]
        if relation != "=":
            difference = ["sub", difference, record["witness"]]
        outcomes.append(_zero(difference, declared, domain, seed))
    if relation != "=":
        outcomes.append(_signed(record["witness"], relation, declared, domain, seed))
    least_sure = AGREES if AGREES in outcomes else DECIDED
    return least_sure, ""


def words(record, _):
    """An equation of matrices in every dimension, by the rules that hold for them."""
    return (AGREES if words_agree(record) else DECIDED), ""


def _zero(difference, declared, domain, seed):
    decided = vanishes(difference)
    if decided is False:
        raise Wrong("the sides are two different rational functions")
    if decided is None:
        agrees(difference, declared, domain, seed)
    return AGREES if decided is None else DECIDED


def _signed(witness, relation, declared, domain, seed):
    """Whether the witness has the sign: by its build, else at points."""
    if relation not in _TURN:
        raise Wrong(f"no relation: {relation}")
    allowed = {">": {1}, ">=": {0, 1}, "<": {-1}, "<=": {-1, 0}}[relation]
    if signs(witness, declared) <= allowed:
        return DECIDED
    good = 0
    for at in points(declared, domain, seed):
        try:
            found = holds([relation, witness, ["number", "0"]], at)
        except ZeroDivisionError:
            continue
        if found is False:
            raise Wrong(f"the witness has another sign at {shown(at)}")
        good += found is True
    if good < 2:
        raise NotReadable("fewer than two points where the sign of the witness shows")
    return AGREES


def counterexample(record, ledger):
    """A point that satisfies the hypotheses and where the claimed relation certainly fails, by as much as is said."""
    at = placed(record)
    for hypothesis in record["hypotheses"]:
        if not holds(hypothesis, at):
            raise Wrong(f"a hypothesis does not hold: {json.dumps(hypothesis)}")
    if holds(record["claimed"], at) is not False:
        raise Wrong("the relation is not violated at the point")
    stated = ledger.statements.get(record["claim"])
    if stated and record.get("stated") and any(stated[k] != record[k] for k in ("claimed", "hypotheses", "where")):
        raise Wrong("it is not a counterexample to the claim's statement")
    if record["violation"] is not None:
        said, own = enclosed(record["violation"]), violation(record["claimed"], at)
        if record["least"]:
            own = FUNCTIONS["min"](own, *(real(gap(hypothesis, at)) for hypothesis in record["hypotheses"]))
        if not said.overlaps(own):
            raise Wrong(f"the violation is not {said.str(8)} but {own.str(8)}")
    return DECIDED, ""


def enclosed(pair):
    mid, rad = (rational(x) for x in pair)
    if rad < 0:
        raise Wrong("a negative radius")
    return arb(mid) + arb(0, real(rad).upper())


def violation(claimed, at):
    """By how much it fails: of several relations the one that fails the most."""
    if claimed[0] == "and":
        return -FUNCTIONS["min"](*(-violation(part, at) for part in claimed[1:]))
    return real(-gap(claimed, at))


def placed(record):
    """The exact point of a record, vectors and laws made whole, and the terms that it names."""
    at = {name: vector(x) if isinstance(x, list) else rational(x) for name, x in record["point"].items()}
    for name, term in record.get("where", []):
        at[name] = value(term, at)
    return at


def vector(parts):
    return [rational(x) for x in parts]


def number(record, _):
    """A value that rounds to the decimal that is stated."""
    found, text = real(value(record["value"], placed(record))), record["text"]
    if not re.fullmatch(r"-?\d{1,60}(\.\d{1,60})?(e-?\d{1,5})?", text):
        raise Wrong(f"not a decimal: {text[:40]}")
    mantissa, _, exponent = text.partition("e")
    half = fmpq(1, 2 * 10 ** len(mantissa.partition(".")[2])) * fmpq(10) ** int(exponent or 0)
    stated = Fraction(text)
    if not (abs(found - fmpq(stated.numerator, stated.denominator)) <= half):
        raise Wrong(f"it is {found.str(12)}, not {text}")
    return DECIDED, ""


def sign(record, _):
    """A relation that holds at a point."""
    found = holds(record["holds"], placed(record))
    if found is None:
        raise NotReadable("the sign does not show")
    if not found:
        raise Wrong("the relation fails at the point")
    return DECIDED, ""


def box(record, _):
    """margin >= 0 on a whole box: bisected until the enclosure of each part shows it."""
    with ctx.workprec(_BOX_BITS):
        return _bisected(record)


def _bisected(record):
    axes = [(name, rational(low), rational(high), scale) for name, low, high, scale in record["axes"]]
    fixed = placed(record)
    fixed = placed(record)
    there = real(value(record["margin"], fixed | {name: (low + high) / 2 for name, low, high, _ in axes}))
    if not there.overlaps(enclosed(record["middle"])):
        raise Wrong(f"the margin in the middle is {there.str(8)}")
    parts, seen = [[(low, high) for _, low, high, _ in axes]], 0
    while parts:
        sides, seen = parts.pop(), seen + 1
        if seen > 40_000:
            raise NotReadable("more than 40,000 parts")
        at = fixed | {axis[0]: real(low).union(real(high)) for axis, (low, high) in zip(axes, sides)}
        try:
            if real(value(record["margin"], at)) >= 0:
                continue
        except ZeroDivisionError:
            pass
        middle = [_middle(low, high, axis[3]) for axis, (low, high) in zip(axes, sides)]
        if real(value(record["margin"], fixed | {axis[0]: x for axis, x in zip(axes, middle)})) < 0:
            raise Wrong(f"the margin is negative at {', '.join(map(str, middle))}")
        widths = [_width(a, part) for a, part in zip(axes, sides)]
        k = widths.index(max(widths))
        parts += [[*sides[:k], half, *sides[k + 1 :]] for half in pairwise((sides[k][0], middle[k], sides[k][1]))]
    return DECIDED, f"{seen} parts"


def _middle(low, high, scale):
    if scale == "log" and low > 0:
        cut = (arb(low) * arb(high)).sqrt()
        found = fmpq(round(float(cut) * 2**30), 2**30)
        if low < found < high:
            return found
    return (low + high) / 2


def _width(axis, part):
    _, low, high, scale = axis
    if low == high:
        return 0.0
    size = (lambda a, b: float((arb(b) / a).log())) if scale == "log" else (lambda a, b: float(arb(b - a)))
    return size(*part) / size(low, high)


def statement(record, ledger):
    """A relation claimed for all: not certainly violated at any point tried, unless the claim is given up as false."""
    verdict = ledger.claims.get(record["claim"], {}).get("declared")
    if verdict in ("refuted", "restricted"):
        if not any(r["claim"] == record["claim"] for r in ledger.kinds["counterexample"]):
            raise NotReadable("given up as false, by a counterexample that is not exported")
        return DECIDED, "by its counterexample"
    chosen, good = random.Random(record["claim"]), 0
    for _ in range(40 * POINTS):
        at = {v["name"]: _drawn(v, chosen) for v in record["variables"]}
        try:
            for name, term in record["where"]:
                at[name] = value(term, at)
            if not all(holds(h, at) for h in record["hypotheses"]):
                continue
            found = holds(record["claimed"], at, close=True)
        except ZeroDivisionError:  # a term has no value there
            continue
        if found is False:
            raise Wrong(f"violated at {shown(at)}")
        good += found is True
        if good == 2 * POINTS:
            break
    if not good:
        raise NotReadable("no point where it shows")
    return AGREES, f"{good} points"


def _drawn(variable, chosen):
    """An exact number, vector or law in the range that is searched."""
    low, high = (float(arb(rational(variable[end]))) for end in ("low", "high"))
    by_ratio = variable["scale"] == "log" and low > 0

    def number():
        share = chosen.random()
        x = low * (high / low) ** share if by_ratio else low + (high - low) * share
        x = round(x) if variable["kind"] in ("integer", "integers") else x
        return fmpq(*Fraction(f"{x:.6g}").limit_denominator(10**9).as_integer_ratio())

    if variable["kind"] in ("matrix", "square", "symmetric", "orthogonal"):
        return drawn(variable["kind"], variable["size"], variable.get("columns"), number)
    found = [number() for _ in range(variable["size"])]
    if variable["kind"] == "law":
        whole = sum(found, fmpq(0))
        return [x / whole for x in found]
    return found if variable["kind"] in ("reals", "integers") else found[0]


_STRENGTH = {"proof": 3, "enclosure": 2, "attack": 1}
_KINDS = {*_STRENGTH, "counterexample", "crosscheck", "meaning"}


def claim(record, ledger):
    """The verdict follows from the kinds of evidence for its parts, and what it names is in the export."""
    kinds = {kind: {c["part"] for c in record["checks"] if c["kind"] == kind} for kind in _KINDS}
    strength = {c["part"]: 0 for c in record["checks"] if c["part"] not in kinds["meaning"] | kinds["counterexample"]}
    for check in record["checks"]:
        if check["kind"] not in _KINDS:
            raise Wrong(f"no kind of evidence: {check['kind']}")
        if check["part"] in strength:
            strength[check["part"]] = max(strength[check["part"]], _STRENGTH.get(check["kind"], 0))
    standing = min(strength.values(), default=0)
    found = ["open", "supported", "certified", "proved"][standing]
    if kinds["counterexample"]:
        found = "restricted" if standing else "refuted"
    elif kinds["meaning"] and (standing or not strength):
        found = "definition"
    if found != record["declared"]:
        raise Wrong(f"its evidence makes it {found}, not {record['declared']}")
    for check in record["checks"]:
        if ledger.found[record["id"], check["name"]] != check["records"]:
            raise Wrong(f"{check['name']}: it has {ledger.found[record['id'], check['name']]} records")
    return DECIDED, ""


def left_out(record, _):
    return LEFT, record["reason"]


READERS = {
    "claim": claim,
    "statement": statement,
    "counterexample": counterexample,
    "number": number,
    "sign": sign,
    "box": box,
    "step": step,
    "words": words,
    "left out": left_out,
}


class Ledger:
    """The records by kind, and what other records are looked up by."""

    def __init__(self, records):
        self.kinds = {kind: [r for r in records if r["kind"] == kind] for kind in READERS}
        self.claims = {r["id"]: r for r in self.kinds["claim"]}
        self.statements = {r["claim"]: r for r in self.kinds["statement"]}
        self.found = Counter((r["claim"], r["check"]) for r in records if "check" in r)


def read(lines):
    """The records of an export whose header counts them right."""
    header, *records = (json.loads(line) for line in lines if line.strip())
    if header.get("kind") != "header" or header.get("format") != FORMAT:
        raise Wrong(f"not an export of format {FORMAT}")
    counts = Counter(r.get("kind") for r in records)
    if dict(counts) != header["counts"] or set(counts) - set(READERS):
        raise Wrong("the header counts other records")
    return records


def recheck(lines):
    """(record, outcome, detail) of every record; "refuted" where what is exported is false."""
    try:
        records = read(lines)
        ledger = Ledger(records)
    except (Wrong, ValueError, KeyError, TypeError, AttributeError) as error:
        return [({"kind": "header"}, REFUTED, str(error))]
    return [(record, *judged(record, ledger)) for record in records]


def judged(record, ledger):
    """(outcome, detail) of one record."""
    try:
        with ctx.workprec(BITS):
            return READERS[record["kind"]](record, ledger)
    except NotReadable as error:
        return LEFT, str(error)
    except Wrong as error:
        return REFUTED, str(error)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return REFUTED, f"{type(error).__name__}: {error}"
