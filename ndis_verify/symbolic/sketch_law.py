"""The density of the solution of least squares on a Gaussian sketch: normal given the sketch, which is Wishart."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import det, minimiser, multigamma, over_definite, trace, transpose
from ndis_verify.symbolic.sketch_records import (
    Database,
    M,
    d,
    r,
    s,
    student,
    x,
)


def law_steps(at: Database) -> Iterator[Step]:
    """The density of the solution, given what its N, m and W are."""
    tag = at.tag
    w = at.offset / sp.sqrt(at.residual)
    w_transposed = transpose(w)
    tilted = at.inverse + w * w_transposed
    vector = minimiser(at.gram, at.cross, at.square, r)
    definite = {"definite": f"form, {tag}", "least": "s^2"}
    sized = {**definite, "rows": "rows", "size": f"columns, {tag}"}
    inverse_shown = {"inverse": f"{at.inverse} from the left"}
    letters = {"N": at.gram, "least": s**2}
    stated = meaning(f"f, {tag}", "sketch_density", at.gram, at.cross, at.square, r, x)
    given = by_fact(
        f"given X, {tag}",
        "Given X the solution is normal,",
        "least squares on normal rows",
        {**letters, "c": at.cross, "a": at.square, "r": r, "d": d, "m": at.solution, "W": at.residual, "M": M},
        {**sized, "centre": f"solution, {tag}", "residual": f"residual, {tag}", "positive": f"{at.residual} > 0"},
    )
    mixed = by_fact(
        f"mixture, {tag}",
        "and X^T X is a Wishart matrix:",
        "density of a mixture over a Wishart matrix",
        {**letters, "Z": vector, "P": given.rhs, "M": M, "x": x, "r": r, "d": d},
        {**sized, "given": given.name},
    )
    normal_density = by_fact(
        f"normal density, {tag}",
        "the density of the one",
        "density of a normal law by its precision",
        {"N": at.gram, "m": at.solution, "W": at.residual, "M": M, "x": x, "h": at.offset, "d": d},
        {"positive": f"{at.residual} > 0", "offset": str(at.offset), "size": f"columns, {tag}"},
    )
    wishart_density = by_fact(
        f"Wishart density, {tag}",
        "and that of the other,",
        "density of a Wishart matrix",
        {**letters, "X": at.inverse, "M": M, "r": r, "d": d},
        {**sized, **inverse_shown},
    )
    square = by_fact(
        f"trace, {tag}",
        "with the square as a trace,",
        "a form as a trace",
        {"w": at.offset, "M": M},
        {},
    )
    constant = (2 * sp.pi * at.residual) ** (-d / 2) / (
        2 ** (r * d / 2) * multigamma(d, r / 2) * at.determinant ** (r / 2)
    )
    kernel = det(M) ** ((r - d) / 2) * sp.exp(-trace(tilted * M) / 2)
    together = inferred(
        f"integrand, {tag}",
        "are a power of det M times an exponential of a trace, up to a constant:",
        normal_density.lhs * wishart_density.lhs,
        "=",
        constant * kernel,
        *(normal_density.name, wishart_density.name, square.name, str(at.determinant)),
    )
    linear = by_fact(
        f"constant, {tag}",
        "the integral is that constant times",
        "means are linear",
        {"mean": over_definite, "terms": ((constant, kernel),)},
        {"integrable": f"integral, {tag}"},
    )
    integral = by_fact(
        f"integral, {tag}",
        "an integral that is known:",
        "integral over the positive definite matrices",
        {**letters, "X": at.inverse, "w": w, "M": M, "n": r + 1, "d": d},
        {**definite, **inverse_shown, "rows": "more rows", "size": f"columns, {tag}"},
    )
    turned = by_fact(
        f"determinant, {tag}",
        "det(N^{-1} + h h^T/W) is",
        "determinant of a matrix and a square",
        {"A": at.inverse, "X": at.gram, "w": w},
        inverse_shown,
    )
    inverse = by_fact(
        f"determinant of the inverse, {tag}",
        "1/det N times",
        "determinant of an inverse",
        {"X": at.inverse, "N": at.gram},
        {**inverse_shown, "positive": f"det, {tag}"},
    )
    found = inferred(
        f"excess, {tag}",
        "1 + h^T N h/W,",
        det(tilted),
        "=",
        (1 + at.form / at.residual) / at.determinant,
        *(turned.name, inverse.name, str(at.determinant), str(at.form)),
    )
    yield from (stated, given, mixed, normal_density, wishart_density, square, together)
    yield from (turned, inverse, found, integral, linear)
    yield inferred(
        f"law, {tag}",
        "a Student law:",
        stated.lhs,
        "=",
        student(d, at.determinant, at.residual, at.form),
        *(stated.name, mixed.name, together.name, linear.name, integral.name, found.name, "ratio of gammas"),
    )
