"""Claims that are not a universal statement about numbers, and so have no margin; the reason of each in one line."""

from __future__ import annotations

NO_MARGIN = {
    "N26-D3": "it defines Gaussian-output algorithms; what holds for all of them is attacked in N26-D6-corrected",
    "N26-D4": (
        "it names the law of a sum of independent normal variables; the bounds for that law are attacked in"
        " N26-T6.1-corrected"
    ),
    "N26-D5": (
        "it defines the three sensitivities; the bounds built on them are attacked in N26-D6-corrected and N26-D6-exact"
    ),
    "N24-L1": (
        "it is a limit as r grows and says nothing at any one r; the distance at finite r is attacked in N24-6.3-gap"
    ),
    "N24-P11": (
        "it names the law of a matrix times a normal matrix, without a free number; its covariance is attacked in"
        " N24-C2 and N24-P13"
    ),
    "N24-P12": (
        "it is two moments of a normal variable, E x^2 = s^2 and E x^4 = 3 s^4, with nothing to vary but the scale"
    ),
    "N24-Tab-sizes": "it is a misprint, two rows of a table exchanged",
    "BW-T4-range": "it is one number, enclosed; the threshold over all eps is attacked in BW-T4-corrected",
    "N26-Fig2-ridges": "it is a table of enclosed numbers; the threshold over its whole domain is attacked in N26-Fig2",
    "SL-2-slack": "it is a table of enclosed numbers; the mechanism over its whole domain is attacked in SL-2",
    "KM-Fig7": "it is one curve at s = 5; the largest sensitivity at every s is attacked in KM-7.2",
    "KM-AppE-log": "it is a misprint, a logarithm left out; the counterexample on record is one point",
    "DATA-breast_cancer": "it is about one fixed data set; the statement for all databases is attacked in N24-C2",
    "DATA-diabetes": "it is about one fixed data set; the statement for all databases is attacked in N24-C2",
    "PKG-release-gaussian": "it is about a program's bits; every bit is computed again on vectors of many sizes",
    "PKG-release-laplace": (
        "it is about a program's bits; every bit is computed again on vectors of many sizes, by logarithms of uniforms"
    ),
    "PKG-release-projection": (
        "it is about a program's bits; every bit is computed again on random records and three calibrations"
    ),
    "PKG-release-subsampled": (
        "it is about a program's bits; every bit is computed again on random rates, with and without a ridge"
    ),
    "PKG-release-tested": (
        "it is about a program's bits; every bit is computed again on random splits and databases whose reading leaves"
        " no ridge"
    ),
    "PKG-release-relative-projection": (
        "it is about a program's bits; every bit is computed again on sets that need a ridge and sets that need none"
    ),
    "PKG-release-least-squares": (
        "it is about a program's bits; every bit is computed again on random records above random ridges"
    ),
    "PKG-release-sketch": (
        "it is about a program's bits; every bit is computed again on random records, one record and one row among them"
    ),
    "PKG-release-relative-least-squares": (
        "it is about a program's bits; every bit is computed again on both laws, with and without a ridge"
    ),
    "PKG-release-logistic": (
        "it is about a program's bits; every bit is computed again on random labelled records and penalties"
    ),
    "PKG-release-process": (
        "it is about a program's bits; every bit is computed again on random points, with and without added noise"
    ),
    "PKG-release-declared": (
        "it is about a program's bits; every bit is computed again on an output with deviations from 1 to 3e-5"
    ),
    "PKG-mechanism-table": (
        "it is a table of calibrations on fixed data sets; calibrations at random targets are attacked in"
        " N26-Fig1-smallest-ridge"
    ),
    "BW-Fig2": (
        "it is an experiment on one graph and two signals; soft thresholds over every mean are attacked in BW-T12"
    ),
    "N24-T5-worst-value": (
        "it is a table of enclosed numbers; where the worst record lies is attacked in N24-T5-worst-case"
    ),
    "N24-6.3-worst-value": (
        "it is a table of enclosed numbers; where the worst record lies is attacked in N24-6.3-worst-case"
    ),
    "N24-D7": "it defines the residual of a set of databases; the law that it enters is attacked in N24-C3",
    "N24-TabI": "it is a table of one experiment's averages",
    "N24-TabII": "it is a table of averages of one experiment with private least squares",
    "N24-TabIII": "it is a table of one experiment's averages over a relative set",
    "N24-TabIV": "it is a table of averages of one experiment with relative least squares",
    "N24-Fig5": "it is a plot of two curves for two data sets; their distance for all is attacked in N24-6.3-gap",
    "N24-Fig6": "it is a plot of the curves of two data sets; the curve at every leverage is attacked in N26-L4",
    "N24-Fig9": "it is a plot of an estimated curve; the estimate over all means is attacked in N24-C1",
    "N24-Fig10": "it is a plot of the curves of two data sets; one column at every leverage is attacked in N24-T7",
    "KM-Alg2": "it is a program; what its histograms do to a divergence is attacked in KM-4.1 and KM-4.3",
    "KM-Alg3": "it is a program that trains networks",
    "KM-Alg4": "it is a program that trains networks with canaries; the law of its scores is attacked in KM-8.1",
    "KM-Fig4": "it is a plot of one estimate over s; total variation at every s is attacked in KM-7.1",
    "KM-Fig5": (
        "it is a plot of one estimated curve; the pair at every rate, s and threshold is attacked in KM-S3-corrected"
    ),
    "KM-2.8-pairs": (
        "it says that a supremum is infinite; tests in the tail that exceed any wanted parameter are its own check"
    ),
    "KM-Fig6": "it is a plot of one estimated curve of the Laplace mechanism",
    "KM-Fig8": "it is a plot of an experiment with a network, losses close to normal",
    "KM-Fig10": "it is a plot of an experiment with a network, losses not normal",
    "KM-Fig11": "it is a plot of one composed profile; sums of losses for all small laws are attacked in KM-eq9.1",
    "KM-Fig12": "it is a plot of one composed profile of a network",
}
