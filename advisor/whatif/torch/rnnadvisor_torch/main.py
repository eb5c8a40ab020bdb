"""Reads one request from stdin (or the file that is named), writes JSON lines to stdout."""
import gc
import json
import math
import os
import sys
import time
import traceback

from . import callsite, compare, emit, environment, plan as planning, request
from .problem import BAD_REQUEST, NotApplicable, Problem

# What a measurement with an interval takes about: two phases of six rounds, warm-up, comparison; and the bootstrap.
LEAST_FORWARDS, LEAST_S = 120, 1.0
_SOFTWARE = 1  # exit status of a mistake of ours


class Writer:
    """JSON lines to the stdout that the program was started with. Whatever else prints goes to stderr."""

    def __init__(self):
        sys.stdout.flush()
        self._stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def __call__(self, line):
        self._stream.write(json.dumps(_finite(line), allow_nan=False) + "\n")
        self._stream.flush()


def _finite(value):
    """JSON has no NaN and no infinity: null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def out_of_memory(error):
    text = str(error).lower()
    return type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


class Session:
    def __init__(self, asked, torch, write, clock=time.monotonic, begin=None):
        self.asked, self.torch, self.write, self.clock = asked, torch, write, clock
        self.begin = clock() if begin is None else begin
        self.end = self.begin + asked.budget_s
        self.values, self.forward_s = None, 0.0
        self.originals, self.original_error, self.references = {}, {}, {}

    def run(self):
        from .variant import Values
        flags = environment.flags(self.torch)
        if self.asked.device != "cpu":
            self.torch.cuda.set_device(self.asked.device)
        broken = None
        try:
            self.values = Values(self.torch, self.asked.call, self.asked.device, self.asked.seed)
            self.forward_s = forward_seconds(self.values)
        except (RuntimeError, MemoryError) as error:
            broken = error
        count = len(self.asked.candidates)
        for index, candidate in enumerate(self.asked.candidates):
            self.write({"type": "progress", "candidate": candidate.id, "index": index, "of": count, "seconds": self.clock() - self.begin})
            began = self.clock()
            # Little time is better spent on the first candidates than on none of them.
            share = max((self.end - began) / (count - index), LEAST_S + LEAST_FORWARDS * self.forward_s)
            line = self.candidate(candidate, index, min(self.end, began + share), broken)
            line["seconds"] = self.clock() - began
            line["flags_changed"] = environment.flags(self.torch) != flags
            self.write(line)
        self.write({"type": "done", "seconds": self.clock() - self.begin, "budget_s": self.asked.budget_s,
                    "flags_left": environment.flags(self.torch), "clocks": environment.clocks(self.torch, self.asked.device)})

    def candidate(self, candidate, index, deadline, broken):
        line, made = emitted_line(self.asked, candidate, index)
        if made is None:
            return line
        needed = [name for name in ("cuda_graph", "allow_tf32", "cudnn_enabled", "flatten_parameters") if name in {**made.settings, **made.parts}]
        if self.asked.device == "cpu" and needed:
            return {**line, "status": "not_applicable", "what": "'{}' has no meaning on the CPU".format(needed[0]), "remedy": "measure on a GPU"}
        try:
            if broken is not None:
                raise broken
            line.update(self.measured(made, line["emitted"]["text"], deadline))
        except (RuntimeError, MemoryError, ValueError, TypeError, AttributeError, NotImplementedError) as error:
            line.update(self.failed(error))
        gc.collect()
        if self.asked.device != "cpu":
            self.torch.cuda.empty_cache()
        return line

    def failed(self, error):
        if out_of_memory(error):
            return {"status": "out_of_memory", "what": str(error).splitlines()[0], "where": "the layer with the original beside it",
                    "remedy": "free the device for the measurement, or profile a smaller batch or shorter sequences"}
        frames = traceback.extract_tb(error.__traceback__)
        where = "{}:{}".format(os.path.basename(frames[-1].filename), frames[-1].lineno) if frames else ""
        return {"status": "failed", "what": "{}: {}".format(type(error).__name__, str(error).splitlines()[0] if str(error) else ""), "where": where,
                "remedy": "the change does not run in this PyTorch on this device; keep the original"}

    def measured(self, made, text, deadline):
        from .measure import NoTime, measure_phase
        asked, line = self.asked, {}
        line["clocks"] = {"before": environment.clocks(self.torch, asked.device)}
        line["comparison"] = self.comparison(made, text, deadline)
        phases, failures, late = {}, {}, []
        wanted = [phase for phase in asked.phases if "inference_mode" not in made.settings or phase == "inference"]
        for position, phase in enumerate(wanted):
            until = self.clock() + (deadline - self.clock()) / (len(wanted) - position)
            try:
                if self.forward_s * (3 if phase == "training" else 1) > until - self.clock():
                    raise NoTime
                phases[phase] = measure_phase(self.values, made, text, phase, until, asked.seed, asked.least_gain, self.clock)
            except NoTime:
                late.append(phase)
            except RuntimeError as error:
                failures[phase] = self.failed(error)
        line["clocks"]["after"] = environment.clocks(self.torch, asked.device)
        line["phases"], line["failures"] = phases, failures
        line["status"] = "measured" if phases else "not_measured"
        if failures and not phases:
            line.update(next(iter(failures.values())))
            return line
        if late:
            line["what"] = "the budget of {:g} s left no time for {}".format(asked.budget_s, " and ".join(late))
            line["remedy"] = "give a larger budget, or fewer candidates"
        return line

    def comparison(self, made, text, deadline):
        """How far outputs and gradients moved, against the original and against float64."""
        from .variant import Variant
        call, torch = self.asked.call, self.torch
        gradients = call.training and "inference_mode" not in made.settings and "training" in self.asked.phases
        states = not made.settings.get("cuda_graph")
        key = (gradients, states)
        if self.forward_s * (6 if gradients else 2) > deadline - self.clock():
            return {"unknown": "the budget left no time for it"}
        if key not in self.originals:
            self.originals[key] = _to_cpu(Variant(self.values).results(gradients, states))
            self.original_error[key] = self.reference_errors(key, deadline)
        changed = _to_cpu(Variant(self.values, made, emitted=text).results(gradients, states))
        found = {"against_original": compare.relative_errors(changed, self.originals[key], self.asked.device), "initial_states": "given" if states else "zero",
                 "dropout": 0.0, "gradients": gradients}
        found["worst_against_original"] = compare.worst(found["against_original"])
        errors, reference = self.original_error[key]
        found["reference"] = reference
        if errors is not None:
            unit = compare.unit(torch, *computing_types(made, call, self.asked.device))
            found["original_against_reference"] = errors
            found["changed_against_reference"] = compare.relative_errors(changed, self.references[key], self.asked.device)
            found["worst_original"], found["worst_changed"] = compare.worst(errors), compare.worst(found["changed_against_reference"])
            found["agrees"] = compare.agrees(errors, found["changed_against_reference"], unit)
            found["agrees_when"] = "worst_changed <= {} * worst_original + {} * {:g} + {:g}".format(compare.FACTOR, compare.UNITS, unit, compare.FLOOR)
        return found

    def reference_errors(self, key, deadline):
        """(errors of the original or None, where the reference was computed or why not). Keeps the reference of that key."""
        from .variant import Variant
        if self.asked.reference == "none":
            return None, "not asked for"
        device = "cpu" if self.asked.reference == "cpu" else self.asked.device
        expected = reference_seconds(self.torch, self.asked.call, device)
        if self.asked.reference == "auto" and expected > (deadline - self.clock()) / 3:
            return None, "left out: float64 on {} would take about {:.2g} s (an estimate) of the budget".format(device, expected)
        try:
            results = _to_cpu(Variant(self.values, reference=True, device=device).results(*key))
        except (RuntimeError, MemoryError) as error:
            return None, "float64 on {} failed: {}".format(device, str(error).splitlines()[0])
        self.references[key] = results
        return compare.relative_errors(self.originals[key], results, self.asked.device), "float64 on {}, without cuDNN".format(device)


def computing_types(made, call, device):
    """(names of the types that the original and the changed layer compute in, whether one of them may use TF32)."""
    from .variant import TYPES
    own = call.module_type if call.autocast == "off" else None
    changed = made.settings.get("model_type") or made.parts.get("data_type", {}).get("compute_type")
    types = [TYPES[own] if own else call.autocast] + ([TYPES[changed]] if changed else [])
    tf32 = made.settings.get("allow_tf32", call.allow_tf32) and made.settings.get("cudnn_enabled", call.cudnn_enabled)
    return types, device != "cpu" and tf32 and "float32" in types


def forward_seconds(values):
    """An estimate, to decide only: a forward pass over one time step, as many times as there are. A step cannot be interrupted, so
    that one that would take longer than the budget must not begin."""
    from .variant import arguments, plain_class
    torch, call = values.torch, values.call
    layer = plain_class(torch, call)(device=values.device, dtype=values.x.dtype, **arguments(call, False))
    for _ in range(2):  # the first one loads libraries
        begin = time.perf_counter()
        with torch.no_grad():
            layer(values.x[:1])[0].sum().item()
        seconds = time.perf_counter() - begin
    return seconds * call.seq_length


def reference_seconds(torch, call, device):
    """An estimate, to decide only: three matrix products per weight and step at what a device of its kind does in float64 at least (a
    core; a GPU for graphics; one for computing, whose compute capability is a whole number), and 40 launches per step."""
    rate = 5e9 if device == "cpu" else 4e12 if torch.cuda.get_device_capability(device)[1] == 0 else 3e11
    gates = {"lstm": 4, "gru": 3}.get(call.cell, 1)
    weights = gates * call.hidden_size * (call.input_size + call.width + (call.num_layers - 1) * (call.width * call.directions + call.width)) * call.directions
    steps = call.seq_length * call.num_layers * call.directions
    return 6.0 * weights * call.batch_size * call.seq_length / rate + steps * 40 * 1e-5


def _to_cpu(results):
    return {name: value.cpu() for name, value in results.items()}


def emitted_code(made, call, site):
    """What is given to the user: the module file, lines for around it, and a diff of the call site where that is certain."""
    text = emit.module_text(made, call)
    found = {"text": text, "class": emit.class_name(made, call) if text else None, "file": emit.module_name(made) + ".py" if text else None,
             "snippets": [{"title": title, "code": code} for title, code in emit.snippets(made, call)],
             "diff": None, "diff_file": None, "diff_line": None, "no_diff": None}
    if not text:
        found["no_diff"] = "the change is not in the layer; see the lines to add"
    elif site is None:
        found["no_diff"] = "the place of the call is not known"
    else:
        proposed = callsite.propose(site["file"], site["line"], emit.CELLS[call.cell], found["class"], emit.module_name(made), site.get("root"))
        found.update(diff=proposed["diff"], diff_file=proposed["file"], diff_line=proposed["line"], no_diff=proposed["reason"])
    return found


def _source(arguments):
    if len(arguments) > 1:
        raise Problem("one file at most", "command line", "name the request, or write it to stdin")
    if arguments and arguments[0] != "-":
        try:
            with open(arguments[0], encoding="utf-8") as stream:
                return stream.read()
        except (OSError, UnicodeDecodeError) as error:
            raise Problem("the request cannot be read: {}".format(error), arguments[0], "name a readable file")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem("the request is not UTF-8: {}".format(error), "stdin", "send JSON in UTF-8", BAD_REQUEST)


def emitted_line(asked, candidate, index):
    """(the line of a candidate as far as it goes without PyTorch, its plan or None where it does not apply)."""
    line = {"type": "candidate", "id": candidate.id, "transforms": [{"kind": k, "parameters": p} for k, p in candidate.transforms]}
    try:
        made = planning.make_plan(asked.call, candidate.transforms, "candidates[{}]".format(index))
    except NotApplicable as error:
        return {**line, "status": "not_applicable", "what": error.what, "remedy": error.remedy}, None
    line.update(status="emitted", meaning=made.meaning, notes=list(made.notes), emitted=emitted_code(made, asked.call, asked.call_site))
    return line, made


def main(arguments=None, text=None):
    begin = time.monotonic()  # importing PyTorch is part of the budget
    write = Writer()
    try:
        asked = request.parse(_source(sys.argv[1:] if arguments is None else arguments) if text is None else text)
        for index, candidate in enumerate(asked.candidates):
            for at, (kind, parameters) in enumerate(candidate.transforms):
                planning.check_transform(kind, parameters, "candidates[{}].transforms[{}]".format(index, at))
        if not asked.measure:
            for index, candidate in enumerate(asked.candidates):
                write(emitted_line(asked, candidate, index)[0])
            write({"type": "done", "seconds": time.monotonic() - begin, "budget_s": asked.budget_s})
            return 0
        torch = environment.import_torch()
        environment.check_device(torch, asked.device)
        write(environment.describe(torch, asked.device))
        Session(asked, torch, write, begin=begin).run()
        return 0
    except Problem as problem:
        write(problem.line())
        return problem.status
    except Exception as error:  # ours: say where, so that it can be reported
        frames = traceback.extract_tb(error.__traceback__)
        write({"type": "error", "what": "{}: {}".format(type(error).__name__, error), "status": _SOFTWARE,
               "where": "{}:{}".format(frames[-1].filename, frames[-1].lineno), "remedy": "this is a defect of rnnadvisor; report it with the request"})
        traceback.print_exc()
        return _SOFTWARE
