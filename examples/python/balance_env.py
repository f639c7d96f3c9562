"""A pole on a cart as an environment for reinforcement learning, with the methods of Gymnasium's (which need not be installed).

    PYTHONPATH=build/python python3 examples/python/balance_env.py

An episode begins at a random state; the action is the force of the motor, from -1 to 1, held for 20 ms. The model is
compiled once. Below, random search finds a linear policy that keeps the pole up.
"""
import pathlib
import random

import flexion as fx

MODEL = pathlib.Path(__file__).resolve().parents[1] / "cart_pole.yaml"


class BalanceEnv:
    FORCE, STEP, EPISODE = 12.0, 0.02, 5.0  # N, s, s

    def __init__(self, **parameters):
        model = fx.read(MODEL, **parameters)
        model.outputs["signals"] = ["rail.displacement", "rail.rate", "hinge.angle", "hinge.rate"]
        self.run = model.system().start(ledger=False)
        self.saved = self.run.save()  # the start, to which an episode goes back
        self.random = random.Random()

    def _observe(self):
        return tuple(float(y) for y in self.run.outputs)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random.seed(seed)
        self.run.restore(self.saved)
        self.run.input["F"] = 0.0
        with self.run.edit() as state:  # rail, hinge
            for i in range(len(state.q)):
                state.q[i] = self.random.uniform(-0.1, 0.1)
                state.v[i] = self.random.uniform(-0.1, 0.1)
        return self._observe(), {}

    def step(self, action):
        self.run.input["F"] = self.FORCE * max(-1.0, min(1.0, float(action)))
        self.run.advance(self.run.time + self.STEP)
        x, _, angle, _ = observation = self._observe()
        fallen = abs(angle) > 0.5 or abs(x) > 2.0
        reward = 0.0 if fallen else 1.0 - 0.1 * (x * x + angle * angle)
        return observation, reward, fallen, self.run.time > self.EPISODE - 0.5 * self.STEP, {}


def play(env, policy, seed):
    """The sum of rewards of an episode, 250 at most."""
    observation, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        action = sum(k * y for k, y in zip(policy, observation))
        observation, reward, fallen, late, _ = env.step(action)
        total, over = total + reward, fallen or late
    return total


def search(env, rounds=60, seed=1):
    """Hill climbing on the gains of a linear policy, over three episodes a round."""
    chance = random.Random(seed)
    best, most = [0.0] * 4, 0.0
    for _ in range(rounds):
        policy = [k + chance.gauss(0.0, 2.0) for k in best]
        total = sum(play(env, policy, i) for i in range(3)) / 3
        if total > most:
            best, most = policy, total
    return best, most


if __name__ == "__main__":
    policy, found = search(BalanceEnv())
    print("gains", [round(k, 2) for k in policy], f"reward {found:.1f} of 250")
    print("from another start:", round(play(BalanceEnv(), policy, 7), 1))
    print("with a pole of 0.8 m:", round(play(BalanceEnv(L=0.8), policy, 7), 1))
