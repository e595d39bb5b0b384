"""Seconds and memory from the vectors of mentions to their clusters."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
import torch

from benchmarks.event_pairs import learning, model
from corefmill.coref_model.events.embeddings import EmbeddedMentions
from corefmill.coref_model.events.model import EventModel
from corefmill.coref_model.events.sampling import Topics, uniform
from corefmill.coref_model.events.task import clustered

WIDTH = 384
"""Of minilm's vectors."""
MENTIONS, CHAINS = 1893, 322
"""Those of WEC-Eng's test split."""
THRESHOLD = 0.5


def run(options: argparse.Namespace) -> None:
    """Each size in a process of its own, so that its memory is its own."""
    command = [sys.executable, "-m", "benchmarks.training", "--threads", str(options.threads)]
    command += ["--seed", str(options.seed), "cluster-once"]
    for mentions in (MENTIONS, options.large):
        if mentions:
            subprocess.run([*command, str(mentions)], check=True)


def once(options: argparse.Namespace) -> None:
    """Clusters so many mentions."""
    mentions, chains = options.mentions, round(options.mentions * CHAINS / MENTIONS)
    learner = taught(options.seed)
    vectors, found = noisy(mentions, chains)
    before, began = _peak(), _now()
    links = learner.links(vectors, found)
    scored = _now()
    labels = links.cut(THRESHOLD)
    (wall, cpu), (_, cut) = _now() - began, _now() - scored
    print(
        f"{mentions:,} mentions: {wall:.1f} s of wall-clock time, {cpu:.1f} s of the processor,"
        f" {cut:.1f} s of that for the cut"
    )
    print(f"  peak of memory {_peak():.2f} GB; {before:.2f} GB when the vectors were there")
    score = clustered(found.chains, labels)["conll"]
    print(f"  {labels.max() + 1:,} clusters of {chains:,} chains, CoNLL F1 {score:.3f}", flush=True)


def taught(seed: int) -> EventModel:
    """A model trained a little, so that its scores tell chains apart."""
    vectors, found = noisy(MENTIONS, CHAINS)
    learner = model(WIDTH)
    do = learning(learner, vectors, uniform(found, 10, seed), seed)
    for number in range(20):
        do(number)
    return learner.eval()


def noisy(mentions: int, chains: int) -> tuple[EmbeddedMentions, Topics]:
    """Mentions of one to three pieces, each piece near the vector of its chain."""
    own = torch.cat([torch.arange(chains), torch.randint(chains, (mentions - chains,))])  # [m]
    lengths = torch.randint(1, 4, (mentions,))
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    pieces = torch.randn(chains, WIDTH)[own.repeat_interleave(lengths)]
    pieces += torch.randn(pieces.shape)
    return EmbeddedMentions(pieces, starts), Topics(("",), (np.arange(mentions),), own.numpy())


def _now() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
