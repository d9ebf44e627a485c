"""What an attack sees of a model: its gradients, or only its answers."""

BLACK_BOX = ("boundary", "nattack", "spsa", "square")
WHITE, BLACK = "white box", "black box"


def access_of(attack: str) -> str:
    """Return whether an attack, by the file of its name, is a white-box or a black-box one."""
    return BLACK if attack in BLACK_BOX else WHITE
