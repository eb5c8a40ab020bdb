"""Medians, quantiles, bootstrap intervals and verdicts against closed forms. Standard library only."""
import itertools
import random
import unittest

import support  # noqa: F401
from rnnadvisor_torch import statistics


class Medians(unittest.TestCase):
    def test_closed_forms(self):
        self.assertEqual(statistics.median([3, 1, 2]), 2)
        self.assertEqual(statistics.median([4, 1, 2, 3]), 2.5)
        self.assertRaises(ValueError, statistics.median, [])
        self.assertEqual(statistics.quantile([0, 10], 0.25), 2.5)
        self.assertEqual(statistics.quantile(list(range(101)), 0.025), 2.5)
        self.assertEqual(statistics.quantile([7], 0.975), 7)


class Ratios(unittest.TestCase):
    def test_constant_times_have_no_spread(self):
        found = statistics.ratio([6.0] * 9, [2.0] * 9, seed=1)
        self.assertEqual((found["ratio"], found["low"], found["high"], found["rounds"]), (3.0, 3.0, 3.0, 9))

    def test_what_disturbs_a_round_cancels(self):
        after = [random.Random(i).uniform(1, 9) for i in range(21)]
        found = statistics.ratio([2 * t for t in after], after, seed=1)
        self.assertAlmostEqual(found["low"], 2)
        self.assertAlmostEqual(found["high"], 2)

    def test_few_rounds_claim_no_interval(self):
        found = statistics.ratio([1.0] * 5, [1.0] * 5, seed=1)
        self.assertIsNone(found["low"])
        self.assertIsNotNone(statistics.ratio([1.0] * 6, [1.0] * 6, seed=1)["low"])
        self.assertRaises(ValueError, statistics.ratio, [1.0], [1.0, 2.0], 1)

    def test_same_seed_same_interval(self):
        generator = random.Random(3)
        a, b = [generator.gauss(5, 1) for _ in range(20)], [generator.gauss(4, 1) for _ in range(20)]
        self.assertEqual(statistics.ratio(a, b, 7), statistics.ratio(a, b, 7))
        self.assertNotEqual(statistics.ratio(a, b, 7)["low"], statistics.ratio(a, b, 8)["low"])

    def test_ends_of_the_exact_bootstrap_distribution(self):
        """All 6^6 resamples can be listed: the drawn quantiles must be near those of the whole list."""
        before = [10.0, 11.0, 12.5, 14.0, 16.0, 19.0]
        exact = sorted(statistics.median(draw) for draw in itertools.product(before, repeat=6))
        found = statistics.ratio(before, [1.0] * 6, seed=5, replicates=20000)
        for share, end in ((0.025, "low"), (0.975, "high")):
            self.assertGreaterEqual(found[end], statistics.quantile(exact, share - 0.008))
            self.assertLessEqual(found[end], statistics.quantile(exact, share + 0.008))

    def test_covers_the_true_ratio(self):
        """25 rounds of log-normal times whose medians are 3 and 2: 95 % intervals must hold 1.5 in about 95 % of 300 trials. The
        bootstrap of a median runs a little short of its name; 90 % is six standard deviations from 98 and more."""
        generator, held = random.Random(11), 0
        for trial in range(300):
            before = [3 * generator.lognormvariate(0, 0.1) for _ in range(25)]
            after = [2 * generator.lognormvariate(0, 0.1) for _ in range(25)]
            found = statistics.ratio(before, after, trial, replicates=200)
            held += found["low"] <= 1.5 <= found["high"]
        self.assertGreater(held, 270)
        self.assertLess(held, 300)


class Verdicts(unittest.TestCase):
    def verdict(self, low, high, control=(0.99, 1.01), least=1.02):
        return statistics.verdict({"low": low, "high": high}, {"low": control[0], "high": control[1]}, least)

    def test_each(self):
        self.assertEqual(self.verdict(1.5, 1.6), "confirmed")
        self.assertEqual(self.verdict(0.8, 0.9), "refuted")
        self.assertEqual(self.verdict(0.99, 1.02), "refuted")
        self.assertEqual(self.verdict(0.99, 1.03), "inconclusive")
        self.assertEqual(self.verdict(1.02, 1.6), "inconclusive")  # the least gain itself is not above it
        self.assertEqual(self.verdict(None, None), "inconclusive")

    def test_not_above_the_noise(self):
        self.assertEqual(self.verdict(1.1, 1.2, control=(0.9, 1.15)), "inconclusive")
        self.assertEqual(self.verdict(1.1, 1.2, control=(0.8, 1.0)), "inconclusive")  # 1 / 0.8 = 1.25
        self.assertEqual(self.verdict(1.3, 1.4, control=(0.8, 1.0)), "confirmed")


if __name__ == "__main__":
    unittest.main()
