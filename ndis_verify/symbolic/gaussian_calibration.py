"""Noise calibrated by a root of B+ or B- (the analytic Gaussian mechanism) and by a tail bound; counting queries."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi, phi

u, epsilon = sp.symbols("u epsilon", positive=True)
rho, level, room = sp.symbols("rho l v", positive=True)
distance, step, sensitivity = sp.symbols("t s D", positive=True)
half, zero = sp.Rational(1, 2), sp.Integer(0)


def _branch(sign: int) -> tuple[Step, ...]:
    """One branch of the algorithm: alpha = sqrt(1 + u/2) - sign sqrt(u/2) puts the closed form into B+ or B-."""
    name = "B+" if sign > 0 else "B-"
    alpha = sp.sqrt(1 + u / 2) - sign * sp.sqrt(u / 2)
    inverse = sp.sqrt(1 + u / 2) + sign * sp.sqrt(u / 2)
    curve = Phi(sign * sp.sqrt(epsilon * u)) - sp.exp(epsilon) * Phi(-sp.sqrt(epsilon * (u + 2)))
    slope = sign * phi(sp.sqrt(epsilon * u)) * sp.sqrt(epsilon) / 2 * (1 / sp.sqrt(u) + sign / sp.sqrt(u + 2))
    shift = sp.sqrt(2 * epsilon) * inverse
    rate = -sign * alpha / (4 * sp.sqrt(u / 2) * sp.sqrt(1 + u / 2))
    ends = [sp.Limit(sign * sp.sqrt(epsilon * u), u, sp.oo), sp.Limit(-sp.sqrt(epsilon * (u + 2)), u, sp.oo)]
    return (
        Step(f"{name}: 1/alpha", "(1 + u/2) - u/2 = 1.", lhs=alpha * inverse, rhs=sp.Integer(1)),
        Step(
            f"{name}: first argument",
            "std = alpha Delta/sqrt(2 eps), so the shift is sqrt(2 eps)/alpha.",
            lhs=shift / 2 - epsilon * alpha / sp.sqrt(2 * epsilon),
            rhs=sign * sp.sqrt(epsilon * u),
        ),
        Step(
            f"{name}: second argument",
            "The sum of the two squares under one root.",
            lhs=-shift / 2 - epsilon * alpha / sp.sqrt(2 * epsilon),
            rhs=-sp.sqrt(epsilon * (u + 2)),
            reduce=lambda left, right: sp.expand(left - right).subs(sp.sqrt(u + 2), sp.sqrt(2) * sp.sqrt(1 + u / 2)),
        ),
        Step(
            f"{name}: slope",
            "e^eps phi(sqrt(eps (u+2))) = phi(sqrt(eps u)); 1/sqrt(u) > 1/sqrt(u+2).",
            lhs=sp.diff(curve, u),
            rhs=slope,
        ),
        Step(
            f"{name}: at u = 0",
            "1/2 - e^eps Phi(-sqrt(2 eps)) = delta_0, where alpha = 1.",
            lhs=curve.subs(u, 0),
            rhs=half - sp.exp(epsilon) * Phi(-sp.sqrt(2 * epsilon)),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
        ),
        Step(
            f"{name}: as u grows",
            "The limits of the two arguments.",
            lhs=Phi(ends[0]) - sp.exp(epsilon) * Phi(ends[1]),
            rhs=sp.Integer(1 if sign > 0 else 0),
        ),
        Step(
            f"{name}: alpha is monotone in u",
            "Down from 1 to 0 on the branch B+, up from 1 to infinity on B-.",
            lhs=sp.diff(alpha, u),
            rhs=rate,
        ),
    )


@cache
def analytic_std() -> Derivation:
    """`std = alpha Delta/sqrt(2 eps)`, alpha = sqrt(1+u/2) -/+ sqrt(u/2), u the root of B+/B- = delta (BW-Alg1, BW-T9).

    `number`: B+(u), the delta at std = (sqrt(1+u/2) - sqrt(u/2)) Delta/sqrt(2 eps), at `u` > 0 and `epsilon` > 0.
    """
    plus = Phi(sp.sqrt(epsilon * u)) - sp.exp(epsilon) * Phi(-sp.sqrt(epsilon * (u + 2)))
    alpha, shift = sp.sqrt(1 + u / 2) - sp.sqrt(u / 2), sp.sqrt(2 * epsilon) * (sp.sqrt(1 + u / 2) + sp.sqrt(u / 2))
    steps = (
        *_branch(1),
        *_branch(-1),
        Step(
            "B+ increases, B- decreases",
            "1/sqrt(u) - 1/sqrt(u+2), the bracket of B-, is positive, and so is that of B+, their sum.",
            lhs=1 / sp.sqrt(u) - 1 / sp.sqrt(u + 2),
            rhs=zero,
            relation=">",
            witness=2 / (sp.sqrt(u) * sp.sqrt(u + 2) * (sp.sqrt(u) + sp.sqrt(u + 2))),
            reduce=lambda left, right: _over_roots(left - right),
        ),
        Step(
            "every std is met once",
            "alpha runs over (0, 1] and [1, infinity): for delta >= delta_0 the largest u with B+(u) <= delta, else the"
            " smallest u with B-(u) <= delta, is the smallest std whose closed form is at most delta.",
            kind="argument",
        ),
        Step(
            "delta = delta_0",
            "Both branches give u = 0 and alpha = 1:",
            lhs=sp.Subs(alpha, u, 0),
            rhs=sp.Subs(sp.sqrt(1 + u / 2) + sp.sqrt(u / 2), u, 0),
        ),
        Step("privacy", "The closed form at most delta is (eps, delta)-DP (BW-T8).", kind="argument"),
        Step(
            "B+",
            "1/shift = alpha/sqrt(2 eps). ",
            lhs=Phi(shift / 2 - epsilon * alpha / sp.sqrt(2 * epsilon))
            - sp.exp(epsilon) * Phi(-shift / 2 - epsilon * alpha / sp.sqrt(2 * epsilon)),
            rhs=plus,
            reduce=_same_arguments,
        ),
    )
    return Derivation(
        id="gaussian_calibration.analytic_std",
        title="The analytic Gaussian mechanism's algorithm returns the smallest valid std",
        sources=("BW-Alg1", "BW-T9"),
        hypotheses=("eps > 0", "0 < delta < 1", "the roots are exact, or rounded towards the larger std"),
        steps=steps,
        result_step="B+",
        symbols={"u": u, "epsilon": epsilon},
        faults=(
            Fault("u + 1 for u + 2", "B+: second argument", lambda rhs: -sp.sqrt(epsilon * (u + 1))),
            Fault("branches swapped", "B-: first argument", lambda rhs: -rhs),
            Fault(
                "sign inside the slope of B-",
                "B-: slope",
                lambda rhs: -phi(sp.sqrt(epsilon * u)) * sp.sqrt(epsilon) / 2 * (1 / sp.sqrt(u) + 1 / sp.sqrt(u + 2)),
            ),
            Fault("factor e^eps dropped", "B+", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
        ),
        covers={"BW-T9": "whole, with BW-T8"},
    )


def _over_roots(gap: sp.Expr) -> sp.Expr:
    """1/sqrt(u) - 1/sqrt(u+2) over one denominator, the difference of the roots as 2 over their sum."""
    roots = sp.sqrt(u), sp.sqrt(u + 2)
    numerator = sp.expand(gap * roots[0] * roots[1] * (roots[0] + roots[1]))
    return numerator / (roots[0] * roots[1] * (roots[0] + roots[1]))


def _same_arguments(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference, arguments of Phi expanded and sqrt(u + 2) written as sqrt 2 sqrt(1 + u/2)."""

    def tidy(argument: sp.Expr) -> sp.Expr:
        return sp.expand(sp.expand(argument).subs(sp.sqrt(u + 2), sp.sqrt(2) * sp.sqrt(1 + u / 2)))

    return (left - right).replace(Phi, lambda argument: Phi(tidy(argument)))


