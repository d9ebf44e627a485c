"""What goes wrong with a model as such, whatever is being measured."""


class ModelError(RuntimeError):
    """A model that cannot be measured: wrong output shape, NaN."""
