"""The task `masked`: score the candidates for a masked name by log P(candidate | passage).

A passage consists of the pieces around the target, and the pieces of each candidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor, nn

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.pieces import Packed, Pieces, batch_by_size, pack
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.coref_model.masked.heads import Head
from corefmill.coref_model.masked.passages import share_room
from corefmill.coref_model.training.checkpoint import restore
from corefmill.coref_model.training.config import CHECKED, Natural, Positive, Rate, TaskSettings
from corefmill.coref_model.training.task import (
    ParameterGroup,
    Probe,
    TaskKind,
    average_scores,
    check_kind,
    group_parameters,
)
from corefmill.corpora import record_meta
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.find import Records
from corefmill.corpora.records import MaskedExample, Record, Source


class CandidateInput(NamedTuple):
    """One candidate in its passage, ready for the encoder.

    `sequence` is the passage with as many masks at the target, from index `first` on, as the
    candidate has pieces (section 4.2 of the WikiCREM paper). `pieces` are the candidate's; `cut`
    counts the pieces of the passage that had no room in the window.
    """

    sequence: tuple[int, ...]
    first: int
    pieces: tuple[int, ...]
    cut: int = 0


def make_inputs(example: MaskedExample, pieces: Pieces, window: int) -> list[CandidateInput]:
    """Make the input of each candidate, in order, independent of the other candidates.

    The target is removed by its offsets, so it may stand beside punctuation or twice in the text. A
    passage longer than `window` pieces (specials included) is cut around the target: both sides
    keep as much as there is room for. Raises `DataError` for a candidate longer than the window, or
    without any piece.
    """
    start, end = example.target
    # The blank before the target goes with the candidate, whose pieces may depend on it.
    blank = example.text[start - 1] if start and example.text[start - 1].isspace() else ""
    left = pieces.cut_text(example.text[: start - len(blank)])[0]
    found = []
    for candidate in example.candidates:
        middle, right = _cut_in_place(pieces, blank + candidate, example.text[end:])
        if not middle:
            raise DataError(
                f"{example.id}: the tokenizer leaves nothing of candidate {candidate!r}",
                remedy="drop that example or that candidate",
            )
        room = window - sum(pieces.specials) - len(middle)
        if room < 0:
            raise DataError(
                f"{example.id}: candidate {candidate[:40]!r} takes {len(middle)} pieces;"
                f" the window has {window}",
                remedy="drop that candidate, or take an encoder with a longer window",
            )
        before, after = share_room(len(left), len(right), room)
        inner = (*left[len(left) - before :], *([pieces.mask_id] * len(middle)), *right[:after])
        found.append(
            CandidateInput(
                tuple(pieces.wrap(inner)),
                pieces.specials[0] + before,
                tuple(middle),
                len(left) + len(right) - before - after,
            )
        )
    return found


def _cut_in_place(pieces: Pieces, middle: str, right: str) -> tuple[list[int], list[int]]:
    """Cut a candidate and the text behind it into pieces, as one text."""
    ids, spans = pieces.cut_text(middle + right)
    size = len(middle)
    edge = next((at for at, (_, end) in enumerate(spans) if end > size), len(spans))
    if edge < len(spans) and spans[edge][0] < size:  # a piece with letters of both
        return pieces.cut_text(middle)[0], pieces.cut_text(right)[0]
    return ids[:edge], ids[edge:]


Score = Literal["mean", "sum128"]


class CandidateBatch(NamedTuple):
    """The candidates of a batch of passages, c in all, in s distinct sequences with m masks.

    Candidates of a passage with equally many pieces share a sequence.
    """

    sequences: Packed  # s sequences
    masks: Tensor  # [m] int64, indices of the masks among the n pieces of the sequences
    rows: Tensor  # [p] int64, the mask for each piece of each candidate
    pieces: Tensor  # [p] int64, those pieces
    owners: Tensor  # [p] int64, the candidate of each
    sizes: Tensor  # [c] int64, pieces of each candidate

    def to(self, device: torch.device | str) -> CandidateBatch:
        """Move all tensors to `device`."""
        return CandidateBatch(self.sequences.to(device), *(part.to(device) for part in self[1:]))


def collate(items: Sequence[CandidateInput]) -> CandidateBatch:
    """Join c candidates to one batch of tensors; equal sequences are encoded once."""
    indices: dict[tuple[tuple[int, ...], int, int], int] = {}  # the first row of each
    sequences: list[tuple[int, ...]] = []
    begins: dict[tuple[int, ...], int] = {}  # where each stands among the n pieces
    total = 0
    masks: list[int] = []
    rows: list[int] = []
    for item in items:
        if item.sequence not in begins:
            begins[item.sequence] = total
            sequences.append(item.sequence)
            total += len(item.sequence)
        key = item.sequence, item.first, len(item.pieces)
        if key not in indices:
            indices[key] = len(masks)
            begin = begins[item.sequence] + item.first
            masks.extend(range(begin, begin + len(item.pieces)))
        rows.extend(range(indices[key], indices[key] + len(item.pieces)))
    sizes = torch.tensor([len(item.pieces) for item in items], dtype=torch.int64)
    return CandidateBatch(
        pack(sequences),
        torch.tensor(masks, dtype=torch.int64),
        torch.tensor(rows, dtype=torch.int64),
        torch.tensor([piece for item in items for piece in item.pieces], dtype=torch.int64),
        torch.arange(len(items)).repeat_interleave(sizes),
        sizes,
    )


class Scorer(nn.Module):
    """An encoder with a masked-LM head.

    `deltas` are the low-rank deltas of the head, already added to the weights of a frozen encoder.
    They are kept for the checkpoint, which does not contain those weights.
    """

    def __init__(
        self,
        encoder: Encoder,
        head: Head,
        score: Score = "mean",
        *,
        deltas: Mapping[str, Tensor] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.encoder, self.head, self.score = encoder, head, score
        self.base = nn.Module()
        for name, delta in deltas.items():
            self.base.register_buffer(name.replace(".", "/"), delta)  # a name has no full stop

    @property
    def device(self) -> torch.device:
        """The device of the parameters."""
        return self.head.bias.device

    def list_deltas(self) -> dict[str, Tensor]:
        """Return the head's deltas, by their names in the encoder."""
        return {name.replace("/", "."): delta for name, delta in self.base.named_buffers()}

    def forward(self, batch: CandidateBatch) -> Tensor:
        """Score each candidate, [c], in the order of the batch's items.

        "mean" is the mean of log P over the candidate's pieces (section 4.2). "sum128" is the sum
        divided by 128, as in the published code, which took the mean over all 128 indices.
        """
        batch = batch.to(self.device)
        vectors = self.encoder(batch.sequences)[batch.masks]  # [m, w]
        chances = self.head.compute_log_probabilities(
            vectors, batch.rows, batch.pieces, self.encoder.word_embeddings
        )  # [p]
        sums = chances.new_zeros(len(batch.sizes)).index_add(0, batch.owners, chances)  # [c]
        return sums / (batch.sizes if self.score == "mean" else 128)


