"""Writes a finished pipeline: only what spaCy needs, with the card that tells what it is."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

from models.training.score import f1

META: dict[str, dict[str, Any]] = {
    "en": {
        "name": "mini",
        "version": "0.1.0",
        "description": "Small English pipeline of corefmill: sentences, names, tags, trees.",
        "license": "CC BY-NC-SA 4.0",
    }
}

Counts = dict[str, tuple[int, int, int]]  # label -> (right, predicted, gold)


@dataclass
class Report:
    """What was measured, in the order in which the card shows it."""

    names: dict[str, Counts] = field(default_factory=dict)  # source -> counts per label
    trees: dict[str, float] = field(default_factory=dict)
    tree_sentences: int = 0
    wiki_sentences: float = 0.0  # sentence F1 on joined WikiNEuRal sentences
    hot_speed: float = 0.0  # tokens a second, one core
    full_speed: float = 0.0
    seconds: float = 0.0
    command: str = ""


def write(nlp: Language, out: Path, lang: str, report: Report) -> None:
    """The pipeline and its card under `out`, which is replaced; strings of texts are left out."""
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    nlp.meta.update(META[lang])
    nlp.meta["performance"] = performance(report)
    nlp.to_disk(part)
    strings = set(spacy.blank(lang).vocab.strings)
    for labels in nlp.pipe_labels.values():
        strings |= set(labels)
    listed = json.dumps(sorted(strings), ensure_ascii=False)
    (part / "vocab" / "strings.json").write_text(listed, encoding="utf-8")
    template = Path(__file__).with_name(f"{lang}_mini_card.md")
    (part / "README.md").write_text(card(template, report, megabytes(part)), encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name(f"{lang}_mini_licence.txt"), part / "LICENCE.txt")
    shutil.rmtree(out, ignore_errors=True)
    part.rename(out)


def performance(report: Report) -> dict[str, Any]:
    """The scores as they stand in the pipeline's meta.json."""
    names = {
        source: {label: round(f1(*counts), 4) for label, counts in labels.items() if counts[2]}
        for source, labels in report.names.items()
    }
    trees = {measure: round(value, 4) for measure, value in report.trees.items()}
    return {"names_f1": names, "ewt_dev": trees}


def megabytes(folder: Path) -> float:
    """Size of a folder's files in MB of 10^6 bytes."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6


def name_table(names: dict[str, Counts]) -> str:
    """Markdown: one row per source and label."""
    rows = ["| held-out text | label | precision | recall | F1 | n |", "|---|---|---|---|---|---|"]
    for source, counts in names.items():
        for label, (right, found, gold) in counts.items():
            if gold:
                precision, recall = right / max(1, found), right / gold
                scores = f"{precision:.3f} | {recall:.3f} | {f1(right, found, gold):.3f}"
                rows.append(f"| {source} | {label} | {scores} | {gold} |")
    return "\n".join(rows)


def tree_table(trees: dict[str, float]) -> str:
    """Markdown: the measures of the treebank side by side."""
    head = " | ".join(trees)
    body = " | ".join(f"{value:.3f}" for value in trees.values())
    return f"| {head} |\n|{'---|' * len(trees)}\n| {body} |"


def card(template: Path, report: Report, size: float) -> str:
    """The card: the template of the pipeline with its figures filled in."""
    return template.read_text(encoding="utf-8").format(
        names=name_table(report.names),
        trees=tree_table(report.trees),
        tree_sentences=report.tree_sentences,
        wiki_sentences=report.wiki_sentences,
        hot_speed=round(report.hot_speed, -3),
        full_speed=round(report.full_speed, -3),
        size=size,
        minutes=report.seconds / 60,
        command=report.command,
    )
