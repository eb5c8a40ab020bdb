"""Python runs this before a program of `rnnadvisor try --change` or `--losses`, for that run only: when the program has imported torch, in_program.py or
perturb.py takes care of its RNN layers. The folder that this file lies in is on PYTHONPATH; a sitecustomize of the user's own still runs."""
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class AfterTorch:
    """Finds torch as Python would, and starts in_program.py at the end of its import."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                start()
            except Exception as error:  # ours; the program goes on as it is
                sys.stderr.write("rnnadvisor: layers cannot be changed here: {}: {}\n".format(type(error).__name__, error))

        spec.loader.exec_module = exec_module
        return spec


def start():
    place = os.path.join(os.path.dirname(HERE), "rnnadvisor_torch")
    spec = importlib.util.spec_from_file_location("rnnadvisor_torch", os.path.join(place, "__init__.py"), submodule_search_locations=[place])
    sys.modules["rnnadvisor_torch"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    from rnnadvisor_torch import in_program, perturb
    if os.environ.get("RNNADVISOR_CHANGES"):
        in_program.start()
    if os.environ.get("RNNADVISOR_PERTURB"):
        perturb.start()


def run_the_users_own():
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if os.environ.get("RNNADVISOR_CHANGES") or os.environ.get("RNNADVISOR_PERTURB"):
    sys.meta_path.insert(0, AfterTorch())
run_the_users_own()