def margin_loss(
    right: Tensor,
    wrong: Tensor,
    *,
    alpha: float,
    beta: float,
    margin: Literal["example", "batch"] = "example",
) -> Tensor:
    """Compute the loss of e pairs, [e], by their scores log P(a | S) and log P(b | S), both [e].

    With L = -log P (section 4.3): L(a) + alpha * max(0, beta + L(a) - L(b)). With margin "batch",
    as in the published code, L(b) is the mean over the pairs of the batch, so that the loss of a
    pair depends on the other pairs.
    """
    against = wrong.mean() if margin == "batch" and len(wrong) else wrong
    return -right + alpha * torch.clamp(beta - right + against, min=0)


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class MaskedSettings(TaskSettings):
    """The task's own settings; each key is explained in settings/masked.toml."""

    alpha: Rate
    beta: Rate
    margin: Literal["example", "batch"]
    score: Literal["mean", "sum128"]
    wrong: Natural
    batch_pairs: Positive
    length: Natural
    head: str
    dropout: bool


class ChoiceTask:
    """Masked examples to learn from, and the accuracy of choices on the development splits.

    Examples without a right candidate teach nothing. `answer` scores the candidates of examples.
    """

    metric = "accuracy"

    def __init__(self, model: Any, settings: Any, splits: Mapping[str, Records]) -> None:
        self.model, self.settings = model, settings
        self.dev = {name: read_examples(records, name) for name, records in splits.items()}
        self.train = [one for one in self.dev.pop("train") if one.label is not None]
        self.window: int = model.encoder.choose_length("length", settings.length, specials=True)

    def answer(self, examples: Sequence[MaskedExample]) -> Iterator[CandidateScores]:
        """Score every candidate of each example."""
        raise NotImplementedError

    def evaluate(self) -> dict[str, float]:
        """Compute the share of examples whose right candidate scores highest.

        A tie is not a right answer. `ties` and `cut` count examples, `cut` those with a passage
        longer than the window. Examples without a right candidate are left out.
        """
        scores = {}
        for name, examples in self.dev.items():
            asked = [one for one in examples if one.label is not None]
            counts: Counter[str] = Counter()
            for example, answer in zip(asked, self.answer(asked), strict=True):
                counts["right"] += answer.choice == example.label
                counts["ties"] += answer.choice is None
                counts["cut"] += answer.cut
            scores[name] = {
                "accuracy": counts["right"] / len(asked),
                "ties": float(counts["ties"]),
                "cut": float(counts["cut"]),
                "examples": float(len(asked)),
            }
        return average_scores(scores)


