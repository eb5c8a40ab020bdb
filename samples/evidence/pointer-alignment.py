# Which cells, sizes and math types of persist_static survive tensors that are aligned to less than 16 bytes: run_alignment() of substitution-facts.py
# for more layers. Made pointer-alignment.jsonl. A case that ends with "misaligned address" has `died`; `forward` and `backward` are statuses of cuDNN.
# usage: pointer-alignment.py OUTPUT.jsonl          (each case in a process of its own, because a wrong call can end it)
import itertools, json, pathlib, subprocess, sys, time

FACTS = pathlib.Path(__file__).with_name("substitution-facts.py")


def cases():
    def case(cell, kind, math, units, batch, shift):
        return dict(cell=cell, data_type=kind, math_type=math, units=units, inputs=units, batch=batch, layers=1, directions=1, algo="persist_static", shift=shift)

    cells = ("lstm", "gru", "rnn_tanh")
    for cell, units, batch, shift in itertools.product(cells, (64, 128, 192, 256, 384, 512, 768, 1000, 1024), (8, 32, 64), (8, 4)):
        yield case(cell, "half", "tensor_op", units, batch, shift)
    for cell, units in itertools.product(cells, (256, 1024)):
        yield case(cell, "half", "default", units, 32, 8)
        yield case(cell, "float", "tensor_op_allow_conversion", units, 32, 8)


def main():
    import torch
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    with open(sys.argv[1], "w") as out:
        print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "driver": driver,
                          "date": time.strftime("%Y-%m-%d")}), file=out, flush=True)
        work, running = list(cases()), []
        while work or running:
            while work and len(running) < 14:
                each = work.pop(0)
                running.append((each, subprocess.Popen([sys.executable, FACTS, "--one", json.dumps(["alignment", each])], stdout=subprocess.PIPE,
                                                       stderr=subprocess.PIPE, text=True)))
            each, process = running.pop(0)
            try:
                text, problem = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                text, problem = process.communicate()
                problem = "Error: timed out " + problem
            why = next((line for line in problem.splitlines() if "Error" in line), problem[-200:])
            row = dict(json.loads(text), what="alignment") if process.returncode == 0 else dict(each, what="alignment", died=process.returncode, why=why)
            print(json.dumps(row), file=out, flush=True)


main()
