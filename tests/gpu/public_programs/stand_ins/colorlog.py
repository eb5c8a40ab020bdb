"""Stands in for colorlog: no colours."""
import logging


class ColoredFormatter(logging.Formatter):
    def __init__(self, *arguments, **options):
        super().__init__("%(message)s")
