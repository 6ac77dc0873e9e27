"""Why no claim about DP-SGD has a margin to attack."""

NO_MARGIN = {
    "KM-Alg3": "it is a program that trains networks",
    "KM-Alg4": "it is a program that trains networks with canaries; the law of its scores is attacked in KM-8.1",
    "KM-Fig8": "it is a plot of an experiment with a network, losses close to normal",
    "KM-Fig10": "it is a plot of an experiment with a network, losses not normal",
    "KM-Fig12": "it is a plot of one composed profile of a network",
}
