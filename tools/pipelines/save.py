"""Writes a finished pipeline: only what spaCy needs, and its card."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language

from tools.pipelines import weights
from tools.pipelines.plan import Recipe
from tools.pipelines.score import FEATURES, METRICS, RELATIONS, Counts, Given, f1, format_f1

NameCounts = dict[str, Counts]  # by label
_INPUTS: dict[Given, str] = {"words": "words given", "sentences": "sentences given", "text": "raw"}


@dataclass
class Report:
    """What was measured, in the order in which the card shows it."""

    names: dict[str, NameCounts] = field(default_factory=dict)  # source -> counts per label
    single: tuple[int, int] = (0, 0)  # persons named by one word in the narrative: found, all
    trees: dict[Given, dict[str, Counts]] = field(default_factory=dict)
    wiki_sentences: float = 0.0  # sentence F1 on joined WikiNEuRal sentences
    hot_speed: float = 0.0  # tokens a second of processor time, one core
    full_speed: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)  # by part of the work
    command: str = ""


def write(nlp: Language, folder: Path, recipe: Recipe) -> None:
    """The pipeline without its card; strings of texts are left out."""
    shutil.rmtree(folder, ignore_errors=True)
    nlp.meta.update(recipe.meta)
    nlp.to_disk(folder)
    strings = set(spacy.blank(recipe.lang).vocab.strings) | set(weights.lemma_strings(nlp))
    for labels in nlp.pipe_labels.values():
        strings |= {label for label in labels if isinstance(label, str)}
    listed = json.dumps(sorted(strings), ensure_ascii=False)
    (folder / "vocab" / "strings.json").write_text(listed, encoding="utf-8")
    # spaCy writes only the mode, although it reads by which form of a word vectors are looked up.
    lookup = {"mode": "default", "attr": nlp.vocab.vectors.attr}
    (folder / "vocab" / "vectors.cfg").write_text(json.dumps(lookup), encoding="utf-8")


def finish(folder: Path, out: Path, recipe: Recipe, report: Report) -> None:
    """Adds scores, card and licence to the folder, which takes the place of `out`."""
    here = Path(__file__).parent
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    meta["performance"] = performance(report)
    shown = json.dumps(meta, indent=2, ensure_ascii=False)
    (folder / "meta.json").write_text(shown, encoding="utf-8")
    licence = (here / recipe.licence).read_text(encoding="utf-8")
    if recipe.facts:
        licence = licence.format(**recipe.facts)
    (folder / "LICENCE.txt").write_text(licence, encoding="utf-8")
    text = card(here, recipe, report, megabytes(folder))
    (folder / "README.md").write_text(text, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    folder.rename(out)


def performance(report: Report) -> dict[str, Any]:
    """The scores as they stand in the pipeline's meta.json."""
    names = {
        source: {label: round(f1(rows), 4) for label, rows in labels.items() if rows[:, 2].any()}
        for source, labels in report.names.items()
    }
    trees = {
        given: {m: round(f1(scores[m]), 4) for m in METRICS if m in scores}
        for given, scores in report.trees.items()
    }
    wiki = next(labels for source, labels in report.names.items() if source.startswith("Wiki"))
    given, best = next(iter(report.trees.items()))
    summary = (
        f"PER {format_f1(wiki['PER'])} of {len(wiki['PER']):,} sentences; "
        f"UPOS {format_f1(best['UPOS'])}, LAS {format_f1(best['LAS'])} of {len(best['LAS']):,} "
        f"sentences (held out; names of WikiNEuRal, trees with {given} given; 95 % intervals)"
    )
    return {"summary": summary, "names_f1": names, "trees_f1": trees}


def megabytes(folder: Path) -> float:
    """Size of a folder's files in MB of 10^6 bytes."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6


def name_table(names: dict[str, NameCounts]) -> str:
    """Markdown: one row per source and label; "all" are the labels that the source has."""
    lines = [
        "| held-out text | sentences | label | precision | recall | F1 | n |",
        "|---|---|---|---|---|---|---|",
    ]
    for source, counts in names.items():
        known = {label: rows for label, rows in counts.items() if rows[:, 2].any()}
        if known:
            known["all"] = np.sum([*known.values()], axis=0)
        for label, rows in known.items():
            right, found, gold = rows.sum(axis=0)
            scores = f"{100 * right / max(1, found):.1f} | {100 * right / gold:.1f}"
            scores += f" | {format_f1(rows)} | {gold:,}"
            lines.append(f"| {source} | {len(rows):,} | {label} | {scores} |")
    return "\n".join(lines)


def tree_table(trees: dict[Given, dict[str, Counts]]) -> str:
    """Markdown: a row per measure with n, the words (or cases) of the gold standard."""
    rows = [
        f"| measure | {' | '.join(_INPUTS[given] for given in trees)} | n |",
        f"|---|{'---|' * len(trees)}---|",
    ]

    for name in (*METRICS, *RELATIONS, *FEATURES):
        counts = [scores[name] for scores in trees.values() if name in scores]
        if counts and (gold := counts[0][:, 2].sum()):
            values = " | ".join(format_f1(one) for one in counts)
            rows.append(f"| {name} | {values} | {gold:,} |")
    return "\n".join(rows)


def card(here: Path, recipe: Recipe, report: Report, size: float) -> str:
    """The card: the template of the pipeline with its figures filled in."""
    found, gold = report.single
    scores = next(iter(report.trees.values()))
    ablation = here / f"{recipe.lang}_mini_ablation.md"
    return (
        (here / recipe.card)
        .read_text(encoding="utf-8")
        .format(
            names=name_table(report.names),
            single=f"{found / max(1, gold):.3f} ({found} of {gold})",
            trees=tree_table(report.trees),
            tree_sentences=scores["Sentences"][:, 2].sum(),
            wiki_sentences=report.wiki_sentences,
            hot_speed=round(report.hot_speed, -2),
            full_speed=round(report.full_speed, -2),
            size=size,
            minutes=", ".join(f"{what} {s / 60:.0f}" for what, s in report.seconds.items()),
            command=report.command,
            ablation=ablation.read_text(encoding="utf-8").strip() if ablation.exists() else "",
            **recipe.facts,
        )
    )
