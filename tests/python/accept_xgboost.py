"""XGBoost on the simulated GPU: trees grown there predict what those of the CPU predict.

    python -m heddle run -stats_file /dev/null tests/python/accept_xgboost.py

One line per case; the last line counts. Exit status 77 without XGBoost or NumPy."""

import sys

try:
    import numpy as np
    import xgboost as xgb
except ImportError as e:
    print("XGBoost or NumPy is not installed: %s" % e)
    sys.exit(77)
import acceptance

if not xgb.build_info().get("USE_CUDA"):
    print("this XGBoost was built without CUDA")
    sys.exit(77)

ROWS, COLUMNS = 600, 8
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def data(classes=0, missing=False):
    """Numbers, and what is to be told from them. So few of them are different that each has a bin of its own: where there are
    more, the CPU and the GPU put them into bins by sketches of their own."""
    r = np.random.default_rng(3)
    x = np.clip(np.round(r.standard_normal((ROWS, COLUMNS)) * 10) / 10, -2.5, 2.5).astype(np.float32)
    y = x[:, 0] * 2 + np.sin(3 * x[:, 1]) - x[:, 2] * x[:, 3] + 0.1 * r.standard_normal(ROWS)
    if missing:
        x[r.random(x.shape) < 0.1] = np.nan
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    return x, y


def trained(device, x, y, rounds=6, **parameters):
    """The model, and its figures on the training data after each round."""
    told = {}
    # The GPU's algorithm drops a feature if the best of its splits leaves a child lighter than min_child_weight, the CPU's then takes
    # the second best; so there is no least weight.
    words = dict({"device": device, "tree_method": "hist", "max_depth": 3, "max_bin": 64, "min_child_weight": 0,
        "nthread": 1, "seed": 1}, **parameters)
    d = xgb.DMatrix(x, y)
    model = xgb.train(words, d, num_boost_round=rounds, evals=[(d, "train")], evals_result=told, verbose_eval=False)
    return model, told["train"]


def compare(x, y, **parameters):
    cpu, cpu_told = trained("cpu", x, y, **parameters)
    gpu, gpu_told = trained("cuda", x, y, **parameters)
    for name in cpu_told:
        np.testing.assert_allclose(gpu_told[name], cpu_told[name], rtol=1e-3, atol=1e-4)
    d = xgb.DMatrix(x)
    on_cpu = cpu.predict(d)
    # Where two splits are as good, rounding decides between them: nearly all predictions are the same, and none is far off.
    wrong = np.abs(gpu.predict(d) - on_cpu) > 1e-3 * (1 + np.abs(on_cpu))
    assert wrong.mean() < 0.02, "%d of %d predictions differ" % (wrong.sum(), wrong.size)
    # The same trees give the same on both.
    gpu.set_param({"device": "cpu"})
    again = gpu.predict(d)
    gpu.set_param({"device": "cuda"})
    np.testing.assert_allclose(gpu.predict(d), again, rtol=1e-5, atol=1e-6)
    return gpu


@case
def regression():
    x, y = data()
    model = compare(x, y)
    assert np.corrcoef(model.predict(xgb.DMatrix(x)), y)[0, 1] > 0.8


@case
def binary():
    compare(*data(2), objective="binary:logistic", eval_metric=["logloss", "auc", "error"])


@case
def classes():
    compare(*data(4), objective="multi:softprob", num_class=4, eval_metric=["mlogloss", "merror"])


@case
def missing_values():
    compare(*data(missing=True))


@case
def objectives():
    x, y = data()
    compare(x, np.abs(y), objective="count:poisson")
    compare(x, y, objective="reg:pseudohubererror")
    compare(x, np.abs(y) + 0.1, objective="reg:gamma", rounds=3)


@case
def ranking():
    x, y = data(4)
    group = [20] * (ROWS // 20)
    told = []
    for device in ("cpu", "cuda"):
        d = xgb.DMatrix(x, y)
        d.set_group(group)
        result = {}
        xgb.train({"device": device, "objective": "rank:ndcg", "max_depth": 3, "lambdarank_pair_method": "topk",
            "nthread": 1}, d, num_boost_round=4, evals=[(d, "train")], evals_result=result, verbose_eval=False)
        told.append(result["train"]["ndcg@32"])
    np.testing.assert_allclose(told[1], told[0], rtol=1e-2)


@case
def growth():
    x, y = data()
    compare(x, y, grow_policy="lossguide", max_leaves=12, max_depth=0)
    compare(x, y, monotone_constraints="(1,0,0,0,0,0,0,0)", reg_alpha=0.1, reg_lambda=2.0)
    compare(x, y, subsample=1.0, colsample_bytree=1.0, gamma=0.5)


@case
def contributions():
    x, y = data()
    model, _ = trained("cuda", x, y)
    d = xgb.DMatrix(x[:50])
    on_gpu = model.predict(d, pred_contribs=True)
    leaves = model.predict(d, pred_leaf=True)
    model.set_param({"device": "cpu"})
    np.testing.assert_allclose(on_gpu, model.predict(d, pred_contribs=True), rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(leaves, model.predict(d, pred_leaf=True))


def main(names):
    failed, said = acceptance.run("XGBoost %s" % xgb.__version__, CASES, acceptance.completes, names)
    print(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
