"""Limits to the token, and what is known after a kill."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from corefmill.annotate.asking.ledger import (
    FILE,
    CallLedger,
    CallSubject,
    KeptReply,
    LimitReached,
    TokenUsage,
)
from corefmill.corpora.errors import UsageError
from tests.waiting import wait_until

SUBJECT = CallSubject("e1", "valid", "first")


def opened(folder: Path, most: int | None = None) -> CallLedger:
    made = CallLedger(folder, most, lambda: 0.0)
    made.open()
    return made


def test_a_call_that_might_pass_the_limit_does_not_begin(tmp_path: Path) -> None:
    ledger = opened(tmp_path, 100)
    ledger.end(ledger.begin(SUBJECT, 60), 200, TokenUsage(30, 10), 1.0)
    call = ledger.begin(SUBJECT, 60)
    assert ledger.charged == 100
    ledger.end(call, 200, TokenUsage(1, 0), 1.0)
    with pytest.raises(LimitReached):
        ledger.begin(SUBJECT, 60)
    with pytest.raises(LimitReached):
        ledger.begin(SUBJECT, 1)  # after one that did not fit none does
    assert (ledger.charged, ledger.spent.calls) == (41, 2)


def test_it_waits_for_calls_under_way_which_may_cost_less(tmp_path: Path) -> None:
    ledger = opened(tmp_path, 100)
    first = ledger.begin(SUBJECT, 90)
    begun: list[str] = []
    thread = threading.Thread(target=lambda: begun.append(ledger.begin(SUBJECT, 50)), daemon=True)
    thread.start()
    thread.join(0.05)
    assert begun == []
    ledger.end(first, 200, TokenUsage(50, 0), 1.0)
    wait_until(lambda: begun, "the second call began", 30)
    assert ledger.charged == 100


@pytest.mark.parametrize(
    ("status", "usage", "charged"),
    [(200, TokenUsage(3, 4), 7), (200, None, 50), (None, None, 50), (429, None, 0), (400, None, 0)],
)
def test_what_a_call_is_charged_with(
    status: int | None, usage: TokenUsage | None, charged: int, tmp_path: Path
) -> None:
    ledger = opened(tmp_path)
    ledger.end(ledger.begin(SUBJECT, 50), status, usage, 1.0)
    assert ledger.charged == opened(tmp_path).charged == charged
    assert ledger.spent.presumed == (usage is None and charged > 0)


def test_a_call_that_a_kill_cut_off_counts_as_the_most_it_may_have_cost(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.end(ledger.begin(SUBJECT, 50), 200, TokenUsage(3, 4), 0.25)
    ledger.begin(SUBJECT, 60)
    again = opened(tmp_path, 110)
    assert again.charged == 67
    with pytest.raises(LimitReached):
        again.begin(SUBJECT, 44)
    again.write_log()
    rows = [json.loads(line) for line in (tmp_path / "calls.jsonl").open()]
    assert all(row.pop("call") for row in rows)
    about = {"begun": "1970-01-01T00:00:00.000+00:00", "item": "e1", "question": "valid"}
    about |= {"variant": "first"}
    answered = {"status": 200, "tokens_in": 3, "tokens_out": 4, "charged": 7, "seconds": 0.25}
    cut = {**dict.fromkeys(answered), "charged": 60}
    assert sorted(rows, key=lambda row: row["charged"]) == [about | answered, about | cut]


def test_replies_are_kept(tmp_path: Path) -> None:
    reply = KeptReply("no", "boundary", "", "2031-01-01T00:00:00Z", 0.5)
    opened(tmp_path).keep("d1", reply)
    assert opened(tmp_path).kept("d1") == reply
    assert opened(tmp_path).kept("d2") is None


def test_a_file_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"mine" * 500)
    with pytest.raises(UsageError, match=r"cache of replies of models fails.*not a database"):
        CallLedger(tmp_path, None)
    assert (tmp_path / FILE).read_bytes() == b"mine" * 500
