"""Why no claim about published numbers has a margin to attack."""

NO_MARGIN = {
    "PKG-Davies-table": "it is about 39 printed numbers, each of which is enclosed",
    "PKG-Davies-digits": "it is about 39 printed numbers; the counterexample on record is one of them",
    "PKG-Davies-Imhof": "it is about 21 printed numbers; the counterexample on record is one of them",
    "PKG-Imhof-entries": "it is about three numbers, each of which is enclosed",
    "PKG-google-gaussian": "it is about nine printed numbers, each of which is enclosed",
    "PKG-google-small-delta": "it is about one printed number; the counterexample on record is it",
    "PKG-dp-accounting-subsampled": "it is about nine printed numbers of subsampled noise, each enclosed",
    "PKG-dp-accounting-std": "it is about nine printed numbers, with delta enclosed on both sides of each",
    "PKG-google-variances": "it is about five printed numbers, with delta enclosed on both sides of each",
    "PKG-google-log3": "it is about one printed number at log 3; the counterexample on record is it",
    "PKG-chi2comb-readme": "it is about one number on a page; the counterexample on record is that number",
}
