"""Proofs made by hand, whole: their steps, and whether the court takes them for proofs of a statement."""

from ndis_verify.court.proof_ends import compared, unconcluded
from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Step


def define(name, meant, premises=()):
    return Step(str(name), "A name.", lhs=name, rhs=meant, kind="definition", premises=premises)


def infer(name, left, sign, right, *premises):
    return Step(name, "So.", lhs=left, rhs=right, relation=sign, kind="inference", premises=premises)


def integrated(name, left, right):
    return Step(name, "", lhs=left, rhs=right, reduce=lambda one, other: one.doit() - other)


def derivation(steps, symbols, hypotheses=()):
    return Derivation(
        id="a.proof",
        title="of something",
        sources=(),
        hypotheses=hypotheses,
        steps=steps,
        result_step=steps[-1].name,
        symbols=symbols | {str(one): one for one in steps[-1].rhs.free_symbols},
        concludes=(Conclusion("CLAIM", steps[-1].name, symbols),),
    )


def passes(stated, steps, symbols, hypotheses=()):
    """Whether the court takes the steps for a proof that ends in the statement."""
    try:
        proof = derivation(steps, symbols, hypotheses)
        wrong = [*problems(proof), *unconcluded("CLAIM", stated, stated.hypothesis_lines, [proof])]
        return not wrong and proof.proved and compared("CLAIM", stated, [proof])
    except InputError:
        return False
