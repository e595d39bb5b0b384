"""One run of a model as a rater: who it is, what came of the questions, and what that took."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from corefmill.annotate.asking import masked_rater
from corefmill.annotate.asking.endpoint_rater import EndpointRater, EndpointSettings
from corefmill.annotate.asking.ledger import CallLedger
from corefmill.annotate.asking.run import (
    Answers,
    ItemQuestion,
    RaterOutcome,
    VoteCollector,
    prompt_of,
    prompts,
)
from corefmill.corpora.errors import UsageError
from corefmill.corpora.lock import alone

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor


@dataclass(frozen=True, slots=True)
class ModelSession:
    """A model's name as a rater, the outcome, and for the record: facts of it, what was spent."""

    rater: str
    outcome: RaterOutcome
    facts: dict[str, Any]
    spent: dict[str, Any] = field(default_factory=dict)


def by_endpoint(
    asked: Sequence[ItemQuestion],
    settings: EndpointSettings,
    folder: Path,
    *,
    max_items: int | None = None,
    max_tokens: int | None = None,
    bounded: bool = True,
    twice: bool = False,
    workers: int = 4,
    watch: Callable[[Answers], Answers] = iter,
) -> ModelSession:
    """Asks a language model, with replies and the log of calls in a folder, by one run at a time.

    Raises `UsageError` as `EndpointRater`, `CallLedger` and `VoteCollector` do; and where nothing
    is `bounded` and the endpoint is not on this machine, since it may cost money.
    """
    ledger = CallLedger(folder, max_tokens)
    rater = EndpointRater(settings, ledger, folder)
    if not bounded and not _is_near(rater.url):
        _ask_for_limit(rater, asked)
    with alone(folder / "lock", busy="asks with this cache", remedy="name another by --cache"):
        ledger.open()
        try:
            made = VoteCollector(rater, ledger, twice=twice, workers=workers).run(
                asked, max_items, watch
            )
        finally:
            ledger.write_log()
    facts = {
        "endpoint": rater.url,
        "model": settings.model,
        "settings": {"temperature": 0, "seed": 0, "answer_tokens": settings.answer_tokens},
        "refused_by_endpoint": rater.left_out,
        "limits": {"max_items": max_items, "max_tokens": max_tokens},
        "twice": twice,
        "prompts": prompts(asked),
    }
    return ModelSession(rater.name, made, facts, _spent(ledger))


def _spent(ledger: CallLedger) -> dict[str, Any]:
    spent = ledger.spent
    return {
        "calls": spent.calls,
        "presumed": spent.presumed,
        "tokens": {
            "in": spent.tokens_in,
            "out": spent.tokens_out,
            "charged_in_all": ledger.charged,
            "next_call": ledger.refused,
        },
    }


def by_scorer(
    asked: Sequence[ItemQuestion], model: Predictor, name: str, corpus: Path
) -> ModelSession:
    """Asks a masked-LM scorer which candidates are meant; raises as `masked_rater.run` does."""
    rater = f"model {name}, a masked-LM scorer"
    return ModelSession(rater, masked_rater.run(model, rater, corpus, asked), {"model": name})


def _is_near(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _ask_for_limit(rater: EndpointRater, asked: Sequence[ItemQuestion]) -> None:
    most = sum(rater.most(prompt_of(one)) for one in asked)
    items = len({one.item.id for one in asked})
    raise UsageError(
        f"{len(asked):,} questions about {items:,} items would go to"
        f" {urlsplit(rater.url).hostname}, for up to {most:,} tokens, and no limit is given",
        remedy="say how much it may be, by --max-tokens, --max-items or --limit",
    )
