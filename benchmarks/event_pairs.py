"""Pairs of event mentions learnt from and scored, beside the code of WEC's authors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from benchmarks.turns import Side, compare
from corefmill.coref_model.encoder import Encoder, load
from corefmill.coref_model.events.batches import PairBatch, shared, shuffled
from corefmill.coref_model.events.embeddings import EmbeddedMentions, joined
from corefmill.coref_model.events.model import EventModel
from corefmill.coref_model.events.sampling import MentionPairs, groups, uniform
from corefmill.coref_model.events.settings import EventSettings
from corefmill.coref_model.pairwise.scorer import condensed
from corefmill.coref_model.training.config import resolve
from corefmill.corpora.records import EventMention

ROUND = 1024
"""Pairs that a side learns from in a round."""
CHUNK = 2000
"""Pairs that the published code scores at once, and in a round; its own 20,000 want tens of GB."""


class Given(nn.Module):
    """Stands where a model has its encoder: vectors of this width are at hand."""

    frozen = True

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width


def model(width: int, *sets: str, preset: str | None = None) -> EventModel:
    """An untrained model on vectors of that width."""
    settings = resolve(
        EventSettings, "events", presets=[preset] if preset else [], sets=["features=[]", *sets]
    )
    return EventModel(cast(Encoder, Given(width)), settings)


@dataclass(frozen=True, slots=True)
class Known:
    """A mention, by the names that the published model reads."""

    mention_id: int
    coref_chain: int


class Vectors:
    """The vectors of all mentions, as the published `EmbedFromFile` hands them out."""

    def __init__(self, pieces: Sequence[Tensor]) -> None:
        self._rows = [(own, own[0], own[-1], len(own)) for own in pieces]

    def get_embed_size(self) -> int:
        return self._rows[0][0].shape[1]

    def get_mentions_rep(
        self, mentions: Sequence[Known]
    ) -> list[tuple[Tensor, Tensor, Tensor, int]]:
        return [self._rows[mention.mention_id] for mention in mentions]


def run(options: argparse.Namespace, records: Iterable[EventMention]) -> None:
    """Training on pairs, and scores of all pairs."""
    mentions = list(records)
    text = load("minilm").pieces.text
    sizes = [max(1, len(text(one.text[one.start : one.end])[0])) for one in mentions]
    pieces = [torch.randn(size, options.width) for size in sizes]
    found = groups(mentions, by_topic=options.within == "topic")
    chains = found.chains.tolist()
    learnt = uniform(found, 10, options.seed)
    print(
        f"{len(chains):,} mentions of {np.mean(sizes):.1f} pieces (longest {max(sizes)}), width"
        f" {options.width}, {len(set(chains)):,} chains, {len(learnt):,} pairs"
    )
    like = model(options.width, preset="paper")
    ours = model(options.width)
    vectors = joined(pieces)
    own = [Known(index, chain) for index, chain in enumerate(chains)]
    training = {
        "coref_model": learning(
            ours, vectors, shared(found, learnt, ours.settings.batch_pairs, options.seed)
        ),
        "coref_model, as published": learning(
            like, vectors, shuffled(learnt, like.settings.batch_pairs, options.seed)
        ),
    }
    scoring = {
        "coref_model": scoring_all(ours, vectors),
        "coref_model, as published": scoring_all(like, vectors),
    }
    if options.published:
        theirs = published(options.published, like, Vectors(pieces))
        check(like, theirs, vectors, own, learnt)
        training["published code"] = learning_published(theirs, own, learnt, options.seed)
        scoring["published code"] = scoring_published(theirs, own)
    compare(training, options.rounds, "pairs learnt from")
    compare(scoring, options.rounds, "pairs scored")


def published(folder: Path, like: EventModel, vectors: Vectors) -> nn.Module:
    """The published model, from its repository, with the weights of `like`."""
    sys.path.insert(0, str(folder))
    try:
        module = import_module("src.coref_system.pairwize_model")
    except ImportError as error:
        sys.exit(f"{folder} is no cross-doc-event-coref: {error}")
    hidden = like.settings.hidden
    theirs: nn.Module = module.PairWiseModelKenton(
        vectors.get_embed_size(), hidden, 1, vectors, False
    )
    attend, scorer = like.spans.attend, like.scorer
    assert scorer.right is not None
    first = torch.cat([one.weight for one in (scorer.left, scorer.right, scorer.product)], dim=1)
    state = {
        **{f"attend.{at}.{k}": v for at in (0, 2) for k, v in attend[at].state_dict().items()},
        **{f"w_alpha.{k}": v for k, v in attend[4].state_dict().items()},
        "pairwize.0.weight": first,
        "pairwize.0.bias": scorer.left.bias,
        **{f"pairwize.2.{k}": v for k, v in scorer.second.state_dict().items()},
        **{f"W.{k}": v for k, v in scorer.last.state_dict().items()},
    }
    theirs.load_state_dict({name: tensor.detach().clone() for name, tensor in state.items()})
    return theirs


def check(
    like: EventModel,
    theirs: nn.Module,
    vectors: EmbeddedMentions,
    own: Sequence[Known],
    some: MentionPairs,
) -> None:
    """Exits where the two do not give the same scores for the same weights."""
    indices = np.random.default_rng(0).choice(len(some), 64, replace=False)
    first, second = some.first[indices], some.second[indices]
    with torch.no_grad():
        asked = [(own[i], own[j]) for i, j in zip(first, second, strict=True)]
        other = theirs(asked, len(asked))[0].squeeze(1)
        like.eval()
        mine = like(vectors, torch.from_numpy(first), torch.from_numpy(second))
    difference = (other - mine).abs().max().item()
    print(f"largest difference of 64 scores from the published model's: {difference:.1g}")
    if difference > 1e-4:
        sys.exit("the sides do not compute the same")


def learning(model: EventModel, vectors: EmbeddedMentions, batches: Sequence[PairBatch]) -> Side:
    """Steps on batches of the model's own size, as its task takes them."""
    optimizer = _optimizer(model)

    def do(number: int) -> int:
        model.train()
        steps = ROUND // model.settings.batch_pairs
        mine = [batches[at % len(batches)] for at in range(number * steps, (number + 1) * steps)]
        for batch in mine:
            first, second, positive = map(
                torch.from_numpy, (batch.first, batch.second, batch.positive)
            )
            scores = model(vectors.take(torch.from_numpy(batch.mentions)), first, second)
            loss = binary_cross_entropy_with_logits(scores, positive.float())
            _step(model, optimizer, loss)
        return sum(len(batch.first) for batch in mine)

    return do


