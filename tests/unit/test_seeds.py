import numpy as np

from robusteval.seeds import generator


def test_a_key_gives_the_same_numbers_again():
    assert generator(1, "pgd", 7).random() == generator(1, "pgd", 7).random()


def test_other_keys_give_other_numbers():
    keys = [
        (1, "pgd", 7),
        (1, "pgd", 8),
        (2, "pgd", 7),
        (1, "fgsm", 7),
        (1, "pgd", "7"),
        (1, "pgd7"),
    ]
    assert len({generator(*key).random() for key in keys}) == len(keys)


def test_streams_of_neighbours_are_uncorrelated():
    first, second = (generator(0, i).standard_normal(10_000) for i in (1, 2))
    # The correlation of independent samples has a standard deviation of 1 / sqrt(n) = 0.01.
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05


def test_numbers_stay_the_same_across_versions():
    # A change here silently changes every corrupted and adversarial image that was ever made.
    assert generator(1, "shot_noise", 3, 42).integers(10**9) == 841621495
