"""The verbs of `ndis-verify`, a file each."""
