"""Adapters: other implementations behind the line protocol, each in a process of its own.

`SURVEYED` in a module of this folder has the arguments with which the survey of all adapters runs it, by the name that
its table shows; it is found, not registered.
"""
