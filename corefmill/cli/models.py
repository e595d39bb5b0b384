"""`corefmill models`: language pipelines, and trained models in the forms of other libraries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill import coref_model
from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, lang_option
from corefmill.cli.printing import print_json, print_result, table
from corefmill.coref_model import SMALL, TRAINING, need
from corefmill.corpora.card_parts import find_spdx
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError

if TYPE_CHECKING:
    from corefmill.builders.nlp.catalogue import Offer


class ExportedAs(StrEnum):
    """The library that loads an exported model: transformers (hf) or peft."""

    hf = "hf"
    peft = "peft"


Lang = Annotated[str | None, lang_option("List only models of this language, such as it.")]


def list_models(lang: Lang = None, as_json: Json = False) -> None:
    """List pipelines and trained models: installed, shipped with corefmill, available.

    Examples:
        corefmill models list --lang it
    """
    from corefmill.builders.nlp.catalogue import list_offers

    found = [*list_offers(lang), *_find_trained_models(lang)]
    if as_json:
        print_json([asdict(offer) for offer in found])
        return
    here = [offer for offer in found if offer.state != "available"]
    more = [offer for offer in found if offer.state == "available"]
    print(
        "\n\n".join([*_list_installed(here, lang), *(_list_available(more, lang) if more else [])])
    )


def _find_trained_models(lang: str | None) -> Iterator[Offer]:
    """Yield corefmill's trained models, with licence and score, restricted to a language."""
    from corefmill.builders.nlp.catalogue import Offer

    for path in sorted(Path(coref_model.__file__).parent.glob("*/weights/*/model.toml")):
        made = disk.read_toml(path)
        learnt = made["corpora"].values()
        own = sorted({str(one.get("lang", "en")) for one in learnt})
        if lang is None or lang in own:
            yield Offer(
                path.parent.name,
                ", ".join(own),
                "ships",
                made["task"],
                ("clusters" if made["task"] == "documents" else "answers",),
                f"predict --model {path.parent.name}",
                made["versions"].get("corefmill", ""),
                ", ".join(find_spdx((path.parent / "LICENCE.txt").read_text("utf-8"))[:1]),
                f"{made['metric']} {100 * made['score']:.1f} on a part of {made['corpus']}"
                "; learnt from the rest",
            )


def _list_installed(offers: Sequence[Offer], lang: str | None) -> Iterator[str]:
    """Lay out the installed and shipped pipelines as a table, and their scores as another."""
    if not offers:
        yield "No pipeline is here" + (f" for language {lang!r}." if lang else ".")
        return
    rows = [
        (o.name, o.lang, o.state, ", ".join(o.does), o.version, o.licence, o.how) for o in offers
    ]
    yield table(("Here", "lang", "", "does", "version", "licence", "use"), rows)
    # Without what they were scored on, which the card says.
    scored = [(o.name, o.scores.partition(" (")[0].replace(" sentences", "")) for o in offers]
    if any(scores for _, scores in scored):
        yield table(("F1 in percent", ""), [row for row in scored if row[1]])


def _list_available(offers: Sequence[Offer], lang: str | None) -> Iterator[str]:
    """Lay out the models to install: with commands for one language, else names by language."""
    if lang:
        rows = [(o.name, o.lang, ", ".join(o.does), o.how) for o in offers]
        yield table(("To be had", "lang", "does", "by"), rows)
        return
    named: defaultdict[str, list[str]] = defaultdict(list)
    for offer in offers:
        if "names" in offer.does:
            named[offer.lang].append(offer.name)
    nameless = sorted({offer.lang for offer in offers} - named.keys())
    yield table(("To be had", ""), [(own, " ".join(named[own])) for own in sorted(named)])
    yield (
        f"Stanza without names, for: {' '.join(nameless)}."
        "\n`corefmill models list --lang XX` says how."
    )


def download(
    name: Annotated[
        str, Argument(help="Models to download: stanza, or stanza:PACKAGE such as stanza:isdt.")
    ],
    lang: Annotated[str, lang_option("Language of the models, such as it.")],
    folder: Annotated[
        Path | None,
        Option("--out", help="Folder for the downloaded models.", default="Stanza's own folder"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Download Stanza's models of a language, with Stanza's own downloader.

    Examples:
        corefmill models download stanza --lang it
    """
    tool, _, package = name.partition(":")
    if tool != "stanza":
        raise UsageError(
            f"cannot download {name!r}: this command downloads models of Stanza alone",
            remedy=f"for a pipeline of spaCy: python -m spacy download {name}",
        )
    from corefmill.builders.nlp import stanza_backend

    where = stanza_backend.download_models(lang, package or "default", folder)
    nlp = name if folder is None else disk.show_name(folder)
    result = {"out": disk.show_name(where), "nlp": nlp}
    said = f"The models are in {where}. Use: --nlp {nlp}"
    print_result(result, said, as_json=as_json)


def export(
    model: Annotated[
        str,
        Argument(
            metavar="FOLDER",
            help=f"Folder of a model that `train coref` wrote, or {SMALL}, corefmill's model.",
        ),
    ],
    to: Annotated[
        ExportedAs,
        Option(
            help="Form of the exported encoder: hf, its weights with all that training changed, for"
            " transformers' AutoModel; peft, its adapter alone, for PeftModel."
        ),
    ],
    out: Annotated[Path, Option(help="New or empty folder for the exported encoder.")],
    as_json: Json = False,
) -> None:
    """Export a trained model's encoder to Hugging Face's form or peft's, with a model card.

    The encoder computes the hidden states of the coreference scorers, which are not exported.

    Examples:
        corefmill models export out/models/litbank-minilm --to hf --out litbank-minilm-hf
    """
    need(*TRAINING)
    from corefmill.coref_model import load
    from corefmill.coref_model.prediction.predictor import export as write

    write(load(model, device="cpu"), to.value, out)
    result = {"model": model, "to": to.value, "out": str(out)}
    said = f"{out}: the encoder of {model}, for {_FOR[to]}; README.md is its card"
    print_result(result, said, as_json=as_json)


_FOR = {ExportedAs.hf: "AutoModel.from_pretrained", ExportedAs.peft: "PeftModel.from_pretrained"}
