"""Work that stops at each question: order, random numbers, errors and early ends."""

import threading

import pytest
import torch

from robusteval.attacks._task import Task


def test_work_stops_at_each_question_until_it_is_answered():
    heard = []

    def work(ask):
        heard.append(ask("one"))
        heard.append(ask("two"))

    task = Task(work)
    assert (task.begun, task.done, task.question) == (False, False, None)
    task.resume()
    assert (task.begun, task.question, heard) == (True, "one", [])
    task.resume(1)
    assert (task.done, task.question, heard) == (False, "two", [1])
    task.resume(2)
    assert (task.done, task.question, heard) == (True, "two", [1, 2])


def test_random_numbers_are_a_tasks_own_and_the_callers_stay():
    drawn = {5: [], 6: []}

    def draws(seed):
        def work(ask):
            torch.manual_seed(seed)
            for _ in range(3):
                drawn[seed].append(float(torch.rand(1)))
                ask("next")

        return work

    before = torch.get_rng_state()
    tasks = [Task(draws(5)), Task(draws(6))]
    for _ in range(3):
        for task in tasks:
            task.resume(0)
            torch.rand(1)  # the caller's draws change nothing
    for seed, values in drawn.items():
        expected = torch.rand(3, generator=torch.Generator().manual_seed(seed)).tolist()
        assert values == expected
    torch.set_rng_state(before)
    task = Task(draws(5))
    task.resume()
    assert torch.equal(torch.get_rng_state(), before)
    task.abandon()


def test_an_error_of_the_work_is_raised_where_it_was_resumed():
    def work(ask):
        raise ValueError(f"not {ask('number')}")

    task = Task(work)
    task.resume()
    with pytest.raises(ValueError, match="not 7"):
        task.resume(7)
    assert task.done


def test_an_abandoned_task_ends_though_the_work_catches_all_errors():
    ended = []

    def work(ask):
        try:
            while True:
                try:
                    ask("more")
                except Exception:  # such as a package might have
                    ended.append("caught")
        finally:
            ended.append("unwound")

    threads = threading.active_count()
    task = Task(work)
    task.resume()
    assert threading.active_count() == threads + 1
    task.abandon()
    assert task.done and ended == ["unwound"]
    assert threading.active_count() == threads
    task.abandon()  # nothing more to end
    never = Task(work)
    never.abandon()
    assert never.done and not never.begun
