"""Stands in for hydra.utils."""
import os

to_absolute_path = os.path.abspath
