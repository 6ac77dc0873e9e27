"""What a reference row is there to catch: each flag names a class of bugs, its effect and where it has bitten."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """A class of bugs (`bug`), what it does to a value (`effect`) and where it is known to have happened (`seen`)."""

    bug: str
    effect: str
    seen: str


FLAGS: dict[str, Flag] = {
    "body": Flag(
        "anything basic: a sign, a factor 1/2, a swapped pair, a variance taken for a standard deviation",
        "wrong from the first digit",
        "every reimplementation, at first",
    ),
    "loewner_direction": Flag(
        "a bound or a closed form for one order of the covariances is used for the other",
        "delta understated, down to 0 where the truth is 0.3",
        "N26-L2 as printed: N(0,7) against N(0,1) at epsilon 1",
    ),
    "scale": Flag(
        "an absolute tolerance on a quantity that scales with the input",
        "an answer depends on the unit of measurement",
        "termination tests of root searches and of quadratures",
    ),
    "tail_by_subtraction": Flag(
        "a tail computed as 1 - cdf, or a delta as a difference of two nearly equal probabilities",
        "no digits below 1e-16, often 0 or a negative number",
        "two-CDF implementations of N26-T4.1 with an absolute error floor",
    ),
    "near_equal": Flag(
        "1 - lambda formed by subtraction, or a division by a vanishing weight",
        "noise, or a crash, where the covariances nearly agree",
        "weights b_i/a_i of the generalized chi-square form as a_i tends to 0",
    ),
    "repeated_eigenvalues": Flag(
        "a multiplicity dropped, or degrees of freedom not merged",
        "the curve of a lower dimension",
        "implementations through unique eigenvalues",
    ),
    "one_degree": Flag(
        "a density with a singularity at the end of its support is integrated by an equispaced rule",
        "two or three digits instead of fifteen",
        "quadratures of chi-square laws with one degree of freedom",
    ),
    "mixed_signs": Flag(
        "eigenvalues on both sides of 1 treated by a series for positive weights",
        "divergence, NaN, or a truncated series taken for the value",
        "Ruben's series outside its domain",
    ),
    "linear_part": Flag(
        "the Gaussian component from eigenvalues equal to 1 is forgotten, or kept in one of the two laws only",
        "a wrong shift, wrong from the first digit",
        "N26-T4.1: W2 adds the sum of b_i^2 over a_i = 0",
    ),
    "mean_only": Flag(
        "equal covariances sent through the general path, which divides by their difference",
        "division by zero",
        "general engines without the special case",
    ),
    "dense": Flag(
        "eigenvalues of S2^-1 S1 taken for a symmetric matrix, or means whitened by the wrong factor",
        "wrong digits as soon as the covariances do not commute",
        "matrix square roots used in place of a generalized eigenproblem",
    ),
    "wide_ratio": Flag(
        "a covariance ratio of a million squared or multiplied before its logarithm is taken",
        "overflow, or the small eigenvalues lost",
        "determinants formed instead of sums of logarithms",
    ),
    "high_dimension": Flag(
        "a product over the coordinates under- or overflows",
        "0, infinity or NaN from about d = 100 on",
        "characteristic functions multiplied out instead of summed as logarithms",
    ),
    "epsilon_zero": Flag(
        "the total variation distance treated as a limit",
        "division by epsilon, or a lost symmetry of the pair",
        "root searches that start above 0",
    ),
    "negative_epsilon": Flag(
        "delta at -epsilon is not 1 - e^-epsilon plus e^-epsilon times the swapped pair's delta",
        "refused, or clamped to epsilon = 0",
        "profiles read as trade-off functions",
    ),
    "largest_loss": Flag(
        "the end of a bounded privacy loss is blurred: a tail is continued beyond it, or cut off before it",
        "a positive delta where it is 0, or 0 where it is positive",
        "insertion under random projection once 2 epsilon >= r log 1/(1-p)",
    ),
    "exact_zero": Flag(
        "rounding noise instead of an exact 0",
        "a positive or negative delta of 1e-17",
        "differences of two probabilities that are both 0 or both 1",
    ),
    "deep_tail": Flag(
        "no logarithmic evaluation",
        "0 instead of 1e-1000",
        "products of densities, exponentials of sums",
    ),
    "monotone_pair": Flag(
        "the order of two laws, or of the two databases, is mistaken",
        "the other direction's value, usually a smaller one",
        "deletion and insertion exchanged in N24-C2",
    ),
    "invariance": Flag(
        "a change of variables changes the value",
        "rows of one group must agree",
        "whitening by a Cholesky factor on the wrong side",
    ),
    "safe_side": Flag(
        "a calibration returned from the middle of its bracket",
        "a noise level just too small, a delta just above its target",
        "bisections that return the midpoint",
    ),
    "branch": Flag(
        "two formulas meet at a threshold and one is used on both sides",
        "a jump, or a calibration on the wrong branch",
        "the analytic Gaussian mechanism's B+ and B- (BW-Alg1)",
    ),
    "trivial_end": Flag(
        "the end of a parameter's range: leverage 0, no shift, all mass at one point",
        "0/0",
        "closed forms that divide by the parameter",
    ),
    "noncentral": Flag(
        "the noncentrality scaled by the weight, or its square root taken",
        "wrong from the first digit, right for central laws",
        "conventions for noncentral chi-square laws differ between libraries",
    ),
    "finite_sketch": Flag(
        "the limiting Gaussian used for a finite number of rows",
        "an epsilon that is infinite where the exact loss is bounded, or a delta off by O(1/r)",
        "N24-T4 applied at small r",
    ),
    "refusal": Flag(
        "an invalid input is answered with a number",
        "NaN, or a plausible value for a matrix that is no covariance",
        "negative variances, leverages above 1, asymmetric matrices",
    ),
}