def learning_published(
    theirs: nn.Module, own: Sequence[Known], learnt: MentionPairs, seed: int
) -> Side:
    """Steps on batches of 32 pairs, as the published train.py has it."""
    order = np.random.default_rng(seed).permutation(len(learnt))
    given = [(own[learnt.first[at]], own[learnt.second[at]]) for at in order]
    optimizer = _optimizer(theirs)

    def do(number: int) -> int:
        theirs.train()
        begin = number * ROUND % (len(given) - ROUND + 1)
        for at in range(begin, begin + ROUND, 32):
            batch = given[at : at + 32]
            scores, gold = theirs(batch, len(batch))
            _step(
                theirs, optimizer, binary_cross_entropy_with_logits(scores, gold[:, None].float())
            )
        return ROUND

    return do


def _optimizer(of: nn.Module) -> torch.optim.Optimizer:
    ours = isinstance(of, EventModel)  # whose training loop takes the fused form
    return torch.optim.AdamW(of.parameters(), 5e-4, weight_decay=0.01, fused=ours or None)


def _step(of: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def scoring_all(of: EventModel, vectors: EmbeddedMentions) -> Side:
    """The logit of every pair."""

    def do(number: int) -> int:
        of.eval()
        with torch.no_grad():
            return len(condensed(of.scorer, of.represent(vectors)))

    return do


def scoring_published(theirs: Any, own: Sequence[Known]) -> Side:
    """A chunk of the probabilities of all pairs in both orders, and of mentions with themselves."""
    every = list(product(own, repeat=2))
    share = (len(own) - 1) / (2 * len(own))  # of them are the pairs that are counted

    def do(number: int) -> float:
        theirs.eval()
        begin = number * CHUNK % max(1, len(every) - CHUNK)
        chunk = every[begin : begin + CHUNK]
        with torch.no_grad():
            theirs.predict(chunk, bs=len(chunk))
        return len(chunk) * share

    return do
