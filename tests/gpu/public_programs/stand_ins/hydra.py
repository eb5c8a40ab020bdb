"""Stands in for Hydra: the named YAML file over the ones it lists as defaults, NAME=VALUE of the command line, ${NAME.NAME}; the folder stays as it is."""
import pathlib
import re
import sys

import yaml


class Values(dict):
    __getattr__ = dict.__getitem__


def read(folder, name):
    found = yaml.safe_load((folder / f"{name}.yaml").read_text())
    for other in found.pop("defaults", []):
        found = {**read(folder, other), **found}
    return found


def look_up(tree, path):
    for name in path.split("."):
        tree = tree[name]
    return tree


def resolve(value, top):
    if isinstance(value, dict):
        return Values({name: resolve(one, top) for name, one in value.items()})
    reference = re.fullmatch(r"\$\{(.*)\}", str(value))
    if reference:
        return resolve(look_up(top, reference[1]), top)
    if isinstance(value, str) and re.fullmatch(r"\d+e-?\d+", value):  # which YAML takes for text
        return float(value)
    return value


def main(config_path, config_name):
    def decorator(program):
        def run():
            tree = read(pathlib.Path(sys.argv[0]).resolve().parent / config_path, config_name)
            for word in sys.argv[1:]:
                path, value = word.split("=", 1)
                *above, name = path.split(".")
                (look_up(tree, ".".join(above)) if above else tree)[name] = yaml.safe_load(value)
            program(resolve(tree, tree))
        return run
    return decorator
