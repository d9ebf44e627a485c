"""The line on published numbers at the end of a run."""

from robusteval.published.verdicts import verdicts


def test_verdicts_are_counted(tmp_path):
    table = tmp_path / "published.csv"
    assert verdicts(table) == ""
    table.write_text('model,verdict,reason\na,PASS,"x, y"\nb,PASS,\nc,EXPLAINED,\n')
    expected = f"published numbers: 2 PASS, 1 EXPLAINED, 0 FAIL ({table})\n"
    assert verdicts(str(table)) == expected
    table.write_text("model,verdict\n")
    assert verdicts(table) == f"published numbers: none of what was measured ({table})\n"
