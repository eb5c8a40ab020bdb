#!/usr/bin/env python3
"""Records programs for `rnnadvisor compare`: two of them are a change whose cause is known (pairs.toml).

usage: record_pairs.py RNNADVISOR OUTPUT_FOLDER [--equal] [--planted N]

Writes NAME.rnnprof for each program of pairs.toml, with --equal also NAME.again.rnnprof (the same, once all are recorded), and recorded.json
with device, driver, versions and command. --planted takes N of tests/gpu/planted_programs instead, drawn at random. Exits 77 without a GPU, 1
if a recording failed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--equal", action="store_true")
    parser.add_argument("--planted", type=int, metavar="N")
    options = parser.parse_args()
    asked = subprocess.run([sys.executable, "-c", "import torch; print(torch.cuda.get_device_name(), torch.__version__, torch.backends.cudnn.version(), sep='|')"], capture_output=True, text=True)
    if asked.returncode:
        sys.exit(77)
    device, pytorch, cudnn = asked.stdout.strip().split("|")
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    programs = {name: ["program.py", *arguments] for name, arguments in tomllib.loads((HERE / "pairs.toml").read_text())["programs"].items()}
    if options.planted:
        planted = sorted(path.stem for path in (HERE / "../planted_programs/programs").glob("*.py") if path.stem != "steps")
        programs = {name: [f"../planted_programs/programs/{name}.py", "--steps", "60"] for name in random.Random(20261129).sample(planted, options.planted)}
    options.output.mkdir(parents=True, exist_ok=True)
    turn = str(pathlib.Path(tempfile.mkdtemp()) / "turn")
    environment = {**os.environ, "COMPARE_TURN": turn, "PLANTED_PROGRAMS_TURN": turn}
    failed = []

    def record(name, arguments):
        profile = options.output / f"{name}.rnnprof"
        command = [options.rnnadvisor, "profile", "-q", "--mode", "kernels", "--force", "-o", str(profile), "--", sys.executable, str(HERE / arguments[0]), *arguments[1:]]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
        if ran.returncode or not profile.exists():
            failed.append(f"{profile.name}: {ran.stderr.strip().splitlines()[-1:]}")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [(name + again, arguments) for again in (["", ".again"] if options.equal else [""]) for name, arguments in programs.items()]
        for done in [pool.submit(record, name, arguments) for name, arguments in runs]:
            done.result()
    (options.output / "recorded.json").write_text(json.dumps(
        {"device": device, "driver": driver, "pytorch": pytorch, "cudnn": cudnn, "command": "record_pairs.py " + " ".join(sys.argv[3:]), "programs": programs}, indent=1) + "\n")
    print(f"{len(runs) - len(failed)} recordings; failed: {'; '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
