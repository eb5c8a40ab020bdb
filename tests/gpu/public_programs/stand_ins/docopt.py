"""Stands in for docopt: options with and without a value, and their defaults, from the help's lines; other words are commands."""
import re
import sys


def docopt(text):
    found = {}
    for name, value, default in re.findall(r"^\s+(?:-\w )?(--[\w-]+)(=<\w+>)? .*?(?:\[default: (.*)\])?$", text, re.MULTILINE):
        found[name] = default if default else None if value else False
    words = iter(sys.argv[1:])
    for word in words:
        found[word] = next(words) if word in found and found[word] is not False else True
    return {"train": False, "decode": False, **found}
