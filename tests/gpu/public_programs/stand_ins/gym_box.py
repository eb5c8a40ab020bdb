"""Stands in for gym.spaces.box."""
from gym import Box  # noqa: F401
