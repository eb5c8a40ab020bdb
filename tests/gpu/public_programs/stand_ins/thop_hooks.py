"""Stands in for thop.vision.basic_hooks."""


def count_parameters(*arguments):
    pass
