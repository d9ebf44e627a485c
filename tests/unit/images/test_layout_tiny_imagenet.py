"""The validation part of Tiny ImageNet as released."""

import pytest

from robusteval.images._labels import Classes
from robusteval.images.layouts.tiny_imagenet_validation import tiny_imagenet_validation

CLASSES = Classes(("n01443537", "n01629819"))


def test_labels_come_from_the_list_with_boxes(tree, shades):
    folder = tree("images/val_10.JPEG", "images/val_2.JPEG")
    lines = ["val_10.JPEG\tn01629819\t0\t32\t44\t62", "val_2.JPEG\tn01443537\t1\t2\t3\t4"]
    (folder / "val_annotations.txt").write_text("\n".join(lines) + "\n")
    listing = tiny_imagenet_validation(folder, CLASSES)
    assert listing.names == ["images/val_2.JPEG", "images/val_10.JPEG"]
    assert listing.labels.tolist() == [0, 1] and shades(listing) == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"val_annotations\.txt: no such list; .*or.* the layout wnid_folders"),
        ("val_0.JPEG n01443537\n", "line 1: 'val_0.JPEG n01443537': file, wnid and box expected"),
        ("val_0.JPEG\tn01443537\n", r"images without labels in .*: images/val_1\.JPEG"),
        ("val_0.JPEG\tn1\nval_1.JPEG\tn01443537\n", r"not listed, the first is images/val_0\.JPEG"),
    ],
)
def test_a_list_that_does_not_fit(tree, text, message):
    folder = tree("images/val_0.JPEG", "images/val_1.JPEG")
    if text is not None:
        (folder / "val_annotations.txt").write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        tiny_imagenet_validation(folder, CLASSES)
    assert "\n" not in str(error.value)
