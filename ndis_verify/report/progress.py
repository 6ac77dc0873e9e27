"""Moved to `ndis_verify.runs.progress`."""

from ndis_verify.runs.progress import Progress as Progress
