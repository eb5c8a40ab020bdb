"""Reads public recordings with the importer, and compares it with what SQL or Python finds in the same files.

usage: read_public_recordings.py RNNADVISOR FILE …

The files are not part of this tree. KNOWN names public ones by their SHA-256, with repository, commit and path: `git show
COMMIT:PATH > FILE` in a clone has the file. They are of programs without recurrent layers: what they show is that real exports
of eight schemas of Nsight Systems, and traces of torch.profiler from its first months on, are read whole.
"""
import gzip
import hashlib
import json
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
    "9742e847415e84ca57277221f67344d87add45beed5dca9c0a3df14776c87c4e": "torch.profiler of December 2020, a list of events: github.com/pytorch/kineto a0380a320dcf1f34df55f05182471ac59ff6cb78:plugin/samples/resnet50_num_workers_0/worker0.pt.trace.json.gz",
    "0d6383785d77ef8bfe8b267cf7ad269c8240bb4414683305e1930c974a9a7aa9": "torch.profiler of January 2021: github.com/pytorch/kineto 34d6ad534a947ebd4b2173e1d4dd0072cadb0d73:tb_plugin/samples/resnet50_num_workers_0/worker0.pt.trace.json.gz",
    "f45f18f171e996603e705239f8d3f4f9424710671a956c4357fa1161b6475f09": "torch.profiler of January 2021: github.com/pytorch/kineto 025228426e3d453c4121a1cdde7f987785eae6a4:tb_plugin/samples/resnet50_autograd_api_num_workers_0/worker0.pt.trace.json.gz",
    "a91798b500ce9d6e21c416ce32dcd8ecf4788489df86f59ba2f944906c90b853": "torch.profiler of June 2021: github.com/pytorch/kineto be239c044d2f4b62982e1ff64144097acd69f59a:tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
    "4c37e0ca5cae61bd6f9d46cc6db0e7e09260df07990d1bf6bbb253f0f636d5e8": "torch.profiler of October 2022: github.com/facebookresearch/HolisticTraceAnalysis 5f883b12d5849d9be5db4c624a19dc9c9af9bb81:tests/data/trace_file_list/inference_rank_1.json.gz",
    "5e69e04ed19b2dbf59e632008146c1bd6da417dc3af7ab4885c619b11e34f1bf": "torch.profiler: github.com/facebookresearch/HolisticTraceAnalysis 0c2146a8d003629a67f225528969752e1f0656aa:tests/data/trace_diff/test/test.json.gz",
    "b9febb1abc8cc729a2890fb6a4171de9867ba72c944437ee046067e7c89912dc": "torch.profiler of 2023: github.com/facebookresearch/HolisticTraceAnalysis 66e3c5475683bd5f2cc79884dfe9a60a085f5cb6:tests/data/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz",
    "e279d7280e73719e8dd9550e120cfe081fbe268596bd297fe5fcbf63e2b75a09": "torch.profiler of 2024, in nanoseconds: github.com/facebookresearch/HolisticTraceAnalysis c980c48309f7d59edf89271e771db4233dd3ccfa:tests/data/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
    "c1cf9c575fdcd7bdc6326ceab834f94b351f81ae55577a7471aa9e328fb8b58e": "torch.profiler, a rank of a job with NCCL: github.com/facebookresearch/HolisticTraceAnalysis 3cb077c83144b564244b9fe869d16d92582e27c3:tests/data/nccl_parser_config/nccl_data.json.gz",
    "39fdab670f9e80a05ccc6d0d07611b3aeba1092fa10681d8dd08cea48d0488b5": "torch.profiler of ROCm: github.com/facebookresearch/HolisticTraceAnalysis f9a648b4ac9b962d2572354b4539ef476bd00824:tests/data/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz",
}
TABLES = {
    "kernels": ["CUPTI_ACTIVITY_KIND_KERNEL"],
    "transfers": ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"],
    "api": ["CUPTI_ACTIVITY_KIND_RUNTIME"],
}


EVENTS = {  # by category; names with capitals are those before PyTorch 2.0
    "kernels": ["kernel"],
    "transfers": ["gpu_memcpy", "gpu_memset", "memcpy", "memset"],
    "api": ["cuda_runtime", "cuda_driver", "runtime"],
}


def rows_and_time(database, tables, duration):
    """How many rows and how many nanoseconds the tables that exist have."""
    there = {row[0] for row in database.execute("SELECT name FROM sqlite_schema")}
    rows = [database.execute(f"SELECT count(*), total({duration}) FROM {table}").fetchone() for table in tables if table in there]
    return sum(row[0] for row in rows), sum(row[1] for row in rows)


def of_export(name):
    export = sqlite3.connect(f"file:{name}?immutable=1", uri=True)
    return {ours: rows_and_time(export, theirs, '"end" - "start"') for ours, theirs in TABLES.items()}


def of_trace(content):
    trace = json.loads(content, strict=False)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    events = [event for event in events if event.get("ph") == "X"]
    found = {}
    for ours, categories in EVENTS.items():
        times = [round(event.get("dur", 0) * 1000) for event in events if event.get("cat", "").lower() in categories]
        found[ours] = (len(times), sum(times))
    return found


def main():
    program, *files = sys.argv[1:]
    if not files:
        sys.exit(__doc__)
    for name in files:
        content = pathlib.Path(name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        print(f"{name}: {KNOWN.get(digest, 'another file, ' + digest)}")
        if content.startswith(b"SQLite"):
            wanted = of_export(name)
        else:
            wanted = of_trace(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)
        with tempfile.TemporaryDirectory() as folder:
            profile = f"{folder}/imported.rnnprof"
            subprocess.run([program, "import", name, "-o", profile], check=True)
            imported = sqlite3.connect(profile)
            for table, (rows, time) in wanted.items():
                got = rows_and_time(imported, [table], "duration_ns")
                if got != (rows, time):
                    sys.exit(f"{table}: {got[0]} rows and {got[1]:.0f} ns, expected {rows} and {time:.0f}")
                print(f"  {table}: {rows} rows, {time:.0f} ns, as in the file")


if __name__ == "__main__":
    main()
