"""Tables as a study would give them, small or with 18 models, always with one broken cell."""

import functools
import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from robusteval import plugins

MODELS = [
    "alexnet",
    "vgg16",
    "vgg19",
    "squeezenet1_1",
    "googlenet_inception_v1",
    "inception_v2",
    "inception_v3",
    "inception_v4",
    "inception_resnet_v2",
    "resnet50_augmix_deepaugment",
    "resnet101_v2",
    "resnet152_v2",
    "densenet121",
    "densenet161",
    "densenet169",
    "mobilenet_v1_1_0_224",
    "nasnet_large",
    "efficientnet_lite0",
]
TESTS = ["clean", "corruptions", "pgd_linf", "pgd_l2", "cw_l2", "imagenet_v2"]
CORRUPTIONS = [
    *("gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur", "glass_blur"),
    *("motion_blur", "zoom_blur", "snow", "frost", "fog", "brightness", "contrast"),
    *("elastic_transform", "pixelate", "jpeg_compression"),
]
KINDS = ["clean", "corrupt", "adversarial", "novel", "unrecognisable"]
SETTINGS = [
    ("fgsm_linf", "eps=0.1"),
    ("fgsm_linf", "eps=0.2"),
    ("pgd_linf", "eps=0.1"),
    ("cw_l2", ""),
]


@functools.cache
def drawn(models, name):
    return Tables(models).draw(name)


def broken(frame, row, *values):
    """Return ``frame`` with one cell that has no value because its job failed."""
    frame = frame.copy()
    frame.loc[row, "status"] = "failed"
    frame.loc[row, ["n"]] = 0
    frame.loc[row, list(values)] = np.nan
    return frame


