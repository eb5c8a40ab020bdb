"""What the plugin chose, from a folder of recordings (profiler/spool/format.h)."""
import pathlib
import struct

ALGORITHMS = ["standard", "persist_static", "persist_dynamic", "persist_static_small_h"]
STATES = ["waiting", "comparing", "measuring", "decided"]
VARIANT_STATES = ["absent", "original", "candidate", "measured", "slower", "refused", "different", "layout", "memory", "unseen"]
KEPT = ["tuning", "unequal_lengths", "alignment", "small_workspace", "unknown_reserve", "captured", "refused"]
STRING, NOTE, ACCELERATION = 1, 20, 27


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
    """(choices, notes): of each kind of call the last that was written."""
    choices, notes = {}, []
    for path in pathlib.Path(folder).glob("*.rnnspool"):
        data = path.read_bytes()
        all_records = list(records(data))
        strings = {struct.unpack_from("<I", r, 8)[0]: r[16 : 16 + struct.unpack_from("<I", r, 12)[0]].decode(errors="replace")
                   for k, r in all_records if k == STRING}
        for kind, record in all_records:
            if kind == NOTE:
                code, text = struct.unpack_from("<2I", record, 16)
                notes.append(f"{strings.get(code)}: {strings.get(text)}")
            if kind != ACCELERATION:
                continue
            ident, _, _, _, steps, state, chosen, _ = struct.unpack_from("<3I2i3I", record, 8)
            numbers = struct.unpack_from("<6Q7QqQ", record, 40)
            variants = []
            for v in range(4):
                base = 40 + 15 * 8 + v * 120
                algo, vstate, status, error, limit, tensor, *samples = struct.unpack_from("<iIiffI3I", record, base)
                times = struct.unpack_from("<9q", record, base + 40)
                if algo < 0:
                    continue
                variants.append({"algo": ALGORITHMS[algo], "state": VARIANT_STATES[vstate], "status": status, "error": error,
                                 "limit": limit, "tensor": strings.get(tensor, ""), "samples": samples, "median_us": [t / 1e3 for t in times[:3]],
                                 "low_us": [t / 1e3 for t in times[3:6]], "high_us": [t / 1e3 for t in times[6:9]]})
            choices[(path.name, ident)] = {"steps": steps, "state": STATES[state], "chosen": variants[chosen]["algo"], "calls": numbers[:3],
                                           "substituted": numbers[3:6], "kept": {k: n for k, n in zip(KEPT, numbers[6:13]) if n},
                                           "tuning_ms": numbers[13] / 1e6, "tuning_mb": numbers[14] / 1e6, "variants": variants}
    return list(choices.values()), notes
