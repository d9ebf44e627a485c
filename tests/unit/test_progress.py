import logging

from robusteval.progress import Progress


def test_a_line_says_how_much_and_how_long(caplog):
    caplog.set_level(logging.INFO)
    progress = Progress(1000, "images", seconds=0)
    progress(250)
    assert "250 of 1,000 images" in caplog.text
    assert "s left" in caplog.text


def test_lines_do_not_flood_the_log(caplog):
    caplog.set_level(logging.INFO)
    progress = Progress(1000, "images", seconds=60)
    for _ in range(1000):
        progress(1)
    assert len(caplog.records) == 1  # the last one


def test_what_was_there_already_is_not_counted_as_speed(caplog):
    caplog.set_level(logging.INFO)
    progress = Progress(100, "images", seconds=0)
    progress.start -= 10  # ten seconds ago
    progress.skip(70)
    progress(20)
    assert "90 of 100 images, 2/s" in caplog.text  # 20 images in 10 seconds
