"""Stands in for librosa.filters."""
from librosa import mel  # noqa: F401
