"""Stands in for the modules of Stable-Baselines3 that wrap games: the games run one after the other in the process, and the wrappers leave them as they are."""
import gym
import numpy

NoopResetEnv = MaxAndSkipEnv = EpisodicLifeEnv = FireResetEnv = WarpFrame = ClipRewardEnv = Monitor = gym.Wrapper


class SubprocVecEnv:
    def __init__(self, makers):
        self.envs = [maker() for maker in makers]
        self.num_envs, self.observation_space, self.action_space = len(self.envs), self.envs[0].observation_space, self.envs[0].action_space

    def reset(self):
        return numpy.stack([env.reset() for env in self.envs])

    def step_async(self, actions):
        self.actions = actions

    def step_wait(self):
        observations, rewards, ends, infos = zip(*(env.step(action) for env, action in zip(self.envs, numpy.asarray(self.actions).reshape(-1))))
        observations = [env.reset() if done else one for env, one, done in zip(self.envs, observations, ends)]
        return numpy.stack(observations), numpy.array(rewards), numpy.array(ends), infos

    def close(self):
        pass


DummyVecEnv = SubprocVecEnv


class VecEnvWrapper:
    def __init__(self, venv, observation_space=None):
        self.venv, self.num_envs, self.action_space = venv, venv.num_envs, venv.action_space
        self.observation_space = observation_space or venv.observation_space

    def step_async(self, actions):
        self.venv.step_async(actions)

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()


class VecNormalize(VecEnvWrapper):
    pass
