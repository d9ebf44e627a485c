"""The format of a file, seen from its columns."""

import pytest

from robusteval.published._row import COLUMNS
from robusteval.published.recognise import layout_of


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation\n", "timm"),
        ("Training,Postprocessor,Near-OOD_AUROC,Far-OOD_AUROC,ID_Accuracy,Arch\n", "openood"),
        ("subj,session,trial,rt,object_response,category,condition,imagename\n", "model_vs_human"),
        ("file_name,predicted_class,predicted_probability\n", "imagenet_x"),
        (",fog,snow\n,1,5\nnet,0.9,0.8\n", "robustbench_corruptions"),
        ("dataset,threat_model,model,clean_acc\n", "robustbench_summaries"),
        ("model,Gaussian Noise,mean\nnet,1,2\n", "corruption_table"),
        ("\ufeffmodel,imagenet_v2\nnet,1\n", "accuracy_by_set"),
    ],
)
def test_a_format_is_known_by_its_columns(tmp_path, text, layout):
    (tmp_path / "file.csv").write_text(text)
    assert layout_of(tmp_path / "file.csv") == layout


def test_a_summary_is_the_only_json():
    assert layout_of("imagenet/corruptions/net.json") == "robustbench_json"


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "model,top1\nnet,76.1\n", ",fog\n,9\n"])
def test_a_file_in_no_format_says_what_to_do(tmp_path, text):
    (tmp_path / "file.csv").write_text(text)
    with pytest.raises(ValueError, match=r"file\.csv: columns .* --format, one of accuracy_by_set"):
        layout_of(tmp_path / "file.csv")


def test_a_table_in_the_one_format_needs_no_import(tmp_path):
    (tmp_path / "mine.csv").write_text(",".join(COLUMNS) + "\n")
    with pytest.raises(ValueError, match="in the one format already; copy it into"):
        layout_of(tmp_path / "mine.csv")
