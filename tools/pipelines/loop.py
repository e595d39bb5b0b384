"""The training loop: batches by words, a warm and falling learning rate, averaged weights."""

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam

from tools.pipelines.sources import Sample

Say = Callable[[str], None]
EpochExamples = Callable[[int], list[Example]]


@dataclass(frozen=True)
class Plan:
    """How one encoder and its components are trained."""

    name: str
    epochs: int
    words: int  # tokens a batch
    rate: float  # highest learning rate; it falls to 5 % of it
    drop: float  # dropout


def announce(train: Mapping[str, Sequence[Sample]], say: Say) -> None:
    """Says how much of each source there is."""
    for source, part in train.items():
        say(f"names: {source}, {len(part)} samples, {sum(len(s.spans) for s in part)} names")


def name_example(nlp: Language, sample: Sample) -> Example:
    """A sample as the tokenizer sees it; a span that cuts through a token takes the whole token."""
    reference = nlp.make_doc(sample.text)
    spans, taken = [], set[int]()
    for start, end, label in sample.spans:
        span = reference.char_span(start, end, label=label, alignment_mode="expand")
        if span is not None and not taken & set(range(span.start, span.end)):
            spans.append(span)
            taken |= set(range(span.start, span.end))
    missing = []
    for start, end in sample.unknown:
        span = reference.char_span(start, end, alignment_mode="expand")
        if span is not None and not taken & set(range(span.start, span.end)):
            missing.append(span)
            taken |= set(range(span.start, span.end))
    reference.set_ents(spans, missing=missing, default="outside")
    if sample.starts:
        wanted = set(sample.starts)
        for token in reference:
            token.is_sent_start = token.i == 0 or token.idx in wanted
    words = [token.text for token in reference]
    spaces = [bool(token.whitespace_) for token in reference]
    predicted = Doc(nlp.vocab, words=words, spaces=spaces)
    for ours, theirs in zip(predicted, reference, strict=True):
        ours.norm_ = theirs.norm_  # what a piece of a multiword token stands for
    return Example(predicted, reference)


def batches(examples: Iterable[Example], words: int) -> Iterable[list[Example]]:
    """Consecutive examples, about `words` tokens a batch."""
    batch: list[Example] = []
    size = 0
    for example in examples:
        batch.append(example)
        size += len(example.reference)
        if size >= words:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def train(
    nlp: Language,
    components: Sequence[str],
    epoch_examples: EpochExamples,
    plan: Plan,
    seed: int,
    say: Say,
) -> None:
    """Trains the initialized components in place; `epoch_examples` makes each epoch's examples."""
    rng = random.Random(seed)
    began = time.perf_counter()
    examples = epoch_examples(0)
    steps = plan.epochs * max(1, sum(len(e.reference) for e in examples) // plan.words)
    optimizer = Adam(plan.rate, grad_clip=1.0, L2=0.01, use_averages=True)
    step = 0
    for epoch in range(plan.epochs):
        if epoch:
            examples = epoch_examples(epoch)
        rng.shuffle(examples)
        losses: dict[str, float] = {}
        for batch in batches(examples, plan.words):
            warm = min(1.0, (step + 1) / 200)
            optimizer.learn_rate = plan.rate * warm * max(0.05, 1 - step / steps)
            nlp.update(batch, sgd=optimizer, drop=plan.drop, losses=losses)
            step += 1
        shown = ", ".join(f"{name} {loss:.0f}" for name, loss in losses.items())
        took = time.perf_counter() - began
        say(f"{plan.name}: epoch {epoch + 1} of {plan.epochs}, {took:.0f} s, losses: {shown}")
    keep_averages(nlp, components, optimizer)


def keep_averages(nlp: Language, components: Sequence[str], optimizer: Any) -> None:
    """Puts the running averages of the weights in the place of the last ones."""
    for name in components:
        model: Any = nlp.get_pipe(name).model  # type: ignore[attr-defined]
        for node in model.walk():
            for param in node.param_names:
                key = (node.id, param)
                if node.has_param(param) and key in optimizer.averages:
                    node.set_param(param, optimizer.averages[key].copy())
