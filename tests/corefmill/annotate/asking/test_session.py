"""One run of a model: who it is, what it may cost, and what is noted of it."""

from __future__ import annotations

import fcntl
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate.asking import session
from corefmill.annotate.asking.endpoint_rater import EndpointSettings
from corefmill.corpora.errors import UsageError
from tests.corefmill.annotate.asking.model import READ, WRITTEN, asked, corpus, event, served
from tests.corpora.test_records import EXAMPLE


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return corpus(tmp_path, map(event, range(3)))


@pytest.fixture(autouse=True)
def without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


def test_a_run_says_what_was_asked_and_spent_and_the_next_pays_nothing(
    events: Path, tmp_path: Path
) -> None:
    with served() as server:
        settings = EndpointSettings(url=f"{server.url}/v1", model="small")
        # A model on this machine needs no limit.
        first = session.by_endpoint(asked(events), settings, tmp_path / "c", bounded=False)
        again = session.by_endpoint(asked(events), settings, tmp_path / "c")
        assert server.asked.total() == 3
    assert first.rater == again.rater == f"model small at {server.url[7:]}"
    assert [vote.answer for vote in first.outcome.votes] == ["yes"] * 3
    assert first.spent["calls"] == 3 and again.spent["calls"] == 0
    assert first.spent["tokens"]["in"] == 3 * READ
    assert again.spent["tokens"]["charged_in_all"] == 3 * (READ + WRITTEN)
    assert first.facts["model"] == "small" and first.facts["settings"]["temperature"] == 0
    assert list(first.facts["prompts"]) == ["event-mention/valid"]


@pytest.mark.parametrize("url", ["https://models.example/v1", "http://192.0.2.1:8000/v1"])
def test_what_may_cost_money_needs_a_limit_and_says_how_much(
    events: Path, tmp_path: Path, url: str
) -> None:
    with pytest.raises(UsageError, match=r"3 questions about 3 items.*for up to [\d,]+ tokens"):
        session.by_endpoint(
            asked(events), EndpointSettings(url=url, model="small"), tmp_path / "c", bounded=False
        )


def test_one_run_at_a_time_uses_a_cache(events: Path, tmp_path: Path) -> None:
    settings = EndpointSettings(url="http://127.0.0.1:9/v1", model="small")
    (tmp_path / "c").mkdir()
    with (tmp_path / "c" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as another process has it
        with pytest.raises(UsageError, match="asks with this cache"):
            session.by_endpoint(asked(events), settings, tmp_path / "c")


@dataclass
class Choice:
    choice: int | None


class FirstCandidate:
    """A scorer that prefers the first candidate, but for an item on which it is undecided."""

    def answers(self, examples: list[Any]) -> list[Choice]:
        return [Choice(0 if one.id != "2" else None) for one in examples]


def test_a_scorer_votes_for_candidates(tmp_path: Path) -> None:
    path = corpus(tmp_path, [EXAMPLE, replace(EXAMPLE, id="2")])
    made = session.by_scorer(asked(path), FirstCandidate(), "mini", path)  # type: ignore[arg-type]
    assert made.rater == "model mini, a masked-LM scorer" and made.facts == {"model": "mini"}
    assert [(vote.item, vote.answer) for vote in made.outcome.votes] == [("1", "Anna")]
    assert made.outcome.without_vote == {"tie": [("2", "answer")]}