@cache
def tail_calibration() -> Derivation:
    """Noise N(0, (Delta_2^2/rho) I): `eps = (sqrt(rho)/2)(sqrt(rho) + 2 sqrt(2 ln(1/delta)))` gives (eps, delta)-DP
    (SL-2).

    `number`: eps at `rho` > 0 and `level` = ln(1/delta) > 0.
    """
    value = sp.sqrt(rho) / 2 * (sp.sqrt(rho) + 2 * sp.sqrt(2 * level))
    p, q, mass_q, failure = sp.symbols("p q Q_S delta", positive=True)
    x, a, b = sp.symbols("x a b", real=True)
    variance = sensitivity**2 / rho
    loss = (-((x - a) ** 2) + (x - b) ** 2) / (2 * variance)
    steps = (
        Step(
            "loss, one coordinate",
            "a and b the coordinate of f(X) and f(X').",
            lhs=loss,
            rhs=rho * (a - b) ** 2 / (2 * sensitivity**2) + rho * (x - a) * (a - b) / sensitivity**2,
        ),
        Step(
            "variance of the linear part",
            "<Z, v> has variance ||v||^2 Delta_2^2/rho; with ||v|| = Delta_2 t the loss is N(rho t^2/2, rho t^2).",
            lhs=held(rho / sensitivity**2) ** 2 * held(sensitivity * distance) ** 2 * variance,
            rhs=rho * distance**2,
        ),
        Step("eps", "The two forms of the printed eps.", lhs=rho / 2 + sp.sqrt(2 * rho * level), rhs=value),
        Step(
            "standardised threshold",
            "At ||v|| = Delta_2.",
            lhs=(value - rho / 2) / sp.sqrt(rho),
            rhs=sp.sqrt(2 * level),
        ),
        Step(
            "closer pairs",
            "t = 1/(1 + s) < 1: mean and deviation shrink, the threshold in deviations grows by at least its s share.",
            lhs=(value - rho / (2 * (1 + step) ** 2)) * (1 + step) / sp.sqrt(rho),
            rhs=sp.sqrt(2 * level),
            relation=">",
            witness=step * sp.sqrt(2 * level) + sp.sqrt(rho) / 2 * (step * (2 + step) / (1 + step)),
        ),
        Step(
            "tail",
            "tail_bound at sqrt(2 ln(1/delta)) gives Pr[L > eps] <= delta/2.",
            lhs=sp.exp(-(held(sp.sqrt(2 * level)) ** 2) / 2) / 2,
            rhs=sp.exp(-level) / 2,
        ),
        Step(
            "outside T",
            "There p <= e^eps q, v = e^eps - p/q.",
            lhs=(p / q + room) * q,
            rhs=p,
            relation=">",
            witness=room * q,
        ),
        Step(
            "enough",
            "P(S) = P(S without T) + P(S in T), the first e^eps Q(S without T) - v, the second P(T) - w, Q(S without"
            " T) = Q(S) -"
            " t, P(T) = delta - s: for every S P(S) <= e^eps Q(S) + delta, in both orders of the pair, as the loss"
            " has one law in"
            " both.",
            lhs=(sp.exp(value) * (mass_q - distance) - room) + ((failure - step) - level),
            rhs=sp.exp(value) * mass_q + failure,
            relation="<",
            witness=-sp.exp(value) * distance - room - step - level,
        ),
        Step(
            "half to spare",
            "The same eps gives (eps, delta/2)-DP.",
            lhs=sp.exp(-level),
            rhs=sp.exp(-level) / 2,
            relation=">",
            witness=sp.exp(-level) / 2,
        ),
        Step("eps as printed", "The root split.", lhs=rho / 2 + sp.sqrt(rho) * sp.sqrt(2 * level), rhs=value),
    )
    return Derivation(
        id="gaussian_calibration.tail_calibration",
        title="The Gaussian mechanism by a tail bound on the privacy loss",
        sources=("SL-2",),
        hypotheses=("rho > 0", "0 < delta < 1"),
        steps=steps,
        result_step="eps as printed",
        symbols={"rho": rho, "level": level},
        faults=(
            Fault(
                "the 2 inside the root dropped",
                "eps as printed",
                lambda rhs: sp.sqrt(rho) / 2 * (sp.sqrt(rho) + 2 * sp.sqrt(level)),
            ),
            Fault(
                "sensitivity not squared in the variance",
                "variance of the linear part",
                lambda rhs: rhs * sensitivity**2,
            ),
            Fault("sqrt(ln) for sqrt(2 ln)", "standardised threshold", lambda rhs: sp.sqrt(level)),
            Fault("tail e^{-l/2}", "tail", lambda rhs: sp.exp(-level / 2) / 2),
        ),
        covers={"SL-2": "whole, with tail_bound"},
    )


