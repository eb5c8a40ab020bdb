"""Measures a change of a recurrent layer in PyTorch itself, and writes the changed code. See ../README.md."""
