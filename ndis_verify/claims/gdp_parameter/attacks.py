"""Why no claim about the GDP parameter has a margin to attack."""

NO_MARGIN = {
    "KM-2.8-pairs": (
        "it says that a supremum is infinite; tests in the tail that exceed any wanted parameter are its own check"
    ),
}
