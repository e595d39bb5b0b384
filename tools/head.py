"""Make the masked-LM head that ships with minilm, by transformers' Trainer.

    python -m tools.head ../shared/data out/head

The folder of data has litbank/original, the novels, and dumps/enwiki-real-sample.xml.bz2. Of each
text whole sentences are packed into sequences, whole words are hidden, and the head and low-rank
deltas of the frozen encoder learn to tell them: 42 and 37 minutes on one of two busy cores. OUT
gets head.toml and head.safetensors, in half precision; the card is written by hand.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import tomli_w
import torch
from peft import get_peft_model_state_dict
from safetensors.torch import save
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from corefmill.builders.run.stages import Context
from corefmill.builders.sources.text import TextSource, read_text
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from corefmill.coref_model.encoder import Encoder, load
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.heads import Head
from corefmill.corpora.files.writing import ensure_folder, write_whole

_transformers: Any = import_module("transformers")  # by name: it has no types

LONGEST = 100_000
"""Characters taken of each text, to the end of the paragraph: all books weigh the same."""
SHORTEST, PARAGRAPH = 200, 40
"""Characters that a text and a paragraph have at least."""
LENGTH = 128
"""Pieces of a sequence, the encoder's specials included."""
RANK = 16
STAGES = ((2450, 0.15), (3700, 0.25))
"""Steps of each training, and the share of words that are hidden in it."""
BATCH = 4
"""Sequences of a step: about 512 pieces."""
LR_HEAD, LR_ENCODER, WARMUP = 2e-3, 1.5e-3, 0.03
HELD_OUT = 50
"""Of so many documents one is held out, and a head is judged by those."""

# A sentence ends after its mark and any closing quotes, before a blank.
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+")


def read_novels(folder: Path) -> Iterator[str]:
    """The beginning of each book of a folder, one text a book."""
    books: dict[str, Article] = {}
    for unit in TextSource([str(folder)]).units(()):
        for part in read_text(iter([unit.payload]), Context(unit.index, 0)):
            # A long book was cut into parts.
            book = books.setdefault(part.key, part)
            if book is not part:
                books[part.key] = replace(book, paragraphs=[*book.paragraphs, *part.paragraphs])
    yield from filter(None, map(plain_text, books.values()))


def read_pages(dump: Path) -> Iterator[str]:
    """The articles of a dump, one text a page."""
    for page in ReadDump("en")(DumpSource([dump], "en").chunks(), Context(0, 0)):
        if isinstance(page, Article) and (text := plain_text(page)):
            yield text


def plain_text(article: Article) -> str:
    """The prose and quotes of an article without the marks of italics; "" where it is too short."""
    taken: list[str] = []
    for paragraph in article.paragraphs:
        text = " ".join(re.sub("--", " -- ", paragraph.text.replace("_", "")).split())
        if paragraph.kind in ("prose", "quote") and len(text) >= PARAGRAPH:
            taken.append(text)
        if sum(map(len, taken)) >= LONGEST:
            break
    joined = " ".join(taken)
    return joined if len(joined) >= SHORTEST else ""


def pack(text: str, encoder: Encoder) -> Iterator[str]:
    """Join the sentences of a text while their pieces fit into a sequence."""
    room = LENGTH - sum(encoder.pieces.specials)
    joined, filled, start = "", 0, 0
    for end in [*(mark.end() for mark in _SENTENCE.finditer(text)), len(text)]:
        sentence, start = text[start:end], end
        size = len(encoder.pieces.cut_text(sentence)[0])
        if joined and filled + size > room:
            yield joined
            joined, filled = "", 0
        joined, filled = joined + sentence, filled + size
    if joined:
        yield joined


class HeadModel(nn.Module):
    """An encoder with deltas and a head, as the Trainer calls a model."""

    def __init__(self, encoder: Encoder, head: Head) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def train(self, mode: bool = True) -> HeadModel:
        """No dropout: there is more text than a training gets through."""
        return super().train(False)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor, **_: Tensor
    ) -> dict[str, Tensor]:
        """Compute the mean loss over the hidden pieces, and count those told right."""
        vectors = self.encoder.network(input_ids=input_ids, attention_mask=attention_mask)
        asked = labels >= 0  # [b, n]
        hidden = vectors.last_hidden_state[asked]  # [m, w]
        logits = self.head.compute_logits(hidden, self.encoder.word_embeddings).float()  # [m, v]
        right = (logits.argmax(-1) == labels[asked]).sum()
        return {"loss": cross_entropy(logits, labels[asked]), "right": right, "asked": asked.sum()}


