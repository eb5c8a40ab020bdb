"""JAX's LSTM on cuDNN: float only, the standard algorithm always."""
import argparse

import jax
import jax.numpy as jnp
from jax.experimental import rnn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=5)
options = parser.parse_args()

BATCH, LENGTH, INPUT, UNITS, LAYERS = 32, 64, 128, 128, 1
key = jax.random.PRNGKey(1)
weights = rnn.init_lstm_weight(key, INPUT, UNITS, LAYERS, False)
x = jax.random.normal(key, (BATCH, LENGTH, INPUT))
zeros = jnp.zeros((LAYERS, BATCH, UNITS))
lengths = jnp.full((BATCH,), LENGTH, jnp.int32)


@jax.jit
def step(weights):
    def loss(weights):
        y, _, _ = rnn.lstm(x, zeros, zeros, weights, lengths, INPUT, UNITS, LAYERS, 0.0, False)
        return jnp.mean(y**2)
    value, gradient = jax.value_and_grad(loss)(weights)
    return value, weights - 0.1 * gradient


for _ in range(options.steps):
    value, weights = step(weights)
print(f"loss {float(value):.9g}")
