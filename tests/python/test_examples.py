"""Programs of examples/python do what they say."""
import importlib.util


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_environment_balances(examples):
    balance = load(examples / "python/balance_env.py")
    env = balance.BalanceEnv()
    a, info = env.reset(seed=3)
    assert env.reset(seed=3)[0] == a and env.reset(seed=4)[0] != a and info == {}
    assert max(map(abs, a)) <= 0.1 and len(a) == 4
    # episodes of one seed are the same bits, whatever was played between
    assert balance.play(env, [0.0] * 4, 5) == balance.play(balance.BalanceEnv(), [0.0] * 4, 5) < 100
    # the force pushes the cart: x'' = F/(m + M/4) for a uniform rod that stands, in the first instant
    env.run.restore(env.saved)
    with env.run.edit() as state:
        state.q[:] = 0.0
        state.v[:] = 0.0
    observation, reward, fallen, late, _ = env.step(2.0)  # as 1
    assert abs(observation[1] / 0.02 - 12.0 / (1.0 + 0.2 / 4)) < 0.05 and not fallen and not late
    policy, found = balance.search(env, rounds=25)
    assert found > 200 and balance.play(env, policy, 7) > 100
