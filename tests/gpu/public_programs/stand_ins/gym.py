"""Stands in for gym with one game: a ball falls through 84 x 84 grey pixels, and the paddle below shall catch it."""
import types

import numpy


class Box:
    def __init__(self, low, high, shape=None, dtype=numpy.float32):
        self.shape, self.dtype = tuple(numpy.shape(low) if shape is None else shape), numpy.dtype(dtype)
        self.low, self.high = numpy.full(self.shape, low, dtype), numpy.full(self.shape, high, dtype)


class Discrete:
    shape, dtype = (), numpy.dtype("int64")

    def __init__(self, n):
        self.n = n


spaces = types.SimpleNamespace(Box=Box, Discrete=Discrete)


class Wrapper:
    def __init__(self, env, *arguments, **options):
        self.env, self.observation_space = env, env.observation_space

    def __getattr__(self, name):
        return getattr(self.env, name)


class ObservationWrapper(Wrapper):
    def step(self, action):
        observation, *rest = self.env.step(action)
        return self.observation(observation), *rest

    def reset(self):
        return self.observation(self.env.reset())


class Game:
    observation_space, action_space = Box(0, 255, (84, 84, 1), numpy.uint8), Discrete(4)

    @property
    def unwrapped(self):
        return self

    def get_action_meanings(self):
        return ["NOOP", "FIRE", "RIGHT", "LEFT"]

    def seed(self, seed):
        self.random = numpy.random.RandomState(seed)

    def reset(self):
        self.ball, self.paddle = [0, int(self.random.randint(80))], 40
        return self.frame()

    def frame(self):
        picture = numpy.zeros((84, 84, 1), numpy.uint8)
        picture[self.ball[0]:self.ball[0] + 4, self.ball[1]:self.ball[1] + 4] = 255
        picture[80:, self.paddle:self.paddle + 8] = 128
        return picture

    def step(self, action):
        self.paddle = min(max(self.paddle + {2: 2, 3: -2}.get(int(action), 0), 0), 76)
        self.ball[0] += 1
        done = self.ball[0] >= 80
        reward = float(done and self.paddle - 4 < self.ball[1] < self.paddle + 8)
        return self.frame(), reward, done, {"episode": {"r": reward}} if done else {}


envs = types.SimpleNamespace(atari=types.SimpleNamespace(atari_env=types.SimpleNamespace(AtariEnv=Game)))


def make(name):
    return Game()
