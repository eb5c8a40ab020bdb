"""Statistics of interleaved timings: ratios of medians with a seeded bootstrap interval. Standard library only."""
import random


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        raise ValueError("no values")
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def quantile(ordered, share):
    """Linear between order statistics: type 7 of Hyndman and Fan (1996)."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


LEAST_ROUNDS = 6  # fewer: an interval of the extremes would not reach 95 % (core/base/statistics.h), so none is claimed


def ratio(before, after, seed, replicates=1000, confidence=0.95):
    """median(before) / median(after) over the same rounds, with a percentile bootstrap interval (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, chapter 13). Rounds are drawn with replacement, both times of a round together, so
    that what disturbs a whole round cancels. low and high are None with fewer than LEAST_ROUNDS rounds."""
    if len(before) != len(after):
        raise ValueError("rounds of unequal number")
    count, generator = len(before), random.Random(seed)
    result = {"ratio": median(before) / median(after), "low": None, "high": None, "rounds": count, "confidence": confidence}
    if count >= LEAST_ROUNDS:
        found = []
        for _ in range(replicates):
            drawn = generator.choices(range(count), k=count)
            found.append(median([before[i] for i in drawn]) / median([after[i] for i in drawn]))
        found.sort()
        tail = (1 - confidence) / 2
        result["low"], result["high"] = quantile(found, tail), quantile(found, 1 - tail)
    return result


def verdict(speedup, control, least_gain):
    """confirmed: the gain is above least_gain and above what the original shows against itself. refuted: it is at most
    least_gain. Anything between, or too few rounds: inconclusive."""
    if speedup["low"] is None or control["low"] is None:
        return "inconclusive"
    noise = max(control["high"], 1 / control["low"])
    if speedup["low"] > max(least_gain, noise):
        return "confirmed"
    return "refuted" if speedup["high"] <= max(least_gain, 1.0) else "inconclusive"
