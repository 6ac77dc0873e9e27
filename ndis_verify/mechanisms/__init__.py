"""Mechanisms with Gaussian outputs as things a person can run: calibrate, release, inspect, compare."""

from ndis_verify.facade import Facade

Facade.of(__name__)
