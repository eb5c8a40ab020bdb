#!/usr/bin/env python3
"""Makes profiles of XLA small enough to be kept: what no importer reads is left out.

usage: trim_xla.py IN OUT   # HOST.xplane.pb.gz or HOST.trace.json.gz

Left out are the Python functions that jax.profiler notes (events that begin with '$') and names that no event has any more; values of large
constants of a program become 0. All other bytes are those of the recording.
"""
import gzip
import json
import pathlib
import sys

LARGE = 4096  # bytes of a constant


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def encode(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """The fields of a message: number, value, and all of its bytes."""
    at = 0
    while at < len(data):
        begin = at
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value, data[begin:at]


def field(number, data):
    return encode(number << 3 | 2) + encode(len(data)) + data


def first(data, number, default=None):
    return next((value for each, value, _ in fields(data) if each == number), default)


def changed(data, number, change):
    return b"".join(field(number, change(value)) if each == number else whole for each, value, whole in fields(data))


def without_values(instruction):
    return b"".join(
        field(8, b"".join(field(n, bytes(len(v))) if isinstance(v, bytes) and len(v) > LARGE else w for n, v, w in fields(value)))
        if number == 8 else whole
        for number, value, whole in fields(instruction))


def trimmed_program(entry):
    """Of event metadata whose stat is an HloProto: its module's computations' instructions."""
    def stat(value):
        if first(value, 6) is None:
            return value
        return changed(value, 6, lambda hlo: changed(hlo, 1, lambda module: changed(module, 3, lambda each: changed(each, 2, without_values))))
    return changed(entry, 2, lambda metadata: changed(metadata, 5, stat))


def trimmed_plane(plane):
    name = first(plane, 2, b"")
    names = {first(value, 1, 0): first(first(value, 2, b""), 2, b"") for number, value, _ in fields(plane) if number == 4}
    used, out = set(), []
    for number, value, whole in fields(plane):
        if number == 3:
            parts = []
            for each, event, bytes_of in fields(value):
                if each == 4:
                    if names.get(first(event, 1, 0), b"").startswith(b"$"):
                        continue
                    used.add(first(event, 1, 0))
                parts.append(bytes_of)
            whole = field(3, b"".join(parts))
        elif number == 4 and name == b"/host:metadata":
            whole = field(4, trimmed_program(value))
        elif number == 4 and first(value, 1, 0) not in used:
            continue
        out.append(whole)
    return b"".join(out)


def trimmed_xplane(data):
    return changed(data, 1, trimmed_plane)


def trimmed_trace(data):
    trace = json.loads(data)
    trace["traceEvents"] = [event for event in trace["traceEvents"] if not str(event.get("name", "")).startswith("$")]
    return json.dumps(trace, separators=(",", ":")).encode()


def main():
    source, target = sys.argv[1:]
    data = gzip.open(source).read()
    data = trimmed_trace(data) if ".json" in pathlib.Path(source).name else trimmed_xplane(data)
    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(data)


if __name__ == "__main__":
    main()
