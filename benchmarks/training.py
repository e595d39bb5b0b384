"""How fast masked names are learnt, beside a plain loop over Hugging Face's BertForMaskedLM.

    python -m benchmarks.training CORPUS [--pairs 32] [--rounds 5] [--no-dropout]

CORPUS is what `train coref --corpus` takes. minilm is trained, a step for --pairs pairs of a right
and a wrong candidate. The plain loop has a row for each candidate, padded to the longest of the
batch, one forward pass for the right ones and one for the wrong, logits at every position, as the
published bert-commonsense has it; a third side has logits at the masks alone. Its rows are made
beforehand. All have the same weights, pairs, loss and optimizer (AdamW; ours in the fused form of
the training loop); that their losses are equal is checked, without dropout.

Sides take turns in short rounds, of which the first is not counted; speeds are medians by processor
time, and a ratio is the median of those of the rounds, the lowest and the highest in brackets. One
thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from transformers import BertForMaskedLM

from corefmill.coref_model.encoder import load
from corefmill.coref_model.masked.task import (
    CandidateInput,
    MaskedNames,
    MaskedSettings,
    PassageBatch,
    Scorer,
    make_inputs,
    make_scorer,
    margin_loss,
)
from corefmill.coref_model.training.config import resolve
from corefmill.corpora import find as corpora_found
from corefmill.corpora.files.errors import CorefmillError
from corefmill.corpora.records import MaskedExample

Rows = tuple[list[CandidateInput], list[CandidateInput]]
"""The right candidate of each pair, and the wrong one."""

Loss = Callable[[PassageBatch], Tensor]
"""The summed loss of the pairs of a batch."""

Side = Callable[[int], float]
"""Does its work of a round, numbered from 0, and says how many items that were."""


def main() -> None:
    """Reads the corpus and runs the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--pairs", type=int, default=32, help="pairs of a step")
    parser.add_argument("--rounds", type=int, default=5, help="steps")
    parser.add_argument("--no-dropout", action="store_true")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    try:
        corpus = corpora_found.find_corpus(options.corpus, data_dir=options.data_dir)
        if corpus.kind != "masked":
            sys.exit(f"{options.corpus} holds {corpus.holds}")
        split = "train" if "train" in corpus.splits else next(iter(corpus.splits))
        run(options, corpora_found.records(corpus, split))
    except CorefmillError as error:
        sys.exit(str(error))


def run(options: argparse.Namespace, examples: Iterable[MaskedExample]) -> None:
    """Compares on as many steps as there are rounds, and a first."""
    dropout = not options.no_dropout
    sets = ["trained=true", "lora=0", f"batch_pairs={options.pairs}"]
    sets.append(f"dropout={str(dropout).lower()}")
    settings = resolve(MaskedSettings, "masked", sets=sets)
    encoder = load(settings.encoder, trained=True)
    task = MaskedNames(make_scorer(encoder, settings), settings, {"train": list(examples)})
    batches = task.batches(0, 1)[: options.rounds + 1]
    if len(batches) <= options.rounds:
        sys.exit(f"{len(batches)} steps in {options.corpus}; take fewer rounds or pairs")
    ready = {batch: rows(task, batch) for batch in batches}
    lengths = [len(row.sequence) for one in ready.values() for row in chain(*one)]
    print(
        f"{sum(map(len, batches)):,} passages, {len(lengths) // 2:,} pairs, {len(lengths):,} rows"
        f" of {np.mean(lengths):.0f} pieces, the longest of {max(lengths)};"
        f" {'with' if dropout else 'without'} dropout"
    )
    sides: dict[str, tuple[nn.Module, Loss]] = {
        "coref_model": (task.model, lambda batch: task.loss(batch)[0])
    }
    for at_masks in (False, True):
        plain = Plain(task, at_masks=at_masks)
        name = "the same, logits at masks" if at_masks else "Hugging Face, plain"
        sides[name] = plain, lambda batch, plain=plain: plain.loss(ready[batch])
    check(sides.values(), batches[0])
    turns = {name: trained(*side, batches, settings) for name, side in sides.items()}
    compare(turns, options.rounds, "passages")