class Collator:
    """Makes batches of sequences, whole words of them hidden behind masks."""

    def __init__(self, encoder: Encoder, share: float) -> None:
        self._tokenizer = encoder.pieces.tokenizer
        self._hide = _transformers.DataCollatorForLanguageModeling(
            self._tokenizer,
            whole_word_mask=True,
            mlm_probability=share,
            mask_replace_prob=1.0,
            random_replace_prob=0.0,
        )

    def __call__(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """The pieces of the texts, [b, n], and those that are hidden; the other labels are -100."""
        batch = self._tokenizer(
            list(texts),
            max_length=LENGTH,
            truncation=True,
            padding=True,
            return_tensors="pt",
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        ids, labels = self._hide.torch_mask_tokens(
            batch["input_ids"], batch["special_tokens_mask"], batch["offset_mapping"]
        )
        return {"input_ids": ids, "attention_mask": batch["attention_mask"], "labels": labels}


def train(model: HeadModel, sequences: Sequence[str], steps: int, share: float, out: Path) -> None:
    """Train the head and the encoder's deltas for so many steps; the rates rise and fall to 0."""
    groups = [
        {"params": list(model.head.parameters()), "lr": LR_HEAD},
        {"params": [p for p in model.encoder.parameters() if p.requires_grad], "lr": LR_ENCODER},
    ]
    arguments = _transformers.TrainingArguments(
        output_dir=str(out),
        max_steps=steps,
        per_device_train_batch_size=BATCH,
        lr_scheduler_type="linear",
        warmup_steps=int(WARMUP * steps),
        remove_unused_columns=False,
        save_strategy="no",
        report_to="none",
        logging_steps=100,
    )
    _transformers.Trainer(
        model,
        arguments,
        train_dataset=list(sequences),
        data_collator=Collator(model.encoder, share),
        optimizers=(torch.optim.AdamW(groups, weight_decay=0.0), None),
    ).train()


def evaluate(model: HeadModel, sequences: Sequence[str]) -> dict[str, float]:
    """Accuracy and loss on hidden pieces of the sequences held out, the same at every call."""
    torch.manual_seed(0)
    collator = Collator(model.encoder, STAGES[0][1])
    right, loss, pieces = 0, 0.0, 0
    for start in range(0, len(sequences), BATCH):
        with torch.no_grad():
            found = model(**collator(sequences[start : start + BATCH]))
        if asked := int(found["asked"]):
            right, pieces = right + int(found["right"]), pieces + asked
            loss += float(found["loss"]) * asked
    return {"accuracy": right / pieces, "loss": loss / pieces, "pieces": float(pieces)}


def write_head(model: HeadModel, scores: dict[str, float], out: Path) -> None:
    """Write the head and the deltas in half precision, the table that names them last."""
    tensors = {f"head.{name}": p.detach() for name, p in model.head.named_parameters()}
    tensors |= get_peft_model_state_dict(model.encoder.adapter)
    halved = {name: t.cpu().to(torch.float16).contiguous() for name, t in tensors.items()}
    data = save(halved, metadata={"format": "pt"})
    table = {
        "name": f"masked-LM head of {model.encoder.name}",
        "encoder": model.encoder.name,
        "fingerprint": model.encoder.fingerprint,
        "rank": model.encoder.lora,
        "sha256": hashlib.sha256(data).hexdigest(),
        "scores": scores,
    }
    ensure_folder(out)
    write_whole(out / heads.TENSORS, data)
    write_whole(out / heads.TABLE, tomli_w.dumps(table))


def make(
    texts: Iterable[str],
    out: Path,
    *,
    encoder: str = "minilm",
    stages: Sequence[tuple[int, float]] = STAGES,
) -> dict[str, float]:
    """Train a head on texts and write it to `out`; its scores on the texts held out."""
    _transformers.set_seed(0)
    adapted = load(encoder, lora=RANK)
    documents = [list(pack(text, adapted)) for text in texts]
    held_out = list(chain.from_iterable(documents[::HELD_OUT]))
    learnt = [one for n, own in enumerate(documents) if n % HELD_OUT for one in own]
    # A fresh head gives every piece the frequency that it has in the texts.
    pieces = torch.tensor([piece for one in learnt for piece in adapted.pieces.cut_text(one)[0]])
    counts = torch.bincount(pieces, minlength=len(adapted.word_embeddings))
    model = HeadModel(adapted, heads.make_fresh_head(adapted, counts))
    for steps, share in stages:
        train(model, learnt, steps, share, out)
    scores = evaluate(model, held_out)
    write_head(model, scores, out)
    return scores


def main() -> None:
    """Make the head of the data and into the folder that are named."""
    data, out = map(Path, sys.argv[1:])
    dump = data / "dumps" / "enwiki-real-sample.xml.bz2"
    print(make(chain(read_novels(data / "litbank" / "original"), read_pages(dump)), out))


if __name__ == "__main__":
    main()
