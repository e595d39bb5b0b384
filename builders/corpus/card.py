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
from corefmill.builders.nlp.catalogue import scores_of
from corefmill.corpora import manifest
from corefmill.corpora.card_parts import find_spdx, table, yaml
from corefmill.corpora.files import disk
from corefmill.corpora.files.terminal import one_line
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.records import IF_KNOWN, SCHEMAS, Document


def _find_readings(corpus: Corpus) -> dict[str, str]:
    """Make the card's row on readings of corpora of this language, mode, pipeline and filters.

    There is none where no such corpus was read.
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


def front_matter(corpus: Corpus, schema: str, splits: Mapping[str, int]) -> list[str]:
    """The lines of YAML before the card's title, between two lines of dashes.

    The `splits` are on disk, with this many records of the schema; none may be empty, since
    `load_dataset` refuses such a one.
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
            "features": _columns(SCHEMAS[schema]),
            "splits": sizes,
        }
    return ["---", *yaml({key: value for key, value in said.items() if value}), "---"]


def _columns(kind: Any) -> list[dict[str, Any]]:
    """The fields of a record, as a card's columns."""
    hints = get_type_hints(kind)
    return [{"name": field.name, **_column(hints[field.name])} for field in fields(kind)]


def _column(kind: Any) -> dict[str, Any]:
    if kind in _DTYPES:
        return {"dtype": _DTYPES[kind]}
    if get_origin(kind) is dict:
        return {"dtype": "json"}
    if is_dataclass(kind):
        return {"struct": _columns(kind)}
    inner = _column(_inner(kind))
    if get_origin(kind) is not tuple:
        return inner
    # The short form that YAML has of a list of values or of objects.
    return {"list": inner.get("dtype") or inner.get("struct") or inner}


def _inner(kind: Any) -> Any:
    """Of a list the type of its entries, of `X | None` X."""
    return next(one for one in get_args(kind) if one is not NoneType)


def croissant(corpus: Corpus, schema: str, splits: Mapping[str, int], cite: str) -> bytes:
    """croissant.json of the same; `cite` is BibTeX."""
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
                "field": list(_fields(SCHEMAS[schema], split)),
            }
            for split, count in splits.items()
        ],
    }
    return json.dumps(made, indent=1, ensure_ascii=False).encode() + b"\n"


def _fields(kind: Any, split: str, column: str = "") -> Iterator[dict[str, Any]]:
    """Croissant's fields of a record, or of the object in one of its columns."""
    hints = get_type_hints(kind)
    lacking = IF_KNOWN if kind is Document else ()
    for name in (field.name for field in fields(kind) if field.name not in lacking):
        source: dict[str, Any] = {"extract": {"column": column or name}}
        if column:
            source["transform"] = {"jsonPath": name}
        own = f"{split}/{column}/{name}" if column else f"{split}/{name}"
        made = {"@type": "cr:Field", "@id": own, "name": name}
        source = {"fileObject": {"@id": f"{split}.jsonl"}, **source}
        shape, held = _shape(hints[name])
        if held in _CROISSANT:
            array = {"isArray": True, "arrayShape": ",".join(shape)} if shape else {}
            yield {**made, "dataType": _CROISSANT[held], **array, "source": source}
        elif is_dataclass(held) and not shape:
            yield {**made, "subField": list(_fields(held, split, name))}


def _shape(kind: Any) -> tuple[list[str], Any]:
    """Return the length of each dimension of a list (-1: it differs), and the innermost type."""
    if kind in _CROISSANT or is_dataclass(kind) or get_origin(kind) is dict:
        return [], kind
    shape, held = _shape(_inner(kind))
    if get_origin(kind) is tuple:
        shape = ["-1" if ... in get_args(kind) else str(len(get_args(kind))), *shape]
    return shape, held


FILES = (manifest.CARD, "croissant.json")
"""What `write` leaves in the folder of a corpus."""

_LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "`": r"\textasciigrave{}",
        # BibTeX counts braces, those behind a backslash too.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
    }
)
"""What LaTeX would take for commands, in a field of BibTeX."""

_SEEN = (
    "In this folder `corefmill show .` shows its records with their mentions in brackets, and"
    " `corefmill show . --html corpus.html` makes a page of them, with pictures and filters."
)


def write(
    corpus: Corpus,
    sections: Iterable[str],
    warnings: Iterable[str],
    *,
    schema: str,
    splits: Mapping[str, int],
    summary: Iterable[str] = (),
) -> None:
    """Writes README.md: front matter, title, warnings, `summary` and facts, the builder's own
    `sections`, and last the limits, how to see the corpus, to cite it and to build it again; and
    croissant.json, once the `splits` are there.

    A section begins with an empty line and ends without one. `splits` has the number of records,
    which are of that `schema`.
    """
    filled = {split: count for split, count in splits.items() if count}
    cite = "\n".join(_bibtex(corpus))
    facts = {
        **corpus.facts,
        **_pipeline_scores(corpus.pipeline),
        **_find_readings(corpus),
        "Licence": corpus.licence,
        "Source": corpus.attribution,
    }
    lines = [
        *front_matter(corpus, schema, filled),
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
    write_whole(metadata, croissant(corpus, schema, filled, cite))


def _bibtex(corpus: Corpus) -> Iterator[str]:
    """Cite the corpus and its method."""
    source = f"Built with corefmill {version('corefmill')}; source: {corpus.attribution}"
    # A name may be that of somebody's manifest: nothing in it ends the entry, or the card's block.
    key = re.sub(r"[^\w.:+-]", "", "-".join(filter(None, (corpus.name, corpus.texts))))
    title, note = (one_line(text).translate(_LATEX) for text in (corpus.full_title, source))
    yield from (f"@misc{{{key},", f"  title = {{{title}}},", f"  note = {{{note}}}", "}")
    for method in disk.read_package_table(__file__, "citations")["method"]:
        if corpus.name.startswith(tuple(method["corpora"])):
            yield method["bibtex"].strip()


def _pipeline_scores(pipeline: str) -> dict[str, str]:
    """How good the pipelines are that analysed the text, by what is known of them: of several each
    with its name. The wiki's own names come from none, and have no scores.
    """
    names = [one.partition(" ")[0] for one in pipeline.split(", ")]
    names = [name for name in names if name not in ("", "none", WIKI)]
    if not names:
        return {}
    known = {name: scores for name in names if (scores := scores_of(name))}
    said = "; ".join(known.values() if len(names) == 1 else map(": ".join, known.items()))
    return {"Scores of the pipeline": said or "not known here"}


_REASONS = 8
"""Reasons on the card; rejects.json has all."""


def describe_losses(rejects: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Lay out what was left out of a corpus: the most frequent reasons of all stages."""
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


def most_first(rejects: Mapping[str, int]) -> list[tuple[str, int]]:
    """The reasons with their counts, the most frequent first."""
    return sorted(rejects.items(), key=lambda entry: (-entry[1], entry[0]))
