"""What holds for every metric, found by its file."""

import inspect
import typing
from collections.abc import Mapping

import numpy as np
import pytest

from robusteval import plugins


def empty_arguments(metric):
    """Return arguments that hold no image: empty arrays and mappings, any value elsewhere."""
    hints = typing.get_type_hints(metric)
    arguments = {}
    for name, parameter in inspect.signature(metric).parameters.items():
        origin = typing.get_origin(hints[name])
        if parameter.default is not inspect.Parameter.empty:
            continue
        if origin is np.ndarray:
            scalar = typing.get_args(typing.get_args(hints[name])[1])[0]
            arguments[name] = np.empty(0, bool if scalar is np.bool_ else float)
        elif origin is Mapping:
            arguments[name] = {}
        elif origin is typing.Literal:
            arguments[name] = typing.get_args(hints[name])[0]
        else:
            arguments[name] = {float: 0.5, str: "l2"}[hints[name]]
    return arguments


@pytest.mark.parametrize("name", plugins.names("metrics"))
def test_no_image_is_an_error_that_says_so(name):
    metric = plugins.load("metrics", name)
    with pytest.raises(ValueError, match=r"\(0,\)|no corruption"):
        metric(**empty_arguments(metric))


@pytest.mark.parametrize("name", plugins.names("metrics"))
def test_documentation_says_what_is_returned_and_raised(name):
    text = inspect.getdoc(plugins.load("metrics", name))
    assert text.startswith("Return ")
    assert "Raises:\n    ValueError:" in text