@cache
def no_pure_privacy() -> Derivation:
    """`delta(eps) >= (1/2) Phi(Delta/2 - (eps + log 2)/Delta) > 0` for every eps: Gaussian noise is not eps-DP (SL).

    `number`: that lower bound at `shift` = Delta > 0 (sensitivity over standard deviation) and `epsilon`.
    """
    shift, slack = sp.Symbol("Delta", positive=True), sp.Symbol("w", nonnegative=True)
    eps, z = sp.symbols("eps z", real=True)
    edge = (eps + sp.log(2)) / shift - shift / 2
    steps = (
        Step(
            "loss",
            "L = Delta^2/2 + Delta z under P, z standard normal (mean_shift.privacy_loss): L - eps - log 2 = Delta (z -"
            " edge), so the loss exceeds eps + log 2 on a half-line,",
            lhs=shift**2 / 2 + shift * z - eps - sp.log(2),
            rhs=shift * (z - edge),
        ),
        Step(
            "half of it counts",
            "where e^{eps - L} = 1/(2 (1 + w)), w >= 0, and the hinge 1 - e^{eps - L} is at least 1/2.",
            lhs=1 - 1 / (2 * (1 + slack)),
            rhs=half,
            relation=">=",
            witness=slack / (2 * (1 + slack)),
        ),
        Step(
            "probability of the half-line",
            "1 - Phi(edge) = Phi(-edge),",
            lhs=1 - Phi(edge),
            rhs=Phi(-edge),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc).simplify(),
        ),
        Step(
            "it is positive",
            "half of which is positive, and the rest of the hinge is not negative.",
            lhs=half * Phi(-edge),
            rhs=zero,
            relation=">",
            witness=half * Phi(-edge),
        ),
        Step(
            "not eps-DP",
            "eps-DP would need delta(eps) = 0 (privacy_loss.dp_iff_hockey_stick), for a pair at the sensitivity or any"
            " pair with f(X) != f(X').",
            kind="argument",
        ),
        Step(
            "bound",
            "The edge, its sign turned.",
            lhs=held(half) * Phi(-edge),
            rhs=half * Phi(shift / 2 - (eps + sp.log(2)) / shift),
            reduce=lambda left, right: (left - right).replace(Phi, lambda argument: Phi(sp.expand(argument))),
        ),
    )
    return Derivation(
        id="gaussian_calibration.no_pure_privacy",
        title="The Gaussian mechanism is not purely private",
        sources=("SL-2",),
        hypotheses=("Delta > 0", "real eps"),
        steps=steps,
        result_step="bound",
        symbols={"shift": shift, "epsilon": eps},
        faults=(
            Fault("edge on the other side", "bound", lambda rhs: half * Phi((eps + sp.log(2)) / shift - shift / 2)),
            Fault("log 2 left out of the edge", "loss", lambda rhs: rhs + sp.log(2)),
            Fault("three quarters counted", "half of it counts", lambda rhs: sp.Rational(3, 4)),
        ),
        covers={"SL-2-pure": "whole"},
    )


