"""Why no claim about releases has a margin to attack."""

NO_MARGIN = {
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
}
