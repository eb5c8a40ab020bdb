"""Stands in for gymnasium with one game: a ball falls through 84 x 84 grey pixels, and the paddle below shall catch it. One life."""
import types

import numpy


class Space:
    def __init__(self, shape=(), dtype=numpy.uint8, n=0):
        self.shape, self.dtype, self.n = shape, dtype, n


class Discrete(Space):
    pass


spaces = types.SimpleNamespace(Discrete=Discrete, Box=Space)


class Env:
    def __class_getitem__(cls, types):
        return cls

    @property
    def unwrapped(self):
        return self


class Wrapper(Env):
    def __init__(self, env, *options):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    def step(self, action):
        return self.env.step(action)

    def reset(self, **options):
        return self.env.reset(**options)

    @property
    def unwrapped(self):
        return self.env.unwrapped


class RewardWrapper(Wrapper):
    def step(self, action):
        frame, reward, *rest = self.env.step(action)
        return frame, self.reward(reward), *rest


ObservationWrapper = Wrapper


class FrameStack(Wrapper):
    def step(self, action):
        frame, *rest = self.env.step(action)
        return frame[None], *rest

    def reset(self, **options):
        frame, info = self.env.reset(**options)
        return frame[None], info


wrappers = types.SimpleNamespace(RecordEpisodeStatistics=Wrapper, ResizeObservation=Wrapper, GrayScaleObservation=Wrapper, FrameStack=FrameStack)


class Game(Env):
    observation_space, action_space = Space((84, 84)), Discrete(n=4)
    ale = types.SimpleNamespace(lives=lambda: 1)

    def get_action_meanings(self):
        return ["NOOP", "FIRE", "RIGHT", "LEFT"]

    def reset(self, seed=None, **options):
        if seed is not None or not hasattr(self, "np_random"):
            self.np_random = numpy.random.default_rng(seed)
        self.ball, self.paddle = [0, int(self.np_random.integers(80))], 40
        return self.frame(), {}

    def frame(self):
        picture = numpy.zeros((84, 84), numpy.uint8)
        picture[self.ball[0]:self.ball[0] + 4, self.ball[1]:self.ball[1] + 4] = 255
        picture[80:, self.paddle:self.paddle + 8] = 128
        return picture

    def step(self, action):
        self.paddle = min(max(self.paddle + {2: 2, 3: -2}.get(int(action), 0), 0), 76)
        self.ball[0] += 1
        done = self.ball[0] >= 80
        caught = done and self.paddle - 4 < self.ball[1] < self.paddle + 8
        return self.frame(), float(caught), done, False, {}


def make(name, **options):
    return Game()


class SyncVectorEnv:
    def __init__(self, makers):
        self.envs = [maker() for maker in makers]
        self.single_action_space, self.single_observation_space = Discrete(n=4), Space((1, 84, 84))

    def reset(self, seed=None):
        return numpy.stack([env.reset(seed=seed + index)[0] for index, env in enumerate(self.envs)]), {}

    def step(self, actions):
        frames, rewards, ends = [], [], []
        for env, action in zip(self.envs, actions):
            frame, reward, done, _, _ = env.step(action)
            frames.append(env.reset()[0] if done else frame)
            rewards.append(reward)
            ends.append(done)
        return numpy.stack(frames), numpy.array(rewards), numpy.array(ends), numpy.zeros(len(ends), bool), {}

    def close(self):
        pass


vector = types.SimpleNamespace(SyncVectorEnv=SyncVectorEnv)
