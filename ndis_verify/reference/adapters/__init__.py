"""Adapters: other implementations behind the line protocol, each in a process of its own."""
