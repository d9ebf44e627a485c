"""Networks that anyone's own function returns."""

import sys

import pytest
from torch import nn

from robusteval.models.function import function, pretrained, source

pytestmark = pytest.mark.usefixtures("trusted")
CODE = """
from torch import nn
from beside import width

def net(classes, depth=1):
    return nn.Linear(width * depth, classes)

def plain():
    return nn.Flatten()

def nothing():
    return "weights"

def broken():
    return nn.Linear(2, "a")

class Net(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.seen = shape
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "beside.py").write_text("width = 7\n")
    (tmp_path / "mine.py").write_text(CODE)
    yield tmp_path / "mine.py"
    sys.modules.pop("beside", None)


def made(where, **arguments):
    return function(classes=3, shape=(8, 9, 1), function=where, **arguments)


def test_a_file_of_ones_own_is_called_with_what_it_takes(file, tmp_path, monkeypatch):
    path = list(sys.path)
    network = made(f"{file}:net", depth=2)
    assert (network.in_features, network.out_features) == (14, 3)
    assert isinstance(made(f"{file}:plain"), nn.Flatten)
    assert made(f"{file}:Net").seen == (8, 9, 1)
    assert sys.path == path
    monkeypatch.chdir(tmp_path)
    assert made("mine.py:net").in_features == 7


def test_a_module_is_found_where_it_is_installed_or_in_the_folder(tmp_path, monkeypatch):
    assert made("torch.nn:Identity") is not None
    (tmp_path / "mine_too.py").write_text("from torch import nn\nnet = nn.Flatten\n")
    monkeypatch.chdir(tmp_path)
    assert isinstance(made("mine_too:net"), nn.Flatten)


def test_a_function_may_bring_its_weights(file):
    network, origin = pretrained(classes=3, shape=(8, 9, 1), function=f"{file}:net")
    assert network.out_features == 3 and origin == f"{file}:net"


def test_the_file_is_known_where_there_is_one(file):
    assert source(f"{file}:net") == file
    assert source("torch.nn:Identity") is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (":none", r"no function 'none' there, but net, plain, nothing, broken"),
        (":nothing", "returned a str; a torch.nn.Module expected"),
        (":width", "no function 'width'"),
        ("", "module:function or path.py:function expected"),
    ],
)
def test_what_is_no_function_for_a_network_is_named(file, name, message):
    with pytest.raises(ValueError, match=message):
        made(f"{file}{name}")


def test_arguments_have_to_fit(file):
    with pytest.raises(ValueError, match=r"net: arguments \['classes', 'width'\]: .*'width'"):
        made(f"{file}:net", width=1)


def test_code_that_cannot_be_imported_is_named(file, tmp_path):
    with pytest.raises(ValueError, match=r"none\.py:net: no file /"):
        made(str(tmp_path / "none.py:net"))
    with pytest.raises(ValueError, match=r"cannot be imported: ModuleNotFoundError: No module nam"):
        made("no_such_module:net")
    file.write_text("def net(:\n")
    with pytest.raises(ValueError, match="cannot be imported: SyntaxError"):
        made(f"{file}:net")


def test_an_error_inside_the_function_keeps_its_trace(file):
    with pytest.raises(TypeError):
        made(f"{file}:broken")
