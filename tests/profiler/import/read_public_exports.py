"""Reads public databases of Nsight Systems with the importer and compares it with SQL on the same files.

usage: read_public_exports.py RNNADVISOR FILE.sqlite ...

The files are not part of this tree. KNOWN names public ones by their SHA-256, with repository, commit and path: `git show
COMMIT:PATH > FILE.sqlite` in a clone has the file. They are of programs without recurrent layers: what they show is that real
exports of eight schemas are read whole.
"""
import hashlib
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

KNOWN = {
    "38a44cf4de905da66bd1f73f35b23fc4fa0e7f1979bf6f8468ba41fe8f6cf7c6": "Nsight Systems 2022.2, schema 2.9.1: github.com/hpcgroup/pipit 46d41f2a6681112c86f3a090f9241ad05226ed43:pipit/tests/data/saxpy-mpi-cuda_nsys_perlmutter0.sqlite",
    "8684218dee11410760c09b7ed3f535d7d199f8b700714ad985dff4716051abdd": "Nsight Systems 2022.2, schema 2.9.1: github.com/lsaeteurn/vectoraddition 82cca004552fad12f1cdcde93fd681d71693d437:report1.sqlite",
    "46e121e92787575bc900d4f8350eb20774a11403b50dc3278f5037759902091e": "Nsight Systems 2022.1, schema 2.9.1: github.com/chase-compton/Game-of-Life-in-CUDA 1ad14c2d5e54f7d7e8cb0818f546d658eed0fb1b:report1.sqlite",
    "06711b09dd7fb44780a357462c3df458adfe988df95fc122039457f3d0883a10": "Nsight Systems 2022.4, schema 3.0.0: github.com/kmcho2019/Rodinia_3.1_Gaussian d4446f4979af12da991ec7e8304fead0c384a328:report2.sqlite",
    "0bf340a8a3992c8abe4c0d02f25452425a58a4fe6c95ed6d8afde0f9e4d1977f": "Nsight Systems 2023.2, schema 3.1.7: github.com/wenscarl/cutlass_benchmark 8f17c660b9b647079546731075b55e9a4d626e38:report1.sqlite",
    "da772a6d721b58dde81c643d17b240604bf256c246b2a5fe45641a24f532f871": "Nsight Systems 2023.3, schema 3.4.0: github.com/blbadger/threebody 076f5cd0a69699919fd23323ff375b74e0aff958:report1.sqlite",
    "26e6b284e4b77efe5405db5ac7494e1b1903233bd669eefd31307c38f0c49b0b": "Nsight Systems 2024.4, schema 3.11.2: github.com/hsiaogary/CUDA-course d4040acacad35c6c2f74b52dad902f4f9bf6aeac:report1.sqlite",
    "91cedad6e198bfe2deb93f4c158c19e92a5c3968018fb7a1bbee1cceae453efb": "Nsight Systems 2024.5, schema 3.13.2: github.com/hpcgroup/pipit ad30bc8498bdd16cc93b4eb8397d5d5bbae3e33b:pipit/tests/data/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite",
    "5c5381b16afc4ec80fdf90d4837e7d79da7ce68f14c8ac7183f1ed1a12cdeb01": "Nsight Systems 2024.5, schema 3.13.2: github.com/SamuelAmsih/CUDA f7fa02c3c5fd70f10b03e9d1c531d955331f3633:report1.sqlite",
    "7a01729344e8f688bca558a2bfb9fe5e431de6e098c5ec5f650e5b6d393decc7": "Nsight Systems 2025.3, schema 3.20.2: github.com/IkerCanut/fire_spread 8c67db295796d4cc33b360fe2a108849aef409ff:report1.sqlite",
    "a9ff5595ffc18bc98e5c289a24cf58059702869f80725e2f6f1320a96e14262e": "Nsight Systems 2025.5, schema 3.24.0: github.com/p4arth/cuda-perf-sandbox 8aa5f2e920277f4df463d0609b678e6ba51646df:report1.sqlite",
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
