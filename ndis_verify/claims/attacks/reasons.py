"""Claims that are not a universal statement about numbers, and so have no margin; the reason of each in one line."""

from __future__ import annotations

NO_MARGIN = {
    "N26-P2-sharp": "it is one number, enclosed at one point; N26-P2 is the inequality over its whole domain",
    "N26-D3": "it defines Gaussian-output algorithms; what holds for all of them is attacked in N26-D6-corrected",
    "N26-D4": "it names the law of a sum of independent normal variables; the bounds for that law are attacked in N26-T6.1-corrected",
    "N26-D5": "it defines the three sensitivities; the bounds built on them are attacked in N26-D6-corrected and N26-D6-exact",
    "N24-L1": "it is a limit as r grows and says nothing at any one r; the distance at finite r is attacked in N24-6.3-gap",
    "N24-P11": "it names the law of a matrix times a normal matrix, without a free number; its covariance is attacked in N24-C2 and N24-P13",
    "N24-P12": "it is two moments of a normal variable, E x^2 = s^2 and E x^4 = 3 s^4, with nothing to vary but the scale",
    "N24-Tab-sizes": "it is a misprint, two rows of a table exchanged",
    "BW-T4-range": "it is one number, enclosed; the threshold over all eps is attacked in BW-T4-corrected",
    "SL-2-slack": "it is a table of enclosed numbers; the mechanism over its whole domain is attacked in SL-2",
    "KM-Fig7": "it is one curve at s = 5; the largest sensitivity at every s is attacked in KM-7.2",
    "KM-AppE-log": "it is a misprint, a logarithm left out; the counterexample on record is one point",
    "DATA-breast_cancer": "it is about one fixed data set; the statement for all databases is attacked in N24-C2",
    "DATA-diabetes": "it is about one fixed data set; the statement for all databases is attacked in N24-C2",
}
