"""Reads public databases of Nsight Systems with the importer and compares it with SQL on the same files.

usage: read_public_exports.py RNNADVISOR FILE.sqlite ...

The files are not part of this tree. Known ones, by their SHA-256, are of https://github.com/hpcgroup/pipit:
  git show 46d41f2a6681112c86f3a090f9241ad05226ed43:pipit/tests/data/saxpy-mpi-cuda_nsys_perlmutter0.sqlite
  git show ad30bc8498bdd16cc93b4eb8397d5d5bbae3e33b:pipit/tests/data/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite
They are of programs without recurrent layers: what they show is that real exports of two schemas are read whole.
"""
import hashlib
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

KNOWN = {
    "38a44cf4de905da66bd1f73f35b23fc4fa0e7f1979bf6f8468ba41fe8f6cf7c6": "saxpy-mpi-cuda, exported by Nsight Systems 2022.2, schema 2.9.1",
    "91cedad6e198bfe2deb93f4c158c19e92a5c3968018fb7a1bbee1cceae453efb": "cloverleaf, exported by Nsight Systems 2024.5, schema 3.13.2",
}
TABLES = {
    "kernels": ["CUPTI_ACTIVITY_KIND_KERNEL"],
    "transfers": ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"],
    "api": ["CUPTI_ACTIVITY_KIND_RUNTIME"],
}


def rows_and_time(database, tables, duration):
    """How many rows and how many nanoseconds the tables that exist have."""
    there = {row[0] for row in database.execute("SELECT name FROM sqlite_schema")}
    rows = [database.execute(f"SELECT count(*), total({duration}) FROM {table}").fetchone() for table in tables if table in there]
    return sum(row[0] for row in rows), sum(row[1] for row in rows)


def main():
    program, *files = sys.argv[1:]
    if not files:
        sys.exit(__doc__)
    for name in files:
        digest = hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()
        print(f"{name}: {KNOWN.get(digest, 'another file, ' + digest)}")
        with tempfile.TemporaryDirectory() as folder:
            profile = f"{folder}/imported.rnnprof"
            subprocess.run([program, "import", name, "-o", profile], check=True)
            export, imported = sqlite3.connect(f"file:{name}?immutable=1", uri=True), sqlite3.connect(profile)
            for ours, theirs in TABLES.items():
                wanted, got = rows_and_time(export, theirs, '"end" - "start"'), rows_and_time(imported, [ours], "duration_ns")
                if wanted != got:
                    sys.exit(f"{ours}: {got[0]} rows and {got[1]:.0f} ns, expected {wanted[0]} and {wanted[1]:.0f}")
                print(f"  {ours}: {got[0]} rows, {got[1]:.0f} ns, as in the export")


if __name__ == "__main__":
    main()
