"""Stands in for GitPython: the commit is not known."""
import types


class Repo:
    def __init__(self, path):
        self.head = types.SimpleNamespace(commit=types.SimpleNamespace(hexsha="0" * 40))
