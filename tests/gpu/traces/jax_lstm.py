"""An LSTM of JAX on cuDNN, in the ways that a trace must tell apart."""
import argparse

import jax
import jax.numpy as jnp
from jax.experimental import rnn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=5)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--length", type=int, default=64)
parser.add_argument("--input", type=int, default=128)
parser.add_argument("--units", type=int, default=128)
parser.add_argument("--layers", type=int, default=1)
parser.add_argument("--dropout", type=float, default=0.0)
parser.add_argument("--bidirectional", action="store_true")
parser.add_argument("--unequal", action="store_true", help="sequences of 1 to LENGTH time steps")
parser.add_argument("--exact", action="store_true", help="float32 without TF32")
parser.add_argument("--inference", action="store_true")
parser.add_argument("--second", type=int, help="units of a second LSTM behind the first")
options = parser.parse_args()

directions = 2 if options.bidirectional else 1
precision = jax.lax.Precision.HIGHEST if options.exact else None
key = jax.random.PRNGKey(1)
x = jax.random.normal(key, (options.batch, options.length, options.input))
lengths = jnp.linspace(1, options.length, options.batch).astype(jnp.int32) if options.unequal else jnp.full((options.batch,), options.length, jnp.int32)
sizes = [(options.input, options.units)] + ([(directions * options.units, options.second)] if options.second else [])
weights = [rnn.init_lstm_weight(key, size, units, options.layers, options.bidirectional) for size, units in sizes]


def forward(weights):
    y = x
    for (size, units), part in zip(sizes, weights):
        zeros = jnp.zeros((options.layers * directions, options.batch, units))
        y, _, _ = rnn.lstm(y, zeros, zeros, part, lengths, size, units, options.layers, options.dropout, options.bidirectional, precision)
    return jnp.mean(y**2)


@jax.jit
def train(weights):
    value, gradients = jax.value_and_grad(forward)(weights)
    return value, [part - 0.1 * gradient for part, gradient in zip(weights, gradients)]


infer = jax.jit(forward)
for _ in range(options.steps):
    if options.inference:
        value = infer(weights)
    else:
        value, weights = train(weights)
    value.block_until_ready()
print(f"loss {float(value):.9g}")
