"""How far results moved: relative errors in the Euclidean norm, computed in float64."""
import math


def relative_errors(results, reference, device="cpu"):
    """{name: ||a - b|| / ||b||}, computed on the device, one tensor after the other. 0 where both are zero; None where either is not finite or only b is zero."""
    errors = {}
    for name, b in reference.items():
        a, b = (tensor.detach().to(device).double() for tensor in (results[name], b))
        difference, size = (a - b).norm().item(), b.norm().item()
        finite = math.isfinite(difference) and math.isfinite(size)
        errors[name] = None if not finite or (size == 0 and difference > 0) else 0.0 if size == 0 else difference / size
    return errors


def worst(errors):
    """The largest, or None where one of them is not known."""
    return None if any(value is None for value in errors.values()) else max(errors.values(), default=0.0)


FACTOR, UNITS, FLOOR = 4, 8, 1e-12  # FLOOR: another order of summation in float64 moves results too
TF32_UNIT = 2.0 ** -10              # TF32 keeps 10 bits of mantissa


def unit(torch, types, tf32):
    """The largest distance from 1 to the next number of the types that compute."""
    return max([torch.finfo(getattr(torch, name)).eps for name in types] + ([TF32_UNIT] if tf32 else []))


def agrees(original, changed, unit_of_both):
    """Whether the changed layer is about as near to float64 as the original: no error above FACTOR times the original's worst plus
    UNITS units of the coarser type that computes, plus FLOOR. Another order of summation and another kernel stay well below; a wrong
    weight does not."""
    if worst(original) is None or worst(changed) is None:
        return False
    return worst(changed) <= FACTOR * worst(original) + UNITS * unit_of_both + FLOOR
