"""open(): a recorded profile as tables."""

import sqlite3

import pytest
from conftest import SOURCE

import rnnadvisor


def test_tables_have_what_is_in_the_file(sample):
    with rnnadvisor.open(sample) as recording:
        database = sqlite3.connect(sample)
        for table in recording.tables:
            count = database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
            assert len(recording.rows(table)) == count
        assert {"calls", "configurations", "kernels"} <= set(recording.tables)
        configuration = recording.sql("SELECT * FROM configurations WHERE hidden_size > ? LIMIT 1", [0])[0]
        assert configuration["hidden_size"] > 0


def test_findings_are_the_commands(sample):
    with rnnadvisor.open(sample) as recording:
        findings = recording.findings()
        assert len(findings.layers) == len(recording.rows("configurations"))
        assert findings.headline in str(findings)
        assert findings.write("html").lstrip().lower().startswith("<!doctype html")


def test_layers_of_a_recording_say_where_they_are_called(sample):
    with rnnadvisor.open(sample.parent / "programs" / "pytorch-two-layers.rnnprof") as recording:
        (layer,) = recording.findings().layers
    (where,) = layer.where
    assert where.endswith("two_layers.py:17") and where in str(layer)


def test_the_file_is_not_changed(sample):
    before = sample.read_bytes()
    with rnnadvisor.open(sample) as recording:
        with pytest.raises(sqlite3.OperationalError):
            recording.sql("DELETE FROM calls")
    assert sample.read_bytes() == before


def test_what_is_no_profile_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.rnnprof"):
        rnnadvisor.open(tmp_path / "nothing.rnnprof")
    trace = tmp_path / "trace.json"
    trace.write_text("{}" * 600)
    with pytest.raises(rnnadvisor.RnnadvisorError, match="trace.json"):
        rnnadvisor.open(trace)
    damaged = tmp_path / "damaged.rnnprof"
    damaged.write_bytes(b"SQLite format 3\0".ljust(68, b"\1") + b"RNNP" + b"\1" * 600)
    with pytest.raises(rnnadvisor.RnnadvisorError, match="damaged.rnnprof"):
        rnnadvisor.open(damaged)


def test_a_trace_of_another_tool_is_imported():
    trace = SOURCE / "tests" / "data" / "traces" / "batch_first.json.gz"
    with rnnadvisor.open(trace) as recording:
        imported = recording.path
        assert recording.rows("calls") and recording.findings().layers
        assert imported != trace
    assert not imported.exists()


def test_an_unknown_table_names_those_there_are(sample):
    with rnnadvisor.open(sample) as recording:
        with pytest.raises(KeyError, match="calls"):
            recording.rows("no_such_table")


def test_frames(sample):
    pytest.importorskip("pandas")
    with rnnadvisor.open(sample) as recording:
        assert len(recording.frame("calls")) == len(recording.rows("calls"))
        assert list(recording.frame("SELECT count(*) AS n FROM calls")["n"]) == [len(recording.rows("calls"))]
