import pandas as pd

from robusteval.figures import success_by_attack as module
from robusteval.figures.success_by_attack import ATTACKED, VALUE, success_by_attack


def rows(settings):
    given = pd.DataFrame(settings, columns=["attack", "condition", "goal"]).assign(model="m")
    return given.assign(**{ATTACKED: 9, VALUE: 50.0, "status": "ok"})


SETTINGS = [
    ("fgsm", "linf 0.1", "untargeted"),
    ("fgsm", "linf 0.1", "random"),
    ("cw", "minimal l2, runner-up target", "runner_up"),
]


def names(figure):
    return [label.get_text() for axes in figure.axes for label in axes.get_xticklabels()]


def test_few_settings_share_a_matrix_and_say_what_they_aim_at():
    figure = success_by_attack(rows(SETTINGS))
    assert {"fgsm, linf 0.1", "fgsm, linf 0.1, random target", SETTINGS[2][1]} <= {
        name.removeprefix("cw, ") for name in names(figure)
    }
    assert [axes.get_title(loc="left") for axes in figure.axes[:1]] == [""]


def test_many_settings_have_a_matrix_for_each_goal(monkeypatch):
    monkeypatch.setattr(module, "IN_ONE", 2)
    titles = [axes.get_title(loc="left") for axes in success_by_attack(rows(SETTINGS)).axes]
    assert titles[:3] == ["untargeted", "target: random", "target: runner_up"]
