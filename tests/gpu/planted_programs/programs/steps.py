"""Steps of training and inference: fed with one batch after the other, as they are written or recorded as a CUDA graph."""
import argparse
import fcntl
import itertools
import os

import torch

# Several programs may load PyTorch at once; one at a time has the GPU, from here to its end.
if os.environ.get("PLANTED_PROGRAMS_TURN"):
    turn = open(os.environ["PLANTED_PROGRAMS_TURN"], "w")
    fcntl.flock(turn, fcntl.LOCK_EX)


def run(step):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    for _ in range(parser.parse_args().steps):
        result = step()
    print(f"loss {float(result):.6g}")


def fed(step, batches):
    source = itertools.cycle(batches)
    return lambda: step(*next(source))


def graphed(step, batches):
    """For batches of one shape: each is copied to where the recorded step finds it."""
    source = itertools.cycle(batches)
    held = [part.clone() for part in next(source)]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(*held)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step(*held)

    def replay():
        for place, part in zip(held, next(source)):
            place.copy_(part)
        graph.replay()
        return result
    return replay
