"""The data card of a corpus, README.md with its front matter, and croissant.json."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.nlp.backend import WIKI
from corefmill.builders.nlp.catalogue import find_scores
from corefmill.corpora import manifest
from corefmill.corpora.card_parts import find_spdx, table, yaml
from corefmill.corpora.files import disk
from corefmill.corpora.files.terminal import one_line
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.records import IF_KNOWN, SCHEMAS, Document


def _find_readings(corpus: Corpus) -> dict[str, str]:
    """Look up readers' judgements of corpora of this name, mode, pipeline and filters.

    Returns a row of the card, or no row for settings without readers in readings.toml.
    """
    found = [
        f"{entry['n']} of {corpus.name} by {entry['pipeline']} with {entry['filters']}, in"
        f" {entry['of']}, {entry['date']}: {entry['share']}"
        for entry in disk.read_package_table(__file__, "readings")["reading"]
        if (entry["corpus"], entry["mode"], entry["filters"])
        == (corpus.name, corpus.mode, corpus.filters)
        and entry["pipeline"] in corpus.pipeline.split(", ")
    ]
    return {"Read by a language model": "; ".join(found)} if found else {}


_TASKS = {
    "masked-example/1": ["multiple-choice", "fill-mask"],
    "event-mention/1": ["token-classification"],
    "document/1": ["token-classification"],
}
"""By schema, the tasks as Hugging Face's hub names them."""

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
_DTYPES = {str: "string", int: "int64", bool: "bool"}
_CROISSANT = {str: "sc:Text", int: "sc:Integer", bool: "sc:Boolean"}


def make_front_matter(corpus: Corpus, schema: str, splits: Mapping[str, int]) -> list[str]:
    """Make the card's front matter: YAML between two lines of dashes, for Hugging Face's hub.

    `splits` are the numbers of records by split, whose files are on disk. No split may be empty,
    since `load_dataset` refuses an empty file.
    """
    files = [{"split": split, "path": f"{split}.jsonl"} for split in splits]
    sizes = [
        {
            "name": split,
            "num_bytes": (corpus.out / f"{split}.jsonl").stat().st_size,
            "num_examples": count,
        }
        for split, count in splits.items()
    ]
    total = sum(splits.values())
    size = next((n for n, name in enumerate(_SIZES) if total < 1000 * 10**n), len(_SIZES) - 1)
    known = find_spdx(corpus.licence)
    said: dict[str, Any] = {
        "pretty_name": one_line(corpus.full_title),
        "language": corpus.lang.split(","),
        "license": [name.lower() for name in known] or ["unknown"],
        "task_categories": _TASKS[schema],
        "task_ids": ["coreference-resolution"] if schema != "masked-example/1" else [],
        "size_categories": [_SIZES[size]],
        "tags": ["coreference", "corefmill", schema],
    }
    if files:
        said["configs"] = [{"config_name": "default", "data_files": files}]
        said["dataset_info"] = {
            "config_name": "default",
            "features": _describe_columns(SCHEMAS[schema]),
            "splits": sizes,
        }
    return ["---", *yaml({key: value for key, value in said.items() if value}), "---"]


def _describe_columns(kind: Any) -> list[dict[str, Any]]:
    """Describe the fields of a record class as columns of the front matter."""
    hints = get_type_hints(kind)
    return [{"name": field.name, **_describe_column(hints[field.name])} for field in fields(kind)]


def _describe_column(kind: Any) -> dict[str, Any]:
    """Describe a field's type in the terms of `datasets`: dtype, list or struct."""
    if kind in _DTYPES:
        return {"dtype": _DTYPES[kind]}
    if get_origin(kind) is dict:
        return {"dtype": "json"}
    if is_dataclass(kind):
        return {"struct": _describe_columns(kind)}
    inner = _describe_column(_find_inner_type(kind))
    if get_origin(kind) is not tuple:
        return inner
    # YAML's short form for a list of values or of objects.
    return {"list": inner.get("dtype") or inner.get("struct") or inner}


def _find_inner_type(kind: Any) -> Any:
    """Find the type of a list's entries, or X of `X | None`."""
    return next(one for one in get_args(kind) if one is not NoneType)


def make_croissant(corpus: Corpus, schema: str, splits: Mapping[str, int], cite: str) -> bytes:
    """Make croissant.json, the description of a corpus for programs; `cite` is BibTeX."""
    urls = [f"https://spdx.org/licenses/{name}" for name in find_spdx(corpus.licence)]
    made = {
        "@context": disk.read_package_table(__file__, "croissant")["context"],
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": corpus.name,
        "description": f"{corpus.full_title}. Source: {corpus.attribution}",
        "license": urls or [corpus.licence],
        "citeAs": cite,
        "inLanguage": corpus.lang.split(","),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"{split}.jsonl",
                "name": f"{split}.jsonl",
                "contentUrl": f"{split}.jsonl",
                "encodingFormat": "application/jsonlines",
                "sha256": manifest.sha256(corpus.out / f"{split}.jsonl"),
            }
            for split in splits
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": split,
                "name": split,
                "description": f"{count} records of {schema}",
                "field": list(_describe_fields(SCHEMAS[schema], split)),
            }
            for split, count in splits.items()
        ],
    }
    return json.dumps(made, indent=1, ensure_ascii=False).encode() + b"\n"


