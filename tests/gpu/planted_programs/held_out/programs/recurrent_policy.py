"""Actor and critic with a GRU, in float: 64 environments on the GPU act step by step, then the update runs through the steps again one by one."""
import torch
from torch import nn
from steps import fed, graphed, run

SENSED, UNITS, ACTIONS, ENVIRONMENTS, LENGTH, DISCOUNT = 32, 128, 6, 64, 20, 0.99


class Policy(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(SENSED, UNITS), nn.Tanh())
        self.rnn = (nn.GRUCell if cell else nn.GRU)(UNITS, UNITS)
        self.actor, self.critic = nn.Linear(UNITS, ACTIONS), nn.Linear(UNITS, 1)

    def forward(self, sensed, hidden):
        """sensed: (steps, environments, features); GRUCell takes one step."""
        x = self.encoder(sensed)
        if isinstance(self.rnn, nn.GRUCell):
            hidden = self.rnn(x[0], hidden[0])[None]
            y = hidden
        else:
            y, hidden = self.rnn(x, hidden)
        return self.actor(y), self.critic(y)[..., 0], hidden


def choose(logits, recorded):
    if recorded:  # what multinomial() does, without its check on the CPU
        return (logits.softmax(-1) / torch.empty_like(logits).exponential_()).argmax(-1)
    return torch.distributions.Categorical(logits=logits).sample()


def training(cell=False, whole=False, inference=False, recorded=False):
    policy = Policy(cell).cuda()
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=7e-4, alpha=0.99, eps=1e-5, capturable=recorded)
    drift, push = 0.3 * torch.randn(SENSED, SENSED, device="cuda"), torch.randn(ACTIONS, SENSED, device="cuda")

    def act(world):
        hidden = world.new_zeros(1, ENVIRONMENTS, UNITS)
        seen, taken, rewards = [], [], []
        for _ in range(LENGTH):
            logits, _, hidden = policy(world[None], hidden)
            action = choose(logits[0], recorded)
            seen.append(world)
            taken.append(action)
            world = torch.tanh(world @ drift + push[action])
            rewards.append(-world.pow(2).mean(-1))
        returns, ahead = [], policy(world[None], hidden)[1][0]
        for reward in reversed(rewards):
            ahead = reward + DISCOUNT * ahead
            returns.append(ahead)
        return torch.stack(seen), torch.stack(taken), torch.stack(returns[::-1])

    def step(start):
        with torch.inference_mode() if inference else torch.no_grad():
            experience = act(start)
        seen, taken, returns = (part.clone() for part in experience) if inference else experience
        hidden = start.new_zeros(1, ENVIRONMENTS, UNITS)
        if whole:
            logits, values, _ = policy(seen, hidden)
        else:
            logits, values = [], []
            for sensed in seen:
                one, value, hidden = policy(sensed[None], hidden)
                logits.append(one)
                values.append(value)
            logits, values = torch.cat(logits), torch.cat(values)
        chances = logits.log_softmax(-1)
        gain = returns - values
        chosen = chances.gather(-1, taken[..., None])[..., 0]
        entropy = -(chances.exp() * chances).sum(-1).mean()
        loss = 0.5 * gain.pow(2).mean() - (gain.detach() * chosen).mean() - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5, foreach=True)
        optimizer.step()
        return loss
    return step, [(start,) for start in torch.randn(4, ENVIRONMENTS, SENSED, device="cuda")]


def variants():
    return {"as written": lambda: fed(*training()),
            "update in one call": lambda: fed(*training(whole=True)),
            "GRUCell": lambda: fed(*training(cell=True)),
            "acting in inference_mode()": lambda: fed(*training(inference=True)),
            "CUDA graph": lambda: graphed(*training(recorded=True))}


if __name__ == "__main__":
    run(variants()["as written"]())
