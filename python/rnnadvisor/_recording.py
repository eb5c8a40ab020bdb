"""open(): a recorded profile as tables. The file is SQLite; docs/file-format.md has its tables."""

from __future__ import annotations

import json
import sqlite3
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Union

from ._findings import Findings
from ._program import RnnadvisorError, run

if TYPE_CHECKING:
    from types import TracebackType

Row = Dict[str, Any]


# SQLite's number for the format of a file, in its header; docs/file-format.md.
_APPLICATION_ID = b"RNNP"


class Recording:
    """A .rnnprof file, opened for reading. The recording of another tool is imported into a temporary one."""

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"there is no profile '{self.path}'")
        self._imported = None if _is_profile(self.path) else TemporaryDirectory(prefix="rnnadvisor-")
        if self._imported is not None:
            profile = Path(self._imported.name) / "imported.rnnprof"
            run(["import", str(self.path), "-o", str(profile)])
            self.path = profile
        self._database = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
        self._database.row_factory = sqlite3.Row
        try:
            self.tables: List[str] = [
                row["name"] for row in self.sql("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
            ]
        except sqlite3.DatabaseError as error:
            raise RnnadvisorError(f"the profile '{self.path}' is damaged: {error}") from None

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> List[Row]:
        """The rows that a query selects."""
        return [dict(row) for row in self._database.execute(query, parameters)]

    def rows(self, table: str) -> List[Row]:
        """All rows of a table."""
        return self.sql(self._select(table))

    def frame(self, table: str) -> Any:
        """A table, or what a query that begins with SELECT selects, as a pandas.DataFrame."""
        pandas = import_module("pandas")
        return pandas.read_sql_query(table if table.lstrip().upper().startswith("SELECT") else self._select(table), self._database)

    def findings(self) -> Findings:
        """What the command finds in it, by the rules of this version."""
        return judge_recording(self.path)

    def _select(self, table: str) -> str:
        if table not in self.tables:
            raise KeyError(f"there is no table '{table}'; there are: {', '.join(self.tables)}")
        return f'SELECT * FROM "{table}"'

    def close(self) -> None:
        self._database.close()
        if self._imported is not None:
            self._imported.cleanup()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rnnadvisor.Recording '{self.path}': {', '.join(self.tables)}>"


def _is_profile(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(100)
    return header[:16] == b"SQLite format 3\0" and header[68:72] == _APPLICATION_ID


def judge_recording(path: Path) -> Findings:
    def write(format: str) -> str:
        return run(["report", str(path), "--format", format]).text

    return Findings(json.loads(write("json")), (), write)


def open(path: Union[str, Path]) -> Recording:
    """Opens a profile, or what another tool recorded: see `rnnadvisor import --help`."""
    return Recording(path)