def rows(task: MaskedNames, batch: PassageBatch) -> Rows:
    """The pairs of a batch, each candidate with its own copy of the passage."""
    right, wrong = [], []
    for one in batch:
        example = task.train[one.passage]
        made = make_inputs(example, task.model.encoder.pieces, task.window)
        assert example.label is not None
        right += [made[example.label]] * len(one.wrong)
        wrong += [made[at] for at in one.wrong]
    return right, wrong


class Plain(nn.Module):
    """Hugging Face's model with the weights of a task's, on padded rows."""

    def __init__(self, task: MaskedNames, *, at_masks: bool) -> None:
        super().__init__()
        self.settings, self.at_masks = task.settings, at_masks
        encoder, own = task.model.encoder, task.model.head
        self.pad = encoder.pieces.pad_id
        self.network = BertForMaskedLM(deepcopy(encoder.network.config))
        self.network.bert.load_state_dict(encoder.network.state_dict())
        head = self.network.cls.predictions
        head.transform.dense.load_state_dict(own.dense.state_dict())
        head.transform.LayerNorm.load_state_dict(own.norm.state_dict())
        with torch.no_grad():
            head.bias.copy_(own.bias)
        self.network.to(task.model.device)

    def loss(self, pairs: Rows) -> Tensor:
        """The summed loss of a batch's pairs."""
        right, wrong = (self.scores(side) for side in pairs)
        settings = self.settings
        return margin_loss(right, wrong, alpha=settings.alpha, beta=settings.beta).sum()

    def scores(self, side: Sequence[CandidateInput]) -> Tensor:
        """[r], the mean log-probability of the pieces at each row's masks."""
        device = self.network.device
        ids = pad_sequence([torch.tensor(row.sequence) for row in side], True, self.pad)
        real = pad_sequence([torch.ones(len(row.sequence)) for row in side], True).to(device)
        labels = torch.full_like(ids, -100)  # [r, longest]
        for place, row in enumerate(side):
            labels[place, row.first : row.first + len(row.pieces)] = torch.tensor(row.pieces)
        ids, labels = ids.to(device), labels.to(device)
        at = labels != -100
        if self.at_masks:
            vectors = self.network.bert(ids, attention_mask=real).last_hidden_state
            losses = torch.zeros(labels.shape, device=device)
            losses[at] = cross_entropy(self.network.cls(vectors[at]), labels[at], reduction="none")
        else:
            logits = self.network(ids, attention_mask=real).logits  # [r, longest, v]
            losses = cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
            losses = losses.view_as(labels)
        return -losses.sum(1) / at.sum(1)


def check(sides: Iterable[tuple[nn.Module, Loss]], batch: PassageBatch) -> None:
    """Exits where the sides do not have the same loss before they are trained."""
    found = []
    for model, loss in sides:
        model.eval()
        with torch.no_grad():
            found.append(float(loss(batch)))
    print(f"loss of the first batch, without dropout: {', '.join(f'{x:.4f}' for x in found)}")
    if not np.allclose(found, found[0], rtol=1e-4):
        sys.exit("the sides do not compute the same")


def trained(
    model: nn.Module, loss: Loss, batches: Sequence[PassageBatch], settings: MaskedSettings
) -> Side:
    """A side that takes a step on the next batch in each round."""
    ours = isinstance(model, Scorer)  # whose training loop takes the fused form
    optimizer = torch.optim.AdamW(model.parameters(), settings.lr_encoder, fused=ours or None)

    def do(number: int) -> int:
        model.train(settings.dropout)
        batch = batches[number]
        optimizer.zero_grad(set_to_none=True)
        (loss(batch) / sum(len(one.wrong) for one in batch)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        return len(batch)

    return do


def compare(sides: Mapping[str, Side], rounds: int, unit: str) -> None:
    """Run the sides in turn, each a round before those that count, and print their speeds."""
    took: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            began = time.process_time()
            done = side(number)
            took[name].append((time.process_time() - began) / done)
    seconds = {name: np.array(own[1:]) for name, own in took.items()}  # [rounds], of an item
    first = next(iter(seconds.values()))
    for name, own in seconds.items():
        ratio = own / first
        print(
            f"{name:28}{1 / np.median(own):10,.1f} {unit} a second of the processor;"
            f" {np.median(ratio):.2f} times [{ratio.min():.2f}, {ratio.max():.2f}] as long as ours"
        )


if __name__ == "__main__":
    main()
