"""What a model of images and text is asked about each class."""

from collections import Counter
from collections.abc import Sequence

TEMPLATES = ("an image of {class}",)  # recalled of the published method, seen in no source
PLACE = "{class}"


def prompts(classes: Sequence[str], templates: Sequence[str] = TEMPLATES) -> list[list[str]]:
    """Return the prompts of each class, one a template, with its name in the place of "{class}".

    Raises:
        ValueError: a name says nothing (it is empty or a number), two classes share one, or a
            template has no place for it.
    """
    named = [str(name).replace("_", " ").strip() for name in classes]
    mute = [i for i, name in enumerate(named) if not any(map(str.isalpha, name))]
    if mute:
        raise ValueError(
            f"class {mute[0]} is called {classes[mute[0]]!r}: an oracle that reads needs a name in "
            "words for each class; give them in the image set's classes"
        )
    twice = [name for name, count in Counter(named).items() if count > 1]
    if twice:
        raise ValueError(f"several classes are called {twice[0]!r}: one name each expected")
    if not templates:
        raise ValueError(f"no template: expected at least one with {PLACE} in it")
    for template in templates:
        if PLACE not in template:
            raise ValueError(f"template {template!r}: expected {PLACE} in it")
    return [[template.replace(PLACE, name) for template in templates] for name in named]
