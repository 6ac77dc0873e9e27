"""Why no claim about real records has a margin to attack."""

NO_MARGIN = {
    "DATA-breast_cancer": "it is about one fixed data set; the statement for all databases is attacked in N24-C2",
    "DATA-diabetes": "it is about one fixed data set; the statement for all databases is attacked in N24-C2",
}
