"""Mechanisms with Gaussian outputs as things a person can run: calibrate, release, inspect, compare."""

from ndis_verify.mechanisms.calibration import Calibration, Certificate, Target, UnsafeRelease
from ndis_verify.mechanisms.records import clip_norms
from ndis_verify.mechanisms.white_box import OutputLaw, WorstNeighbour, law_delta, worst_neighbour

__all__ = [
    "Calibration",
    "Certificate",
    "OutputLaw",
    "Target",
    "UnsafeRelease",
    "WorstNeighbour",
    "clip_norms",
    "law_delta",
    "worst_neighbour",
]
