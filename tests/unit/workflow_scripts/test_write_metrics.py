"""The few numbers that versions of a study are compared by."""

from robusteval.files import read_json
from workflow_scripts.write_metrics import write_metrics

ACCURACY = """\
model,test,n,accuracy_pct_higher_better,status
cnn,clean,10,90.5,ok
cnn,"fgsm, linf 0.1",10,20.0,ok
vit,clean,0,,the model returned NaN
"""
DAR = "model,kind,dar_pct_higher_better,status\ncnn,mean,55.25,ok\n"


def test_complete_rows_become_numbers_by_model(tmp_path):
    (tmp_path / "accuracy.csv").write_text(ACCURACY)
    (tmp_path / "dar.csv").write_text(DAR)
    write_metrics(tmp_path / "accuracy.csv", tmp_path / "dar.csv", tmp_path / "metrics.json")
    assert read_json(tmp_path / "metrics.json") == {
        "accuracy_pct_higher_better": {"cnn": {"clean": 90.5, "fgsm, linf 0.1": 20.0}},
        "dar_pct_higher_better": {"cnn": {"mean": 55.25}},
    }
