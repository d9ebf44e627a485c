"""Published tensors put into a network: each into its place, or an error that says what is off."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from torch import Tensor, nn

from robusteval.models._checkpoint import some

PREFIXES = ("module.", "model.", "_orig_mod.")  # put there by wrappers for training
COUNTER = "num_batches_tracked"  # of batch normalisation; not used in evaluation, absent once


def put_weights(
    network: nn.Module,
    tensors: Mapping[str, Tensor],
    where: object,
    *,
    classes: int,
    match: str = "name",
    prefix: str = "",
    ignore: Sequence[str] = (),
) -> None:
    """Put the tensors of a checkpoint into ``network``, which must need and get all of them.

    Args:
        tensors: by name, in the order of the checkpoint.
        where: the checkpoint, for messages.
        classes: how many the network has, for messages.
        match: by ``name``, or in ``order``: the same number of tensors with the same shapes and
            last names (weight, bias, ...), whatever stands before them.
        prefix: take only the tensors whose names begin so, and drop that. Without it, prefixes that
            wrappers put before all names are dropped.
        ignore: patterns, such as ``aux.*``, of tensors that may be missing or left over.

    Raises:
        ValueError: tensors are missing or left over, or their shapes differ.
    """
    places = {k: v for k, v in network.state_dict().items() if isinstance(v, Tensor)}
    tensors = _renamed(tensors, places, prefix)
    if prefix and not tensors:
        raise ValueError(f"{where}: prefix {prefix!r}: no name of a tensor begins so")
    tensors = _without(_without(tensors, ignore), [f"*{COUNTER}"])
    needed = _without(_without(places, ignore), [f"*{COUNTER}"])
    if match == "order":
        tensors = _in_order(tensors, needed, where)
    elif match != "name":
        raise ValueError(f"match {match!r}: name or order expected")
    _check_names(tensors, needed, places, where)
    _check_shapes(tensors, places, where, classes)
    network.load_state_dict(tensors, strict=False)


def _renamed(
    tensors: Mapping[str, Tensor], places: Mapping[str, Tensor], prefix: str
) -> dict[str, Tensor]:
    """Return the tensors without ``prefix``, or without what wrappers put before all names."""
    if prefix:
        return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
    for wrapper in 2 * PREFIXES:  # wrappers lie within each other in any order
        if _all_begin(tensors, wrapper) and not _all_begin(places, wrapper):
            tensors = {k.removeprefix(wrapper): v for k, v in tensors.items()}
    return dict(tensors)


def _all_begin(names: Iterable[str], prefix: str) -> bool:
    return all(name.startswith(prefix) for name in names)


def _without(tensors: Mapping[str, Tensor], patterns: Sequence[str]) -> dict[str, Tensor]:
    """Return the tensors whose names no pattern describes."""
    return {k: v for k, v in tensors.items() if not any(fnmatchcase(k, p) for p in patterns)}


def _in_order(
    tensors: Mapping[str, Tensor], places: Mapping[str, Tensor], where: object
) -> dict[str, Tensor]:
    """Return the tensors under the names of ``places``, one after the other."""
    if len(tensors) != len(places):
        raise ValueError(
            f"{where}: {len(tensors)} tensors, {len(places)} expected: another architecture, or "
            "more than the network in it"
        )
    for (own, tensor), (name, place) in zip(tensors.items(), places.items(), strict=True):
        same = own.rpartition(".")[2] == name.rpartition(".")[2]
        if tensor.shape != place.shape or not same:
            raise ValueError(
                f"{where}: in order, {own} {_shape(tensor)} would go to {name} {_shape(place)}: "
                "another architecture, or another order"
            )
    return dict(zip(places, tensors.values(), strict=True))


def _check_names(
    tensors: Mapping[str, Tensor],
    needed: Mapping[str, Tensor],
    places: Mapping[str, Tensor],
    where: object,
) -> None:
    given = {places[name].data_ptr() for name in tensors if name in places}
    missing = [n for n, place in needed.items() if n not in tensors]
    missing = [n for n in missing if places[n].data_ptr() not in given]  # but for a shared tensor
    extra = [name for name in tensors if name not in places]
    if len(missing) > len(needed) / 2:
        raise ValueError(
            f"{where}: {len(needed) - len(missing)} of the network's {len(needed)} tensors are "
            f"there: another architecture, or other names for the same one; it has {some(extra)}; "
            f"{some(missing)} expected"
        )
    if missing or extra:
        raise ValueError(
            f"{where}: missing are {some(missing)}; left over are {some(extra)}; if that is right, "
            f"say so, as in weights: {{ignore: [{(missing + extra)[0]}]}}"
        )


def _check_shapes(
    tensors: Mapping[str, Tensor], places: Mapping[str, Tensor], where: object, classes: int
) -> None:
    wrong = [n for n, tensor in tensors.items() if tensor.shape != places[n].shape]
    if not wrong:
        return
    heads = [n for n in wrong if places[n].shape[:1] == (classes,)]
    if len(heads) == len(wrong) and tensors[heads[0]].ndim:
        raise ValueError(
            f"{where}: has {len(tensors[heads[0]])} classes ({heads[0]}), {classes} expected: the "
            "classes of the model are not those of its weights"
        )
    name = wrong[0]
    raise ValueError(
        f"{where}: {name} is {_shape(tensors[name])}, {_shape(places[name])} expected, and "
        f"{len(wrong) - 1} more differ: another size of the network or of its images"
    )


def _shape(tensor: Tensor) -> str:
    return " x ".join(map(str, tensor.shape)) or "a number"
