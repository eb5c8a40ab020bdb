"""Stands in for Distrax: as much of a categorical distribution as recurrent PPO asks for."""
import jax
import jax.numpy as jnp


class Categorical:
    def __init__(self, logits):
        self.logits = jax.nn.log_softmax(logits)

    def sample(self, seed):
        return jax.random.categorical(seed, self.logits)

    def log_prob(self, value):
        return jnp.take_along_axis(self.logits, value[..., None].astype("int32"), -1)[..., 0]

    def sample_and_log_prob(self, seed):
        value = self.sample(seed)
        return value, self.log_prob(value)

    def entropy(self):
        return -(jnp.exp(self.logits) * self.logits).sum(-1)
