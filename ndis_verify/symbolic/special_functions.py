"""The three distribution functions that closed forms end in, with derivatives and limits known to SymPy.

Each `rewrite`s to SymPy's own erfc or incomplete gamma, against which its derivative is checked.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.zero import as_expression


def phi(x: Any) -> sp.Expr:
    """Standard normal density."""
    return sp.exp(-(as_expression(x) ** 2) / 2) / sp.sqrt(2 * sp.pi)


class Phi(sp.Function):
    """Standard normal CDF, `Phi(x) = erfc(-x/sqrt 2)/2`."""

    nargs = 1
    is_real = True
    is_positive = True  # at every finite point; the ends are numbers

    @classmethod
    def eval(cls, x: Any) -> Any:
        if x is sp.oo:
            return sp.Integer(1)
        if x is -sp.oo:
            return sp.Integer(0)
        return None

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return phi(self.args[0])

    def _eval_rewrite_as_erfc(self, x: Any, **hints: Any) -> sp.Expr:
        return sp.erfc(-x / sp.sqrt(2)) / 2

    def _eval_rewrite_as_erf(self, x: Any, **hints: Any) -> sp.Expr:
        return (1 + sp.erf(x / sp.sqrt(2))) / 2

    def _mpmathcode(self, printer: Any) -> str:
        return f"({printer._print(self.rewrite(sp.erfc))})"  # a reflected erfc prints as a sum

    def _numpycode(self, printer: Any) -> str:
        return f"{printer._module_format('scipy.special.ndtr')}({printer._print(self.args[0])})"

    _scipycode = _numpycode


class Qg(sp.Function):
    """Regularised upper incomplete gamma `Qg(s, x)`: the chi-square survival function is `Qg(r/2, t/2)`."""

    nargs = 2
    is_real = True

    @classmethod
    def eval(cls, s: Any, x: Any) -> Any:
        if x is sp.oo:
            return sp.Integer(0)
        if x == 0 and s.is_positive:
            return sp.Integer(1)
        return None

    def _eval_is_positive(self) -> bool | None:
        s, x = self.args
        return True if s.is_positive and x.is_nonnegative else None  # x finite: at infinity it is a number

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        if argindex != 2:
            raise sp.ArgumentIndexError(self, argindex)
        s, x = self.args
        return -gamma_density(s, x)

    def _eval_rewrite_as_uppergamma(self, s: Any, x: Any, **hints: Any) -> sp.Expr:
        return sp.uppergamma(s, x) / sp.gamma(s)

    def _mpmathcode(self, printer: Any) -> str:
        s, x = (printer._print(argument) for argument in self.args)
        return f"{printer._module_format('mpmath.gammainc')}({s}, {x}, regularized=True)"

    def _numpycode(self, printer: Any) -> str:
        s, x = (printer._print(argument) for argument in self.args)
        return f"{printer._module_format('scipy.special.gammaincc')}({s}, {x})"

    _scipycode = _numpycode


class Pg(sp.Function):
    """Regularised lower incomplete gamma `Pg(s, x) = 1 - Qg(s, x)`: the chi-square CDF is `Pg(r/2, t/2)`."""

    nargs = 2
    is_real = True

    @classmethod
    def eval(cls, s: Any, x: Any) -> Any:
        if x is sp.oo:
            return sp.Integer(1)
        if x == 0 and s.is_positive:
            return sp.Integer(0)
        return None

    def _eval_is_positive(self) -> bool | None:
        s, x = self.args
        return True if s.is_positive and x.is_positive else None

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        if argindex != 2:
            raise sp.ArgumentIndexError(self, argindex)
        return gamma_density(*self.args)

    def _eval_rewrite_as_lowergamma(self, s: Any, x: Any, **hints: Any) -> sp.Expr:
        return sp.lowergamma(s, x) / sp.gamma(s)

    def _mpmathcode(self, printer: Any) -> str:
        s, x = (printer._print(argument) for argument in self.args)
        return f"{printer._module_format('mpmath.gammainc')}({s}, 0, {x}, regularized=True)"

    def _numpycode(self, printer: Any) -> str:
        s, x = (printer._print(argument) for argument in self.args)
        return f"{printer._module_format('scipy.special.gammainc')}({s}, {x})"

    _scipycode = _numpycode


def gamma_density(s: Any, x: Any) -> sp.Expr:
    """Density of the gamma law with shape s and unit rate, `x^(s-1) e^(-x) / Gamma(s)`."""
    s, x = as_expression(s), as_expression(x)
    return x ** (s - 1) * sp.exp(-x) / sp.gamma(s)


def chi2_density(dof: Any, t: Any) -> sp.Expr:
    """Density of the chi-square law with `dof` degrees of freedom at t > 0."""
    return gamma_density(as_expression(dof) / 2, as_expression(t) / 2) / 2


def as_erfc(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference of two sides with every Phi written by erfc."""
    return (left - right).rewrite(sp.erfc)