class PassagePairs(NamedTuple):
    """A passage's number, and the wrong candidates to compare with its right one."""

    passage: int
    wrong: tuple[int, ...]


PassageBatch = tuple[PassagePairs, ...]

Answers = Callable[[Any, Any, Iterable[MaskedExample]], Iterator[CandidateScores]]
"""Function by which a model, with its settings, answers examples."""


class MaskedNames(ChoiceTask):
    """Trains a scorer by the paper's loss (1); a `training.task.Task`."""

    name = "masked"
    model: Scorer
    settings: MaskedSettings

    def __init__(self, model: Scorer, *others: Any) -> None:
        super().__init__(model, *others)
        self._merged = {name: delta.clone() for name, delta in model.list_deltas().items()}

    def answer(self, examples: Sequence[MaskedExample]) -> Iterator[CandidateScores]:
        """Score every candidate of each example."""
        return score_examples(self.model, self.settings, examples)

    def groups(self) -> list[ParameterGroup]:
        """Group the head's and trained encoder's parameters; vectors have no weight decay."""
        return group_parameters(self.model, self.settings, "head", vectors_apart=True)

    def batches(self, epoch: int, seed: int) -> list[PassageBatch]:
        """Order the passages anew each epoch, each with `wrong` of its wrong candidates.

        As in the paper each wrong candidate makes a pair of its own (section 3). A batch ends
        before it has more than `batch_pairs` pairs or, roughly, `batch_pieces` pieces.
        """
        # A checkpoint of --init-from may have brought other deltas than those in the encoder.
        if any(
            not torch.equal(one.cpu(), self._merged[n])
            for n, one in self.model.list_deltas().items()
        ):
            raise UsageError(
                "the model of --init-from was trained over another head of the same encoder",
                remedy="name that head: --set head=FOLDER",
            )
        rng = np.random.default_rng((seed, epoch))
        found: list[PassageBatch] = []
        held: list[PassagePairs] = []
        pairs = pieces = 0
        for number in rng.permutation(len(self.train)).tolist():
            example = self.train[number]
            others = [at for at in range(len(example.candidates)) if at != example.label]
            if self.settings.wrong and len(others) > self.settings.wrong:
                drawn = rng.choice(len(others), self.settings.wrong, replace=False)
                others = [others[at] for at in sorted(drawn.tolist())]
            # About as many pieces: a sequence for each length of candidate.
            lengths = {len(candidate.split()) for candidate in example.candidates}
            size = min(len(example.text) // 4 + 8, self.window) * len(lengths)
            full = pairs + len(others) > self.settings.batch_pairs
            if held and (full or pieces + size > self.settings.batch_pieces):
                found.append(tuple(held))
                held, pairs, pieces = [], 0, 0
            held.append(PassagePairs(number, tuple(others)))
            pairs, pieces = pairs + len(others), pieces + size
        if held:
            found.append(tuple(held))
        return found

    def loss(self, batch: PassageBatch) -> tuple[Tensor, int]:
        """Sum loss (1) over the batch's pairs, and count them."""
        if not self.settings.dropout:
            self.model.encoder.eval()
        chosen: list[CandidateInput] = []
        right: list[int] = []  # of each pair, the index of its right candidate among the chosen
        wrong: list[int] = []
        for one in batch:
            example = self.train[one.passage]
            made = make_inputs(example, self.model.encoder.pieces, self.window)
            assert example.label is not None
            index = len(chosen)
            chosen.append(made[example.label])
            for at in one.wrong:
                right.append(index)
                wrong.append(len(chosen))
                chosen.append(made[at])
        scores = self.model(collate(chosen))  # [c]
        losses = margin_loss(
            scores[torch.tensor(right, device=scores.device)],
            scores[torch.tensor(wrong, device=scores.device)],
            alpha=self.settings.alpha,
            beta=self.settings.beta,
            margin=self.settings.margin,
        )  # [pairs]
        return losses.sum(), len(losses)


def _load(encoder: Encoder, settings: MaskedSettings, tensors: Mapping[str, Tensor]) -> Scorer:
    """Load a checkpoint's scorer, which has everything except the named encoder."""
    deltas = {
        name.removeprefix("base.").replace("/", "."): tensor
        for name, tensor in tensors.items()
        if name.startswith("base.")
    }
    heads.merge_deltas(encoder, deltas)
    head = heads.make_head(encoder, tensors)
    return restore(Scorer(encoder, head, settings.score, deltas=deltas), tensors)


def score_examples(
    model: Scorer, settings: MaskedSettings, examples: Iterable[MaskedExample]
) -> Iterator[CandidateScores]:
    """Score every candidate of each example, in order, a batch at a time.

    All candidates of a passage share a batch, of at most `batch_pieces` unless one passage alone is
    larger. Raises `DataError` for a candidate that the window cannot hold.
    """
    most = model.encoder.choose_length("length", settings.length, specials=True)
    passages = (make_inputs(example, model.encoder.pieces, most) for example in examples)

    def count_pieces(passage: Sequence[CandidateInput]) -> int:
        return sum(map(len, {item.sequence for item in passage}))

    for batch in batch_by_size(passages, count_pieces, settings.batch_pieces):
        with torch.no_grad():
            scores = model(collate([item for passage in batch for item in passage])).tolist()
        start = 0
        for passage in batch:
            own = tuple(scores[start : start + len(passage)])
            yield CandidateScores(own, any(item.cut for item in passage))
            start += len(passage)


def make_choice_kind(*, answers: Answers, **more: Any) -> TaskKind:
    """Make a kind of task for choosing candidates: its answers are its predictions."""

    def predict(model: Any, settings: Any, records: Iterable[Record]) -> Iterator[Record]:
        """Label each masked example with the candidate of the highest score."""
        examples = list(check_kind(records, MaskedExample, "the input"))
        for example, answer in zip(examples, answers(model, settings, examples), strict=True):
            yield replace(example, label=answer.choice)

    def probe(model: Any, settings: Any) -> Probe:
        """Score two plain passages, whose scores differ for a sound model."""
        texts = ("Ann met Eve because she was early.", "Ann thanked Eve, since she had helped.")
        plain = []
        for number, text in enumerate(texts):
            target, eve = (text.index("she"), text.index("she") + 3), text.index("Eve")
            mentions = ((0, 0, 3), (1, eve, eve + 3))
            one = MaskedExample(
                f"plain{number}",
                *("en", text, (), target, ("Ann", "Eve"), mentions, None, Source("", 0)),
            )
            # A model of syntax gets no parse here.
            plain.append(record_meta.add_syntax(one, [None] * 3))
        return Probe([score for one in answers(model, settings, plain) for score in one.values])

    return TaskKind(records="masked", predict=predict, probe=probe, answers=answers, **more)


def make_scorer(encoder: Encoder, settings: MaskedSettings) -> Scorer:
    """Make the scorer of `encoder`, with its head's deltas merged into the weights."""
    _ = encoder.pieces.mask_id  # without one, nothing is written
    found = heads.find_head(encoder, settings.head)
    heads.merge_deltas(encoder, found.deltas)
    deltas = {} if encoder.trained else found.deltas
    return Scorer(encoder, found.head, settings.score, deltas=deltas)


def read_examples(records: Records, split: str) -> list[MaskedExample]:
    """Read the examples of a split; raises `DataError` if none has a right candidate."""
    found = list(check_kind(records, MaskedExample, f"split {split}"))
    if not any(example.label is not None for example in found):
        raise DataError(
            f"split {split} has no example with a right candidate",
            remedy="label its examples with `corefmill annotate`, or have labels by"
            " `build knowref --mined`",
        )
    return found


def drop_unused(example: MaskedExample, *, mentions: bool = False) -> MaskedExample:
    """Drop an example's sentences, mentions and meta, to save memory.

    Its syntax stays, and its group of near-duplicates, which are held out together.
    """
    known = {"group", record_meta.SYNTAX_KEY}
    meta = {key: value for key, value in example.meta.items() if key in known}
    return replace(example, sentences=(), mentions=example.mentions if mentions else (), meta=meta)


KIND = make_choice_kind(
    name="masked",
    Settings=MaskedSettings,
    make=lambda encoder, settings, splits, seed: MaskedNames(
        make_scorer(encoder, settings), settings, splits
    ),
    load=_load,
    lean=drop_unused,
    answers=score_examples,
)