@cache
def counting_queries() -> Derivation:
    """`n >= (1+sqrt 2) sqrt(k ln(1/delta) ln(k/beta))/(eps alpha)` gives k counts within alpha, probability 1 - beta
    (SL-3).

    `number`: the n that the derivation's exact rho gives, (sqrt(2l+2eps)+sqrt(2l))/(2 eps) sqrt(2 k ln(k/beta))/alpha,
    at `k`, `epsilon`, `level` = l = ln(1/delta), `log_ratio` = ln(k/beta), `alpha`.
    """
    k, alpha, ratio, rate = sp.symbols("k alpha m c", positive=True)
    root = sp.sqrt(2 * level + 2 * epsilon) - sp.sqrt(2 * level)
    inverse = (sp.sqrt(2 * level + 2 * epsilon) + sp.sqrt(2 * level)) / (2 * epsilon)
    std = lambda n: sp.sqrt(k) / n * inverse  # noqa: E731
    enough = inverse * sp.sqrt(2 * k * ratio) / alpha
    order = (1 + sp.sqrt(2)) * sp.sqrt(k * level * ratio) / (epsilon * alpha)
    small = level / (1 + room)
    steps = (
        Step(
            "rho",
            "The positive root of rho/2 + sqrt(2 rho l) = eps.",
            lhs=root**2 / 2 + root * sp.sqrt(2 * level),
            rhs=epsilon,
        ),
        Step("1/sqrt(rho)", "(2l + 2 eps) - 2l = 2 eps.", lhs=root * inverse, rhs=sp.Integer(1)),
        Step(
            "noise",
            "std = Delta_2/sqrt(rho) with Delta_2 = sqrt(k)/n/(1 + v) <= sqrt(k)/n (SL-1).",
            lhs=sp.sqrt(k) / rate / (1 + room) * inverse,
            rhs=sp.sqrt(k) / rate * inverse,
            relation="<",
            witness=-sp.sqrt(k) / rate * inverse * room / (1 + room),
        ),
        Step(
            "one query",
            "Pr[|Z_i| >= t] = 2 Phi(-t/std) <= e^{-t^2/(2 std^2)} (tail_bound); at t = std sqrt(2 ln(k/beta)) that is"
            " beta/k, here e^{-m}.",
            lhs=sp.exp(-(held(sp.sqrt(2 * ratio)) ** 2) / 2),
            rhs=sp.exp(-ratio),
        ),
        Step(
            "k queries",
            "The union of k events of probability at most beta/k.",
            lhs=k * held(sp.Symbol("beta", positive=True) / k),
            rhs=sp.Symbol("beta", positive=True),
        ),
        Step(
            "error at n",
            "std sqrt(2 ln(k/beta)) equals alpha at this n and decreases in n.",
            lhs=std(enough) * sp.sqrt(2 * held(ratio)),
            rhs=alpha,
        ),
        Step(
            "eps <= l: the root",
            "With eps = l/(1+v), (2 sqrt l)^2 exceeds 2l + 2 eps.",
            lhs=4 * level,
            rhs=2 * level + 2 * small,
            relation=">",
            witness=2 * level * room / (1 + room),
        ),
        Step(
            "eps <= l: the constant",
            "With 2 sqrt(l) for the first root n becomes the order printed, with its constant.",
            lhs=(2 * sp.sqrt(level) + sp.sqrt(2 * level)) / (2 * epsilon) * sp.sqrt(2 * k * ratio) / alpha,
            rhs=order,
        ),
        Step(
            "sharp",
            "The k noises are independent: Pr[max |Z_i| >= alpha] = 1 - (1 - 2 Phi(-alpha/std))^k exactly. With the"
            " smallest std of the target (std_1 for sensitivity 1) and Delta_2 = sqrt(k)/n attained, n >= sqrt(k) std_1"
            " z/alpha is necessary and sufficient, z the point with (1 - 2 Phi(-z))^k = 1 - beta.",
            kind="argument",
        ),
        Step(
            "no constant instead of the logarithm",
            "With n = C sqrt(k ln(1/delta))/(eps alpha) the accuracy is a fixed number of deviations, whatever k; with"
            " c = -log(1 - 2 Phi(-z)) > 0 the chance that no error exceeds it is e^{-c k}, which tends to",
            lhs=sp.Limit(sp.exp(-rate * k), k, sp.oo),
            rhs=zero,
        ),
        Step(
            "n",
            "The number of records.",
            lhs=held(inverse) * sp.sqrt(2) * sp.sqrt(k) * sp.sqrt(ratio) / held(alpha),
            rhs=enough,
        ),
    )
    return Derivation(
        id="gaussian_calibration.counting_queries",
        title="Accuracy of k counting queries under Gaussian noise",
        sources=("SL-3",),
        hypotheses=(
            "0 < eps",
            "0 < delta < 1",
            "0 < beta < k",
            "alpha > 0",
            "eps <= ln(1/delta) for the printed order",
        ),
        steps=steps,
        result_step="n",
        symbols={"k": k, "epsilon": epsilon, "level": level, "log_ratio": ratio, "alpha": alpha},
        faults=(
            Fault("sqrt(k) dropped", "n", lambda rhs: rhs / sp.sqrt(k)),
            Fault("constant sqrt 2", "eps <= l: the constant", lambda rhs: rhs * sp.sqrt(2) / (1 + sp.sqrt(2))),
            Fault("wrong root of the quadratic", "rho", lambda rhs: rhs + 2 * level),
            Fault("tail of a single query without the 2", "one query", lambda rhs: sp.exp(-2 * ratio)),
            Fault("a constant is enough", "no constant instead of the logarithm", lambda rhs: sp.Integer(1)),
        ),
        covers={"SL-3": "whole"},
    )
