"""Puts many questions to a service, several at once, none before an earlier answer is kept."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from corefmill.corpora.errors import DataError

Q = TypeVar("Q")
A = TypeVar("A")


def answered(
    questions: Sequence[Q], ask: Callable[[Q], A], at_once: int
) -> Iterator[tuple[Q, A | DataError]]:
    """Each question with what `ask` returns, in the order in which answers come.

    `ask` runs in `at_once` threads. A `DataError` that it raises is given as that question's
    answer; any other error ends the whole. A thread asks on only when the answer that it gave is
    back with whoever iterates, and the next one is asked for: so a kill loses what was on its way
    and nothing else.
    """
    waiting: queue.SimpleQueue[Q] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Q, A | Exception]] = queue.SimpleQueue()
    turns: queue.SimpleQueue[bool] = queue.SimpleQueue()
    for question in questions:
        waiting.put(question)

    def work() -> None:
        while turns.get():
            try:
                question = waiting.get_nowait()
            except queue.Empty:
                return
            made: A | Exception
            try:
                made = ask(question)
            except Exception as error:  # it is raised again by whoever waits for the answer
                made = error
            done.put((question, made))

    for _ in range(min(at_once, len(questions))):
        turns.put(True)
        # Daemons, so that a run that is stopped does not wait for answers.
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in questions:
            question, made = done.get()
            if isinstance(made, Exception) and not isinstance(made, DataError):
                raise made
            yield question, made
            # Now that it is kept: what is answered and not kept, a kill loses.
            turns.put(True)
    finally:
        with suppress(queue.Empty):
            while True:
                waiting.get_nowait()
        for _ in range(at_once):
            turns.put(False)
