"""A trained model of any task, ready for new records; `coref_model.load` returns it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from corefmill.coref_model import encoder as encoders
from corefmill.coref_model.documents.model import DocumentModel
from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.encoder.names import find_model
from corefmill.coref_model.encoder.tensors import save
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.coref_model.masked.task import MaskedSettings, Scorer, make_scorer
from corefmill.coref_model.training import checkpoint
from corefmill.coref_model.training.checkpoint import Checkpoint, saved_parameters
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.task import Probe, load_kind
from corefmill.coref_model.training.trained_model import CARD, find_hub_name, render_card
from corefmill.corpora import plain
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import new_folder, write_whole
from corefmill.corpora.plain import Contractions
from corefmill.corpora.records import KINDS, Document, MaskedExample, Record


def find_fault(model: nn.Module, ask: Callable[[], Probe], *, finds: bool) -> str | None:
    """Describe the fault that makes a model's answers useless; None for a sound model.

    `ask` returns its answers to a few plain words; if it `finds` mentions, it must find some there.
    """
    tensors = (*model.parameters(), *saved_parameters(model).values())
    if not all(bool(torch.isfinite(one).all()) for one in tensors):
        return "some of the weights are not numbers"
    with torch.no_grad():
        probe = ask()
    if not all(map(math.isfinite, probe.scores)):
        return "the scores are not numbers"
    if len(set(probe.scores)) < 2:
        return "it gives the same score to everything"
    if finds and probe.mentions == 0:
        return "it finds no mention in plain sentences full of them"
    return None


@dataclass(frozen=True, slots=True)
class Predictor:
    """A model, its task (`masked`, `pointer`, `events` or `documents`), encoder and settings.

    `checkpoint` is None for an encoder with corefmill's or its own head, without a training.
    Answers pass through `watch`, such as a progress bar.
    """

    task: str
    model: nn.Module
    encoder: Encoder
    settings: Any
    checkpoint: Checkpoint | None = None
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """Replace the labels or clusters of records by the model's.

        A masked example whose candidates tie has the label None. Event mentions are clustered all
        together, or within their topics if the model was trained so; clusters are named by number.
        Raises `DataError` for records of another kind than the model's.
        """
        return iter(self.watch(load_kind(self.task).predict(self.model, self.settings, records)))

    def read(self, text: str, *, lang: str | None = None) -> Document:
        """Read a plain text as a document with clusters; for a model of documents only.

        `lang` is by default the language of the model's training.
        """
        self.refuse_text()
        made = plain.read_text(text, lang or self.lang, contractions=self.contractions)
        return next(found for found in self.records([made]) if isinstance(found, Document))

    def __call__(self, texts: Iterable[str], *, lang: str | None = None) -> list[Document]:
        """Read plain texts as documents with clusters, in order; see `read`.

        A text without words becomes a document without sentences.
        """
        self.refuse_text()
        given = [texts] if isinstance(texts, str) else texts
        documents = (
            plain.read_text(
                text,
                lang or self.lang,
                f"text-{number}",
                contractions=self.contractions,
                may_be_empty=True,
            )
            for number, text in enumerate(given, 1)
        )
        return [found for found in self.records(documents) if isinstance(found, Document)]

    @property
    def corpora(self) -> list[dict[str, Any]]:
        """List the descriptions of the training corpora; empty without a checkpoint."""
        return list(self.checkpoint.model.corpora.values()) if self.checkpoint else []

    @property
    def langs(self) -> list[str]:
        """List the languages of the training corpora."""
        return list(dict.fromkeys(str(one["lang"]) for one in self.corpora if one.get("lang")))

    @property
    def lang(self) -> str:
        """The language of the training corpora; English if they have several or none."""
        return self.langs[0] if len(self.langs) == 1 else "en"

    @property
    def contractions(self) -> Contractions:
        """Merge the contractions of the training corpora, each a surface form with its words."""
        found: dict[str, str] = {}
        for one in self.corpora:
            found |= one.get("contractions", {})
        return found

    def refuse_text(self) -> None:
        """Raise `UsageError` for a model of a task that cannot read plain text."""
        records = load_kind(self.task).records
        if records != "documents":
            name = self.checkpoint.path if self.checkpoint else self.encoder.name
            what = {"masked": "masked names"}.get(records, KINDS[records].plural)
            raise UsageError(
                f"the model {name} labels {what} and cannot read plain text",
                remedy="for clusters of a text `corefmill predict story.txt` takes a shipped model;"
                " or train on documents",
            )

    def answer_with(
        self,
        *,
        singletons: Literal["keep", "drop"] | None = None,
        convention: str | None = None,
        min_confidence: float = 0.0,
        scores: bool = False,
    ) -> None:
        """Set the kinds of clusters that a model of documents returns, and whether it adds scores.

        `singletons` says whether clusters of one are kept (None: as in the training). `convention`
        names the guidelines for documents without a convention (None: the model's first).
        `min_confidence` is the least probability of a link; `scores` fills `meta["scores"]` (see
        `DocumentModel`). Raises `UsageError` for a model of another task, or one that cannot
        predict clusters of one.
        """
        model = self.model
        if not isinstance(model, DocumentModel):
            raise UsageError(f"a model of the task {self.task} finds no clusters in documents")
        if singletons == "keep" and not self.settings.mention_loss:
            raise UsageError("clusters of one mention need a model trained with mention_loss > 0")
        known = self.settings.conventions
        if convention is not None and convention not in known:
            raise UsageError(
                f"this model has no convention {convention!r}",
                remedy=f"name {' or '.join(known)}" if known else "leave the convention out",
            )
        model.convention = convention
        if singletons is not None:
            model.singletons.fill_(singletons == "keep")
        model.min_confidence, model.with_scores = min_confidence, scores

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        """Score every candidate of each masked example; only for models of masked examples."""
        of = load_kind(self.task).answers
        if of is None:
            raise DataError(f"a model of the task {self.task} does not score candidates")
        return iter(self.watch(of(self.model, self.settings, examples)))


def load_predictor(path: str | PathLike[str], *, device: str | None = None) -> Predictor:
    """Load the predictor of a checkpoint, or a shipped one by name.

    Raises the errors of `checkpoint.read`, and `DataError` for a model with useless answers.
    """
    found = checkpoint.read(find_model(path))
    kind = load_kind(found.model.task)
    settings = found.read_settings(kind.Settings)
    encoder = found.load_encoder()
    model = kind.load(encoder, settings, found.read_tensors())
    return _make_predictor(kind.name, model, encoder, settings, found, device=device)


def _make_predictor(
    task: str, model: nn.Module, *parts: Any, device: str | None = None
) -> Predictor:
    """Make the predictor of a model on `device`; `DataError` if its answers are useless."""
    model = model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval()
    predictor = Predictor(task, model, *parts)
    # Only a model that learnt English, by a real encoder, must find mentions in the English probe.
    english = predictor.encoder.name != "tiny" and "en" in predictor.langs
    ask = partial(load_kind(task).probe, model, predictor.settings)
    if fault := find_fault(model, ask, finds=english):
        found = predictor.checkpoint
        raise DataError(
            f"this model answers nothing: {fault}",
            path=found.path if found else predictor.encoder.name,
            remedy="train it longer or again, or copy the whole folder again",
        )
    return predictor


def load_untrained(name: str, *, device: str | None = None) -> Predictor:
    """Make the masked-LM scorer of an unchanged encoder, with its own or corefmill's head.

    Raises `UsageError` for a missing encoder, or one without a head, which would score at random.
    """
    settings = resolve(MaskedSettings, "masked", sets=[f"encoder={json.dumps(name)}"])
    encoder = encoders.load(name)
    if heads.find_head(encoder).source == "fresh":
        raise UsageError(
            f"{name} has no masked-LM head", remedy="name a *ForMaskedLM model, or train one"
        )
    return _make_predictor(
        "masked", make_scorer(encoder, settings), encoder, settings, device=device
    )


ExportForm = Literal["hf", "peft"]

_HF = """    from transformers import {name}, AutoTokenizer
    model = {name}.from_pretrained("FOLDER")
    tokenizer = AutoTokenizer.from_pretrained("FOLDER")

This is the encoder of the model: `last_hidden_state` is what its scorers, which are not here, read.
It has no pooler.
"""
_PEFT = """    from peft import PeftModel
    from transformers import {name}
    model = PeftModel.from_pretrained({name}.from_pretrained("{base}"), "FOLDER")

These are the deltas of the model's encoder: `last_hidden_state` is what its scorers, which are not
here, read.
"""


def export(predictor: Predictor, form: ExportForm, out: Path) -> None:
    """Write the encoder of a trained model as a folder `out`, with a card, whole or not at all.

    hf: the network with all training in its weights, config.json and the tokenizer, for Hugging
    Face's classes. peft: the learnt adapter alone, for its base. No other library has a class for
    the scorers above the encoder. Raises `UsageError` if `out` is not empty, and for peft if the
    model has no adapter.
    """
    if predictor.checkpoint is None:
        raise UsageError("only a model that `train coref` wrote can be exported")
    model, encoder = predictor.checkpoint.model, predictor.encoder
    name = type(encoder.network).__name__
    with new_folder(out) as folder:
        if form == "hf":
            encoder.save(folder)
            use = _HF.format(name=name)
            write_whole(folder / CARD, render_card(model, use=use, library="transformers"))
            return
        given = predictor.model.list_deltas() if isinstance(predictor.model, Scorer) else {}
        base = find_hub_name(model.encoder.name) or "BASE"  # no path of this machine
        if not given and encoder.adapter:
            encoder.adapter.peft_config["default"].base_model_name_or_path = base
            # Else peft looks for the base's configuration on the hub.
            encoder.adapter.save_pretrained(folder, save_embedding_layers=False)
        elif not given or (encoder.adapter and not encoder.lora):
            trained = "was trained in whole" if encoder.trained else "learnt nothing"
            raise UsageError(
                "the model's masked-LM head has deltas that only LoRA's can be added to"
                if given
                else f"the model's encoder {trained}, so there is no adapter to export",
                remedy="--to hf exports the whole encoder",
            )
        else:
            # The encoder's own deltas were learnt over those of the head. Both together are one
            # delta of the sum of their ranks: B A + B' A' = [B B'] [A; A'].
            from peft import LoraConfig, get_peft_model_state_dict

            own = get_peft_model_state_dict(encoder.adapter) if encoder.adapter else {}
            stored = {
                name: torch.cat(
                    [one[name].cpu() for one in (own, given) if name in one],
                    dim=int("lora_B" in name),
                )
                for name in sorted(own.keys() | given.keys())
            }
            ranks = {
                name.removeprefix("base_model.model.").removesuffix(".lora_A.weight"): len(a)
                for name, a in stored.items()
                if name.endswith(".lora_A.weight")
            }
            LoraConfig(
                base_model_name_or_path=base,
                target_modules=[*ranks],
                rank_pattern=ranks,
                alpha_pattern=ranks,
                inference_mode=True,
            ).save_pretrained(folder)
            save(stored, folder / "adapter_model.safetensors", {"format": "pt"})
        use = _PEFT.format(name=name, base=base)
        if base == "BASE":
            use += "\nBASE stands for the folder of the encoder that they were learnt over.\n"
        write_whole(folder / CARD, render_card(model, use=use, library="peft"))