def _describe_fields(kind: Any, split: str, column: str = "") -> Iterator[dict[str, Any]]:
    """Describe the fields of a record in Croissant's terms, or of the object in its `column`."""
    hints = get_type_hints(kind)
    lacking = IF_KNOWN if kind is Document else ()
    for name in (field.name for field in fields(kind) if field.name not in lacking):
        source: dict[str, Any] = {"extract": {"column": column or name}}
        if column:
            source["transform"] = {"jsonPath": name}
        own = f"{split}/{column}/{name}" if column else f"{split}/{name}"
        made = {"@type": "cr:Field", "@id": own, "name": name}
        source = {"fileObject": {"@id": f"{split}.jsonl"}, **source}
        shape, held = _find_shape(hints[name])
        if held in _CROISSANT:
            array = {"isArray": True, "arrayShape": ",".join(shape)} if shape else {}
            yield {**made, "dataType": _CROISSANT[held], **array, "source": source}
        elif is_dataclass(held) and not shape:
            yield {**made, "subField": list(_describe_fields(held, split, name))}


def _find_shape(kind: Any) -> tuple[list[str], Any]:
    """Find the length of each dimension of a list (-1 for any), and the innermost type."""
    if kind in _CROISSANT or is_dataclass(kind) or get_origin(kind) is dict:
        return [], kind
    shape, held = _find_shape(_find_inner_type(kind))
    if get_origin(kind) is tuple:
        shape = ["-1" if ... in get_args(kind) else str(len(get_args(kind))), *shape]
    return shape, held


FILES = (manifest.CARD, "croissant.json")
"""Files that `write_card` writes into the folder of a corpus."""

_LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "`": r"\textasciigrave{}",
        # BibTeX counts braces, also those behind a backslash.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
    }
)
"""Escapes for characters that LaTeX reads as commands, in a field of BibTeX."""

_SEEN = (
    "In this folder `corefmill show .` shows its records with their mentions in brackets, and"
    " `corefmill show . --html corpus.html` makes a page of them, with pictures and filters."
)


def write_card(
    corpus: Corpus,
    sections: Iterable[str],
    warnings: Iterable[str],
    *,
    schema: str,
    splits: Mapping[str, int],
    summary: Iterable[str] = (),
) -> None:
    """Write a corpus's data card: README.md and croissant.json, once the splits' files are there.

    README.md has front matter, title, warnings, `summary`, facts, the builder's own `sections`, and
    last the limits and how to see, to cite and to rebuild the corpus. A section begins with an
    empty line and ends without one. `splits` has the number of records by split.
    """
    filled = {split: count for split, count in splits.items() if count}
    cite = "\n".join(_cite_corpus(corpus))
    facts = {
        **corpus.facts,
        **_describe_scores(corpus.pipeline),
        **_find_readings(corpus),
        "Licence": corpus.licence,
        "Source": corpus.attribution,
    }
    lines = [
        *make_front_matter(corpus, schema, filled),
        f"# {html.escape(one_line(corpus.full_title), quote=False)}",
        "",
        *(f"**Warning:** {warning}\n" for warning in warnings),
        *(f"{line}\n" for line in summary),
        *table(("", ""), facts.items()),
        *sections,
        *("", "## Known limits", "", *(f"- {limit}" for limit in corpus.limits)),
        *("", "## See it", "", _SEEN),
        *("", "## Cite it", "", "```bibtex", cite, "```"),
        *("", "## Build it again", "", "```", one_line(corpus.command), "```", ""),
    ]
    readme, metadata = (corpus.out / name for name in FILES)
    write_whole(readme, "\n".join(lines))
    write_whole(metadata, make_croissant(corpus, schema, filled, cite))


def _cite_corpus(corpus: Corpus) -> Iterator[str]:
    """Yield the BibTeX entries of the corpus and of its method."""
    source = f"Built with corefmill {version('corefmill')}; source: {corpus.attribution}"
    # The name may come from a foreign manifest: no character of it may end the entry or the block.
    key = re.sub(r"[^\w.:+-]", "", "-".join(filter(None, (corpus.name, corpus.texts))))
    title, note = (one_line(text).translate(_LATEX) for text in (corpus.full_title, source))
    yield from (f"@misc{{{key},", f"  title = {{{title}}},", f"  note = {{{note}}}", "}")
    for method in disk.read_package_table(__file__, "citations")["method"]:
        if corpus.name.startswith(tuple(method["corpora"])):
            yield method["bibtex"].strip()


def _describe_scores(pipeline: str) -> dict[str, str]:
    """Make the card's row with the scores of the corpus's language pipelines.

    `pipeline` names one or several with their versions. `wiki` is not a pipeline and has no scores.
    """
    names = [one.partition(" ")[0] for one in pipeline.split(", ")]
    names = [name for name in names if name not in ("", "none", WIKI)]
    if not names:
        return {}
    known = {name: scores for name in names if (scores := find_scores(name))}
    said = "; ".join(known.values() if len(names) == 1 else map(": ".join, known.items()))
    return {"Scores of the pipeline": said or "not known here"}


_REASONS = 8
"""Reasons on the card; rejects.json has all."""


def describe_losses(rejects: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Lay out the most frequent reasons of all stages for leaving records out of a corpus."""
    rows = sorted(
        ((stage, reason, n) for stage, counted in rejects.items() for reason, n in counted.items()),
        key=lambda row: (-row[2], row),
    )
    lines = ["", "## What was left out", ""]
    if not rows:
        return [*lines, "Nothing."]
    lines += table(("of the", "reason", "number"), rows[:_REASONS])
    if rest := rows[_REASONS:]:
        number = sum(n for _, _, n in rest)
        lines += ["", f"Less frequent reasons: {len(rest)}, of {number:,}; see rejects.json."]
    return lines


def sort_by_count(rejects: Mapping[str, int]) -> list[tuple[str, int]]:
    """The reasons with their counts, the most frequent first."""
    return sorted(rejects.items(), key=lambda entry: (-entry[1], entry[0]))
