"""Why a claim about mean and covariance moved together has no margin to attack."""

NO_MARGIN = {
    "N26-Pr7-joint-approached": "it speaks of a limit of databases, of which no single one fails it",
}
