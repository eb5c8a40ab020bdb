"""The sample notebook under nbconvert: every cell runs, and shows what it is there for."""

import importlib.util
import json

import pytest
from conftest import SOURCE

NOTEBOOK = SOURCE / "samples" / "notebooks" / "why-slow.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The outputs of the cells, in their order."""
    for needed, package in (("nbconvert", "jupyter-nbconvert"), ("ipykernel", "python3-ipykernel")):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is missing (Debian: {package})")
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    execute = ExecutePreprocessor(timeout=120, kernel_name="python3")
    execute.preprocess(notebook, {"metadata": {"path": str(NOTEBOOK.parent)}})
    return ["\n".join(json.dumps(output) for output in cell.get("outputs", [])) for cell in notebook.cells]


def of(outputs, text):
    """The outputs of the one cell whose source has the text."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (at,) = [i for i, cell in enumerate(cells) if cell["cell_type"] == "code" and text in "".join(cell["source"])]
    return outputs[at]


def test_findings_of_the_recorded_profile_are_shown_as_html(outputs):
    shown = of(outputs, "run.findings()")
    assert "text/html" in shown and "LSTM" in shown


def test_the_profile_has_calls_of_every_phase(outputs):
    shown = of(outputs, "run.sql(")
    for phase in ("forward_training", "backward_data", "backward_weights"):
        assert phase in shown


def test_a_process_that_was_not_started_for_it_is_told_how(outputs):
    assert "--capture-range" in of(outputs, "rnnadvisor.profile()")


def test_a_model_is_judged_where_pytorch_is_installed(outputs):
    shown = of(outputs, "rnnadvisor.check(")
    assert "text/html" in shown or "PyTorch is not installed" in shown


def test_the_committed_notebook_has_no_outputs():
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None
