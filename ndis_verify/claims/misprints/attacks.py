"""Why no claim about misprints has a margin to attack."""

NO_MARGIN = {
    "N24-Tab-sizes": "it is a misprint, two rows of a table exchanged",
    "KM-AppE-log": "it is a misprint, a logarithm left out; the counterexample on record is one point",
}
