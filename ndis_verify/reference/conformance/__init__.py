"""Conformance: an implementation in any language against the reference tables, over the line protocol."""
