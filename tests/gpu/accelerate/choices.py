"""What the plugin chose, from a folder of recordings (profiler/spool/format.h)."""
import pathlib
import struct

ALGORITHMS = ["standard", "persist_static", "persist_dynamic", "persist_static_small_h"]
STATES = ["waiting", "comparing", "measuring", "decided"]
VARIANT_STATES = ["absent", "original", "candidate", "measured", "slower", "refused", "different", "layout", "memory", "unseen", "drifted", "costly"]
KEPT = ["tuning", "unequal_lengths", "alignment", "small_workspace", "unknown_reserve", "captured", "refused", "whole_step", "only_tried"]
STRING, NOTE, ACCELERATION, STEP_BLOCK = 1, 20, 27, 28
VARIANTS, VARIANT_BYTES = 6, 120


def records(data):
    at, end = struct.unpack_from("<I", data, 12)[0], len(data)
    while at + 16 <= end:
        magic, size, _, committed = struct.unpack_from("<4I", data, at)
        if magic != 0x4B4E4843:
            break
        place = at + 16
        while place < at + 16 + committed:
            kind, length = struct.unpack_from("<2I", data, place)
            if length < 8:
                break
            yield kind, data[place : place + length]
            place += length
        at += size


def read(folder):
    """(choices, notes, blocks): of each kind of call, and of each block of whole steps, the last that was written."""
    choices, notes, blocks = {}, [], {}
    for path in pathlib.Path(folder).glob("*.rnnspool"):
        data = path.read_bytes()
        all_records = list(records(data))
        strings = {struct.unpack_from("<I", r, 8)[0]: r[16 : 16 + struct.unpack_from("<I", r, 12)[0]].decode(errors="replace")
                   for k, r in all_records if k == STRING}
        for kind, record in all_records:
            if kind == NOTE:
                code, text = struct.unpack_from("<2I", record, 16)
                notes.append(f"{strings.get(code)}: {strings.get(text)}")
            if kind == STEP_BLOCK:
                block, _, chosen, steps, median, withdrawn = struct.unpack_from("<4IqI", record, 8)
                blocks[(path.name, block)] = {"chosen": bool(chosen), "steps": steps, "ms": median / 1e6, "withdrawn": bool(withdrawn)}
            if kind != ACCELERATION:
                continue
            ident, _, _, _, steps, state, chosen, checks = struct.unpack_from("<3I2i3I", record, 8)
            numbers = struct.unpack_from("<6Q9QQqQ", record, 48)
            variants = []
            for v in range(VARIANTS):
                base = 48 + 18 * 8 + v * VARIANT_BYTES
                algo, vstate, status, error, limit, tensor, *samples, converts = struct.unpack_from("<iIiffI3II", record, base)
                times = struct.unpack_from("<9q", record, base + 40)
                if algo < 0:
                    continue
                variants.append({"algo": ALGORITHMS[algo] + ("+conversion" if converts else ""), "state": VARIANT_STATES[vstate], "status": status, "error": error,
                                 "limit": limit, "tensor": strings.get(tensor, ""), "samples": samples, "median_us": [t / 1e3 for t in times[:3]],
                                 "low_us": [t / 1e3 for t in times[3:6]], "high_us": [t / 1e3 for t in times[6:9]]})
            choices[(path.name, ident)] = {"steps": steps, "state": STATES[state], "chosen": variants[chosen]["algo"], "checks": checks, "calls": numbers[:3],
                                           "substituted": numbers[3:6], "kept": {k: n for k, n in zip(KEPT, numbers[6:15]) if n},
                                           "tuning_ms": numbers[16] / 1e6, "tuning_mb": numbers[17] / 1e6, "variants": variants}
    return list(choices.values()), notes, [blocks[key] for key in sorted(blocks)]
