"""A second reader of the ledger; it imports nothing of the package (docs/recheck.md)."""
