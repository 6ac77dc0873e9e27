"""Moved to `ndis_verify.runs.files`."""

from ndis_verify.runs.files import write_atomically as write_atomically
