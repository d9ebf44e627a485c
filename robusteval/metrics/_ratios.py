"""Values by name as shares of a baseline model's."""

from collections.abc import Mapping

from robusteval.metrics._checks import check_finite, check_keys


def ratios(
    values: Mapping[str, float], baseline: Mapping[str, float], what: str
) -> dict[str, float]:
    """Return ``values[name] / baseline[name]`` of each name, matched by name.

    Raises:
        ValueError: the names differ, there are none, a value is not finite or negative, or one of
            the baseline is 0; the message gives the name and calls the value ``what``.
    """
    check_keys(values, baseline)
    for name, value in values.items():
        check_finite(**{f"{what} of {name}": value, f"baseline {what} of {name}": baseline[name]})
        if value < 0:
            raise ValueError(f"{what} of {name}: {value}; expected 0 or more")
        if baseline[name] <= 0:
            raise ValueError(f"baseline {what} of {name}: {baseline[name]}; expected more than 0")
    return {name: value / baseline[name] for name, value in values.items()}