class Tables:
    """What each figure is drawn from, by the figure's name."""

    def __init__(self, models):
        self.models = MODELS[:models]
        self.rng = np.random.default_rng(0)

    def given(self, name):
        """Return the arguments of the figure ``name``."""
        given = getattr(self, name)()
        return given if isinstance(given, tuple) else (given,)

    def draw(self, name):
        """Return the figure ``name``."""
        return plugins.load("figures", name)(*self.given(name))

    def drawn(self, name):
        """Return the figure ``name``, drawn once in all tests that only look at it."""
        return drawn(len(self.models), name)

    def accuracy_by_test(self):
        rows = []
        for (m, model), (t, test) in itertools.product(enumerate(self.models), enumerate(TESTS)):
            value = max(0.0, 92 - m - (0, 22, 85, 60, 89.5, 11)[t] + self.rng.normal(0, 3))
            rows.append((model, test, "mean", 0, 1000, value, value - 2, value + 2, "ok"))
        percents = ["accuracy_pct_higher_better", "low95_pct", "high95_pct"]
        columns = ["model", "test", "condition", "severity", "n", *percents, "status"]
        frame = pd.DataFrame(rows, columns=columns)
        frame[percents] = frame[percents].clip(0, 100)
        return broken(frame, len(TESTS) + 2, *percents)

    def searched_loss(self):
        cells = itertools.product(self.models, ["zoo"], ["step 0.1", "no oracle"], range(6))
        frame = pd.DataFrame(cells, columns=["model", "test", "condition", "step"])
        frame["n"], frame["status"] = 60, "ok"
        frame["loss_median"] = 0.1 * np.exp(frame["step"]) + self.rng.random(len(frame))
        return broken(frame, 6, "loss_median")

    def searched_settings(self):
        cells = itertools.product(self.models, ["zoo"], [0.1, 0.3], [0, 1, 5, 10])
        frame = pd.DataFrame(cells, columns=["model", "test", "step_size", "budget"])
        frame["n"], frame["status"] = 60, "ok"
        value = "oracle_relative_fmr_valid_pct_higher_better"
        frame[value] = 100 - 8 * frame["budget"] * self.rng.random(len(frame))
        return broken(frame, 3, value)

    def searched_examples(self):
        images = [self.rng.integers(256, size=(9, 8, 8, 1), dtype=np.uint8) for _ in range(6)]
        labels = [f"{model},\nstep 0.1" for model in self.models[:4]]
        said = {label: [("Ankle boot", "Sneaker")] * 9 for label in (*labels, "original")}
        searched = dict(zip(labels, images[2:], strict=False))
        valid, truth = np.arange(9) > 0, ["Ankle boot"] * 8 + ["a class of a long name"]
        return images[0], images[1], searched, said, valid, truth

    def corruption_heatmap(self):
        cells = list(itertools.product(self.models, CORRUPTIONS, range(1, 6)))
        frame = pd.DataFrame(cells, columns=["model", "corruption", "severity"])
        hard = frame["corruption"].map({c: 8 + 4 * i % 37 for i, c in enumerate(CORRUPTIONS)})
        soft = frame["model"].map({m: i for i, m in enumerate(self.models)})
        value = 10 + hard * frame["severity"] * 0.45 - soft + self.rng.normal(0, 2, len(frame))
        frame["n"] = 5000
        frame["error_pct_lower_better"] = value.clip(0, 100)
        frame["status"] = "ok"
        return broken(frame, 37, "error_pct_lower_better")

    def transfer_matrices(self):
        cells = [(*s, a, b) for s in SETTINGS for a in self.models for b in self.models]
        frame = pd.DataFrame(cells, columns=["attack", "condition", "source", "target"])
        value = self.rng.beta(2, 3, len(frame)) * 100
        frame["n"] = self.rng.integers(812, 1001, len(frame))
        white = frame["source"] == frame["target"]
        frame["rate_pct_higher_transfers_more"] = np.where(white, 100, value)
        frame["status"] = "ok"
        return broken(frame, 1, "rate_pct_higher_transfers_more")

    def success_by_attack(self):
        goals = ["untargeted", "random", "runner_up"]
        settings = [("fgsm", f"linf {e}") for e in (0.1, 0.2, 0.3)]
        settings += [("ifgsm", f"linf 0.1, {t} steps") for t in (10, 30)]
        settings += [("cw_l2", f"kappa {k}") for k in (0, 20, 40)]
        cells = [
            (attack, condition if goal == "untargeted" else f"{condition}, {goal}", goal, model)
            for goal in goals
            for attack, condition in settings
            for model in self.models
        ]
        frame = pd.DataFrame(cells, columns=["attack", "condition", "goal", "model"])
        frame["n"] = 1000
        frame["attacked_source_correct"] = self.rng.integers(560, 830, len(frame))
        value = "success_pct_of_attacked_higher_stronger_attack"
        frame[value] = 100 * self.rng.beta(4, 1, len(frame))
        frame["status"] = "ok"
        return broken(frame, 1, value)

    def transfer_sources(self):
        settings = [("fgsm", f"linf {e}") for e in (0.1, 0.2, 0.3)]
        settings += [("cw_l2", f"kappa {k}, random") for k in (0, 20, 40)]
        targets = ["all other models", "the source's family", "other families"]
        cells = [(*s, m, t) for s in settings for m in self.models for t in targets]
        frame = pd.DataFrame(cells, columns=["attack", "condition", "source", "targets"])
        frame["n"] = len(self.models) - 1
        frame["mean_pct_higher_transfers_more"] = 100 * self.rng.beta(2, 4, len(frame))
        frame["status"] = "ok"
        return broken(frame, 1, "mean_pct_higher_transfers_more")

    def accuracy_distortion(self):
        panels = [
            ("ifgsm_search", "50 steps", "untargeted", "linf", 0.002),
            ("cw_l2", "kappa 0, random", "random", "l2", 0.4),
            ("cw_l2", "kappa 0, random", "random", "l2_per_pixel", 8e-6),
            ("ead_l1", "kappa 0", "least_likely", "l1", 40.0),
        ]
        rows = []
        for *panel, size in panels:
            for m, model in enumerate(self.models):
                accuracy = 56.5 + 26 * m / len(self.models)
                error = np.log(1 - accuracy / 100)
                value = size * (2 + error) * self.rng.lognormal(0, 0.1)
                row = (*panel, "mean of successes", model, 100, accuracy, value, m % 5 == 0)
                rows.append((*row, 2 * size, size, 0.75, 2.2 * size, size, 0.95, "ok"))
        fits = [f"{k}_{x}" for k in ("all", "frontier") for x in ("a", "b", "r_squared")]
        columns = ["attack", "condition", "goal", "norm", "statistic", "model", "n"]
        columns += ["accuracy_pct", "distortion", "on_frontier", *fits, "status"]
        return broken(pd.DataFrame(rows, columns=columns), 1, "distortion")

    def dar_by_kind(self):
        kinds = [*KINDS, "mean"]
        frame = pd.DataFrame(itertools.product(self.models, kinds), columns=["model", "kind"])
        middle = frame["kind"].map(dict(zip(kinds, (91, 70, 35, 55, 80, 66), strict=True)))
        frame["n"] = 10_000
        frame["dar_pct_higher_better"] = (middle + self.rng.normal(0, 5, len(frame))).clip(0, 100)
        frame["status"] = "ok"
        frame = broken(frame, len(kinds) + 2, "dar_pct_higher_better")
        return broken(frame, 2 * len(kinds) - 1, "dar_pct_higher_better")

    def dar_curve(self):
        parts = []
        for m, model in enumerate(self.models):
            t = np.linspace(0, 1, 60)
            unknown = 100 * t ** (0.5 + m / len(self.models))
            known = 85 - m - 60 * t**3 + 15 * t * (1 - t)
            part = pd.DataFrame({"model": model, "threshold": [-np.inf, *t[1:-1], np.inf]})
            part["of_study"] = np.where(np.arange(60) == 20 + m, "yes", "no")
            part["dar_pct_known_higher_better"] = known
            part["dar_pct_unknown_higher_better"] = unknown
            part["status"] = "ok"
            parts.append(part)
        failed = {"model": self.models[1], "status": "failed"}
        parts[1] = parts[1].iloc[:1].assign(
            threshold=np.nan, of_study=np.nan, dar_pct_known_higher_better=np.nan,
            dar_pct_unknown_higher_better=np.nan, **failed,
        )  # fmt: skip
        return pd.concat(parts, ignore_index=True)

    def kind_ranking(self):
        frame = self.dar_by_kind()
        by_kind = frame.groupby("kind")["dar_pct_higher_better"]
        return frame.assign(rank_1_is_best=by_kind.rank(ascending=False))

    def seed_spread(self):
        frame = self.accuracy_by_test().rename(columns={"model": "method"})
        mean = frame.pop("accuracy_pct_higher_better")
        half = self.rng.uniform(0.1, 2, len(frame))
        return frame[["method", "test", "n", "status"]].assign(
            n_seeds=3,
            mean_accuracy_pct_higher_better=mean,
            sd_over_seeds_divisor_n_minus_1_pct_points=half,
            min_over_seeds_pct=(mean - half).clip(0, 100),
            max_over_seeds_pct=(mean + half).clip(0, 100),
        )

    def effective_robustness(self):
        tests = ["imagenet_v2", "imagenet_r", "imagenet_sketch"]
        frame = pd.DataFrame(itertools.product(self.models, tests), columns=["model", "test"])
        frame["base_test"] = "imagenet_validation"
        base = {m: 56 + 30 * i / len(self.models) for i, m in enumerate(self.models)}
        frame["base_accuracy_pct"] = frame["model"].map(base)
        frame["foretold_accuracy_pct"] = frame["base_accuracy_pct"] - 20
        residual = self.rng.normal(0, 4, len(frame))
        frame["shifted_accuracy_pct"] = frame["foretold_accuracy_pct"] + residual
        frame["effective_robustness_points_higher_better"] = residual
        frame["n"], frame["status"] = 10_000, "ok"
        return broken(frame, len(tests) + 1, "shifted_accuracy_pct")

    def framework_page(self):
        metrics = {"coverage": ["KMNCov", "NBCov"], "visibility of attacks": ["ALD2", "ASS"]}
        metrics |= {"task": ["CA"], "white box": ["AAW, mean", "AAW, every setting"]}
        metrics |= {"black box": ["AAB, mean"], "corruption": ["mean error", "mCE"]}
        metrics |= {"boundary": ["EBD", "EBD-2"], "noise": ["ENI"]}
        cells = [(m, g, name) for m in self.models for g in metrics for name in metrics[g]]
        frame = pd.DataFrame(cells, columns=["model", "group", "metric"])
        frame["n"], frame["status"] = 1000, "ok"
        frame["value"] = self.rng.uniform(0, 2, len(frame))
        better = {"ASS", "mean error", "mCE", "ENI"}
        lower = frame["metric"].isin(better)
        frame["value_is"] = np.where(lower, "lower is better", "higher is better")
        frame["unified_0_to_1_higher_better"] = self.rng.uniform(0, 1, len(frame))
        frame.loc[frame["group"] == "coverage", "unified_0_to_1_higher_better"] = np.nan
        columns = ["value", "unified_0_to_1_higher_better"]
        return broken(frame, 3, *columns), self.models[0]

    def examples(self):
        return {
            kind: self.rng.integers(0, 256, (8 - i, 28, 28, 1 + 2 * (i % 2)), np.uint8)
            for i, kind in enumerate(KINDS)
        }

    def adversarial_examples(self):
        clean = self.rng.random((5, 32, 32, 3))
        sizes = {"pgd_linf": 8 / 255, "cw_l2": 0.003, "ead_l1": 0.3}
        attacks = {k: clean + v * self.rng.uniform(-1, 1, clean.shape) for k, v in sizes.items()}
        return clean, {name: images.clip(0, 1) for name, images in attacks.items()}

    def confidence_histograms(self):
        edges = np.linspace(0, 1, 26)
        shape = dict(zip(KINDS, ((6, 0.5), (2, 0.8), (2, 1.2), (1.5, 2), (3, 4)), strict=True))
        rows = []
        for model, kind in itertools.product(self.models, KINDS):
            counts = np.histogram(self.rng.beta(*shape[kind], 1000), edges)[0].astype(float)
            if (model, kind) == (self.models[1], "adversarial"):
                counts[:] = np.nan
            bins = zip(edges[:-1], edges[1:], counts, strict=True)
            rows += [(model, kind, *row, 0.55) for row in bins]
        columns = ["model", "kind", "bin_low", "bin_high", "count", "threshold"]
        return pd.DataFrame(rows, columns=columns)


@pytest.fixture
def visible_texts():
    """Return the function below, which tests cannot import from here."""
    return texts_and_boxes


def texts_and_boxes(figure):
    """Return the texts that are drawn, with their boxes (x0, y0, x1, y1) in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts, boxes = [], []
    for text in figure.findobj(Text):
        shown = text.get_visible() and text.get_text().strip()
        if shown and (text.axes is None or text.axes.axison):
            texts.append(text.get_text())
            boxes.append(text.get_window_extent(renderer).extents)
    return texts, np.array(boxes)


@pytest.fixture(params=[2, 18], ids=["2 models", "18 models"])
def tables(request):
    return Tables(request.param)


@pytest.fixture
def small():
    return Tables(2)
