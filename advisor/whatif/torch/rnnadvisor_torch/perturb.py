"""The program as it is but for one unit in the last place of the weights of its RNN layers, up or down at random: what rounding does to its losses. For
`rnnadvisor try --losses`; RNNADVISOR_PERTURB is the seed. Where a layer has dropout, the GPU's random numbers begin at another seed, too, because another
algorithm draws other masks. The random numbers of the CPU, which shuffle data as a rule, stay those of the program."""
import os
import sys
import weakref

INTEGERS = {"torch.float16": "int16", "torch.bfloat16": "int16", "torch.float32": "int32", "torch.float64": "int64"}


def by_one_unit(torch, weight, generator):
    """In place. Zeros and values that are not finite stay."""
    integer = INTEGERS.get(str(weight.dtype))
    if integer is None:
        return
    weight = weight.detach()
    step = torch.randint(0, 2, weight.shape, generator=generator).mul_(2).sub_(1).to(weight.device)
    step = torch.where((weight != 0) & weight.isfinite(), step, torch.zeros_like(step))
    # The bits of a value, read as an integer, count its size.
    weight.view(getattr(torch, integer)).add_(step.to(getattr(torch, integer)))


class Perturbing:
    def __init__(self, torch, seed):
        self.torch, self.seed, self.seen, self.seeded = torch, seed, weakref.WeakSet(), False
        self.generator = torch.Generator().manual_seed(seed)

    def install(self):
        base = self.torch.nn.Module.__call__

        def call(module, *args, **kwargs):
            try:
                self.called(module)
            except Exception as error:  # ours; the program goes on
                self.seen.add(module)
                sys.stderr.write("rnnadvisor: the weights of a layer stay as they are: {}: {}\n".format(type(error).__name__, error))
            return base(module, *args, **kwargs)
        self.torch.nn.RNNBase.__call__ = call

    def called(self, module):
        torch = self.torch
        if module in self.seen or (torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()):
            return
        self.seen.add(module)
        for weight in module.parameters():
            by_one_unit(torch, weight, self.generator)
        if module.dropout > 0 and module.training and not self.seeded and torch.cuda.is_available():
            self.seeded = True
            torch.cuda.manual_seed_all(torch.cuda.initial_seed() + self.seed)


def start():
    import torch
    Perturbing(torch, int(os.environ["RNNADVISOR_PERTURB"])).install()
