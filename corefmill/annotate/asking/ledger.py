"""What was asked, answered and paid: replies that are kept, and every call with its tokens."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from corefmill.builders.services.answer_file import AnswerFile, KeptTable
from corefmill.corpora.atomic import replacing

FILE, LOG = "replies.sqlite3", "calls.jsonl"
_REPLIES = KeptTable(
    columns={
        **dict.fromkeys(("digest", "answer", "reason", "broken", "came"), "TEXT NOT NULL"),
        "seconds": "REAL NOT NULL",
    },
    key=("digest",),
)
_CALLS = KeptTable(
    columns={
        "begun": "TEXT NOT NULL",
        "call": "TEXT NOT NULL",
        "item": "TEXT NOT NULL",
        "question": "TEXT NOT NULL",
        "variant": "TEXT NOT NULL",
        "status": "INTEGER",
        "tokens_in": "INTEGER",
        "tokens_out": "INTEGER",
        "charged": "INTEGER NOT NULL",
        "seconds": "REAL",
    },
    key=("begun", "call"),
)
"""A call is charged with the most that it may cost when it begins, and with what the endpoint
states once it has ended; one that a kill or a time-out cut off stays at the most, since nobody
knows what it cost. `status` is HTTP's, none where no answer came."""


@dataclass(frozen=True, slots=True)
class CallSubject:
    """What a call is about, for the log: an item's id, a question's name, and how it was shown."""

    item: str
    question: str
    variant: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call, as an endpoint states them."""

    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply as it is kept: an answer and a reason, or in `broken` the word for what was wrong
    with it; when it came (ISO 8601, UTC) and how many seconds it took."""

    answer: str
    reason: str
    broken: str
    when: str
    seconds: float


@dataclass(slots=True)
class RunSpending:
    """What the calls of one run took; `presumed` of them state no tokens, and are charged with the
    most that they may have cost."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    presumed: int = 0


class LimitReached(Exception):
    """Another call might pass the limit on tokens."""


class CallLedger:
    """Replies by question, and calls, in a folder; may be used by several threads at once.

    `most_tokens` bounds what all calls that the folder knows are charged with together, earlier
    runs' too. Raises `UsageError` where the folder cannot be used. It is to be opened first.
    """

    def __init__(
        self, folder: Path, most_tokens: int | None, now: Callable[[], float] = time.time
    ) -> None:
        self._file = AnswerFile(
            folder / FILE,
            {"replies": _REPLIES, "calls": _CALLS},
            holds="replies of models",
            made="paid for",
        )
        self._file.check()
        self._most = most_tokens
        self._now = now
        self._turn = threading.Condition()
        self._under_way: dict[str, int] = {}
        self._closed = False
        self.refused: int | None = None
        """The most that the first call may have cost which was not allowed."""
        self.charged = 0
        self.spent = RunSpending()

    def open(self) -> None:
        """Reads what earlier calls were charged with; makes the folder, if it is not there."""
        with self._file.told():
            row = self._file.open().execute("SELECT coalesce(sum(charged), 0) FROM calls")
            self.charged = int(row.fetchone()[0])

    def kept(self, digest: str) -> KeptReply | None:
        """The reply to the prompt with a digest; None where there is none yet."""
        with self._turn, self._file.told():
            rows = self._file.open().execute(
                "SELECT answer, reason, broken, came, seconds FROM replies WHERE digest = ?",
                [digest],
            )
            found = rows.fetchone()
        return None if found is None else KeptReply(*found)

    def keep(self, digest: str, reply: KeptReply) -> None:
        """Keeps a reply, on the disk when this returns."""
        row = [digest, reply.answer, reply.reason, reply.broken, reply.when, reply.seconds]
        with self._turn, self._file.told(), self._file.open() as base:
            base.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", row)

    def begin(self, subject: CallSubject, most: int) -> str:
        """Notes that a call begins, which may cost `most` tokens, and returns what it is called.

        Waits where it could fit once calls under way have ended for less than they may. Raises
        `LimitReached` where it cannot, and for all calls after that: a smaller one that would fit
        still would make what is asked depend on its size.
        """
        with self._turn:
            while not self._closed and self._most is not None and self.charged + most > self._most:
                if not self._under_way:
                    self._closed, self.refused = True, most
                    break
                self._turn.wait()
            if self._closed:
                self._turn.notify_all()
                raise LimitReached
            call, begun = secrets.token_hex(8), self._moment()
            with self._file.told(), self._file.open() as base:
                base.execute(
                    "INSERT INTO calls VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL, ?, NULL)",
                    [begun, call, subject.item, subject.question, subject.variant, most],
                )
            self._under_way[call] = most
            self.charged += most
            self.spent.calls += 1
            return call

    def end(self, call: str, status: int | None, usage: TokenUsage | None, seconds: float) -> None:
        """Notes what came of a call that began."""
        with self._turn:
            charged = most = self._under_way.pop(call)
            if usage is not None:
                charged = usage.tokens_in + usage.tokens_out
                self.spent.tokens_in += usage.tokens_in
                self.spent.tokens_out += usage.tokens_out
            elif status in (None, 200):
                self.spent.presumed += 1
            else:
                charged = 0  # it was refused
            tokens = (None, None) if usage is None else (usage.tokens_in, usage.tokens_out)
            self.charged += charged - most
            self._turn.notify_all()
            with self._file.told(), self._file.open() as base:
                base.execute(
                    "UPDATE calls SET status = ?, tokens_in = ?, tokens_out = ?, charged = ?,"
                    " seconds = ? WHERE call = ?",
                    [status, *tokens, charged, round(seconds, 3), call],
                )

    def close(self) -> None:
        """Lets no further call begin."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()

    def write_log(self) -> None:
        """Writes all calls, in the order in which they began, as JSON Lines beside the replies."""
        with replacing(self._file.path.with_name(LOG)) as out:
            for row in self._calls():
                out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")

    def _calls(self) -> Iterator[dict[str, Any]]:
        with self._turn, self._file.told():
            yield from (
                dict(zip(_CALLS.columns, row, strict=True))
                for row in self._file.open().execute("SELECT * FROM calls ORDER BY begun, call")
            )

    def _moment(self) -> str:
        return datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="milliseconds")
