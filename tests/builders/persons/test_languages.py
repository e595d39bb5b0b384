"""Names in seven languages: the filters' near misses, sentences and records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.persons.name_filters import no_person, share_word
from corefmill.builders.persons.names import extend_to_article
from corefmill.builders.persons.prefilter import cut_at_borders, find_windows
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem.filters import SURFACE, modified
from corefmill.builders.wikicrem.stages import make_clean_example
from tests.builders.persons.documents import views, with_word
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import analysed, view

FRENCH = load("fr")
PORTUGUESE = load("pt")


@pytest.mark.parametrize(
    ("lang", "one", "other", "shared"),
    rows("""
        nl  Jan van den Berg  Piet van den Heuvel  no
        nl  Jan van den Berg  van den Berg  yes
        nl  Anna de Vries  Kees de Vries  yes
        pl  Jan Kowalski  Kowalskiego  yes
        pl  Anna Kowalska  Kowalski  no
        pl  Annie  Anna  yes
        pl  Ewa  Adam  no
    """),
)
def test_names_share_words_in_any_form_and_no_particles(
    lang: str, one: str, other: str, shared: bool
) -> None:
    assert share_word(views(lang, "[Ann] en [Bob], en [Ann].")[0], one, other) is shared


@pytest.mark.parametrize(
    ("lang", "line", "found"),
    rows("""
        de  Anna sah Peter im Garten. Es war nicht Annas Garten.  yes
        # A noun that returns is nobody.
        de  Die Zeit und der Wald und das Leben. Dann war die Zeit um.  no
        de  Der Herr sah den Baum im Hause. Der Herr ging aus dem Hause.  yes
        de  Anna hatte viel Zeit und Arbeit. Peter hatte keine Zeit.  no
        # A name in another form.
        pl  Anna poznała Marka. Potem Annie było zimno.  yes
        pl  Anna poznała Marka. Potem Basi było zimno.  no
        pl  Kowalski poszedł tam z Ewą. Nie lubiła Kowalskiego.  yes
        # Behind elisions and dashes.
        fr  — Emma vit Jean. — Qu'Emma rit !  yes
        fr  Qu'Emma rit. L'eau. Qu'Anne rit.  no
    """),
)
def test_the_prefilter_sees_names_and_no_nouns(lang: str, line: str, found: bool) -> None:
    words = load(lang)
    may_be = words.may_be if words.declensions else None
    read = find_windows(line, words.no_names, words.titles, may_be)
    assert read == [(0, len(line))] * found


@pytest.mark.parametrize(
    ("filter", "lang", "line", "stopped"),
    rows("""
        # What follows the clause of saying.
        quoted  fr  — [Emma] vit [Jean] hier, dit le valet, et {Emma} rit beaucoup.  yes
        quoted  fr  — Il pleut, dit [Emma]; [Jean] lut, et {Emma} rit beaucoup.  yes
        # One speaker has named all; somebody is spoken to; this is no speech.
        quoted  fr  — [Emma] vit [Jean] hier au bal, et {Emma} rit beaucoup.  no
        quoted  fr  — [Emma] vit [Jean] hier au bal, et, {Emma}, je ris beaucoup.  yes
        quoted  fr  [Emma] vit [Jean] — il pleuvait — et {Emma} rit beaucoup.  no
        # Who speaks stands within the marks.
        quoted  fr  [Emma] vit [Jean] au bal. | « Il pleut, dit {Emma}, et je ris. »  no
        quoted  fr  [Emma] vit [Jean] au bal. | « Il pleut, et {Emma} je ris. »  yes
        quoted  es  —[Ana] vio a [Juan] ayer en la plaza, y {Ana} estaba muy triste.  no
        quoted  es  —¿Vio a [Ana]? —preguntó [Juan], y miró la puerta mientras {Ana} reía—. No.  no
        quoted  es  -Vi a [Ana] con [Juan] -dijo el mozo-; y luego {Ana} estaba muy triste.  yes
        quoted  es  [Juan] vio a [Ana] y dijo: —Ven aquí, y que {Ana} esté tranquila.  yes
        quoted  pt  -- [Ana] viu [João] hontem na praça, e {Ana} estava triste.  no
        quoted  pt  -- Viu [Ana]? -- perguntou [João], e olhou para a porta onde {Ana} ria.  no
        quoted  de  [Anna] sah [Peter]. | »Komm!« sagte {Anna} leise, »komm schnell!«  no
        quoted  de  [Anna] sah [Peter]. | Er rief: »Hier ist {Anna} gewesen.«  yes
        # Dialogue and questions are prose.
        quoted  pl  — Dobrze. — [Ewa] i [Adam] wyszli. | — Dokąd? — spytał {Adam} po chwili.  no
        not_prose  pl  — Dobrze. — [Ewa] i [Adam] wyszli. | — Dokąd? — spytał {Adam} po chwili.  no
        not_prose  fr  — [Emma] vit [Jean] hier au bal, et {Emma} rit beaucoup ! »  no
        not_prose  es  ¿[Ana] vio a [Juan] ayer en la plaza? | Sí, {Ana} estaba allí.  no
        # Particles are no part that two names share.
        shared_name_part  fr  [M. de Morval] vit [Mme de Tourvel], et {M. de Morval} rit.  no
        # A relative clause stands behind a comma; without one, "dem" is an article.
        relative_clause  de  [Anna] sah [Peter]. | Da ging {Anna}, die ihn kannte, fort.  yes
        relative_clause  de  [Anna] sah [Peter]. | Da ging {Anna}, mit der er sprach, fort.  yes
        relative_clause  de  [Anna] sah [Peter]. | Da gab {Anna} dem Kind ein Buch.  no
        relative_clause  de  [Anna] sah [Peter]. | Da ging {Anna} mit dem Kind fort.  no
    """),
)
def test_surface(filter: str, lang: str, line: str, stopped: bool) -> None:
    assert SURFACE[filter](view(line, table=load(lang))) is stopped


@pytest.mark.parametrize("mark", ["'", "’"])
def test_an_elided_word_before_the_mask_is_written_in_full(mark: str) -> None:
    line = f"[Emma] vit [Jean]. | Il crut qu{mark}{{Emma}} riait, dit-on."
    seen = view(line, table=FRENCH)
    (made,) = make_clean_example(seen, "fr")
    assert made.masked_text == "Emma vit Jean. Il crut que [MASK] riait, dit-on."
    assert made.meta["elided"] == f"qu{mark}"
    start, end = made.target
    assert made.text[start:end] == "Emma"
    assert [made.text[start:end] for _, start, end in made.mentions] == ["Emma", "Jean"]
    assert [made.text[start:end] for start, end in made.sentences] == [
        "Emma vit Jean.",
        "Il crut que Emma riait, dit-on.",
    ]
    tokens = [made.text[start:end] for start, end in made.meta["tokens"]]
    assert tokens[4:8] == ["Il", "crut", "que", "Emma"]
    (plain,) = make_clean_example(view(line.replace(f"qu{mark}", "si "), table=FRENCH), "fr")
    assert "elided" not in plain.meta
    assert not [*make_clean_example(view(line.replace("qu", "l"), table=FRENCH), "fr")]


def test_a_name_behind_an_elided_article_is_a_thing() -> None:
    line = "[Emma] vit [Orval] au bal, et l'Orval coule, et {Emma} rit."
    seen = view(line, table=FRENCH, elsewhere="Dans l'Orval, sur l'Orval.")
    assert SURFACE["no_person"](seen)


@pytest.mark.parametrize(
    ("lang", "line", "sentences"),
    [
        # An abbreviated honorific ends no sentence; an opening mark begins one.
        ("fr", "Emma vit M. | Morin au bal. Mlle. Orval rit.",
         ["Emma vit M. Morin au bal.", "Mlle. Orval rit."]),
        ("pt", "Falou o sr. | Dinis com a Exma. Anna.", ["Falou o sr. Dinis com a Exma. Anna."]),
        ("es", "Juan callaba. ¿Quién era? ¡Ana!", ["Juan callaba.", "¿Quién era?", "¡Ana!"]),
    ],
)  # fmt: skip
def test_sentences_are_cut_again(lang: str, line: str, sentences: list[str]) -> None:
    analysis = analysed(line)
    cut = cut_at_borders(analysis, load(lang).titles)
    assert [analysis.text[start:end] for start, end in cut] == sentences


def test_the_record_hides_the_article_and_names_without_it() -> None:
    seen = view("[João] viu [Maria], e o {João} riu com ela.", table=PORTUGUESE)
    draft = seen.draft
    target = extend_to_article(draft.target, seen.text, PORTUGUESE)
    names = tuple(target if name == draft.target else name for name in draft.names)
    (record,) = make_clean_example(
        replace(seen, draft=replace(draft, target=target, names=names)), "pt"
    )
    assert record.masked_text == "João viu Maria, e [MASK] riu com ela."
    assert record.candidates == ("João", "Maria")
    assert target.mention == (20, 24) and seen.text[20:24] == "João"


ZULMA = "[Zulma] znała [Marka]. | Potem [Zulma] wyszła."
MISSED = "Nikt nie znał Zosi ani Zosi, ani Zulmy. Nikt nie widział Zosi, Zosi, Zulmy ani Zulmy."
TANN = "Herr von [Tann] sah [Anna]. | Dann kam Herr von [Tann]."
ORVAL = "M. d'[Orval] vit [Emma]. | Puis M. d'[Orval] sortit."


@pytest.mark.parametrize(
    ("lang", "line", "name", "elsewhere", "stopped"),
    [
        # A recogniser may leave out what stands before a surname.
        ("de", TANN, "Herr von Tann", [], False),
        ("de", TANN, "Herr von Tann", ["von Tann. " * 3], True),
        ("fr", ORVAL, "M. d'Orval", [], False),
        # A given name is one where the recogniser misses half its forms.
        ("pl", ZULMA.replace("Zulma", "Zosia"), "Zosia", [MISSED], False),
        ("pl", ZULMA, "Zulma", [f"{MISSED} Zulmy."], True),
        ("pl", ZULMA, "Zulma", ["Szukał Zulmy."], False),
        # A frequent name is one where it finds a quarter, unless "in" stands before it.
        ("pl", ZULMA, "Zulma", ["Szukał [Zulmy]. " + "Nie znał Zulmy. " * 8], False),
        ("pl", ZULMA, "Zulma", ["Szukał [Zulmy]. " + "Nie był w Zulmie. " * 8], True),
    ],
)
def test_no_person(lang: str, line: str, name: str, elsewhere: list[str], stopped: bool) -> None:
    seen = views(lang, line, *elsewhere)[0]
    assert seen.candidates[0] == name
    assert no_person(seen) is stopped


@pytest.mark.parametrize(
    ("line", "form", "feats", "stopped"),
    rows("""
        # A possessor stands behind its noun: "oczy jego" is as good.
        [Anna] znała [Jana]. | Lubiła oczy [Jana].  nmod  Case=Gen  no
        [Anna] znała [Jana]. | Lubiła oczy [Jana].  flat  Case=Gen  yes
        [Anna] znała [Jana]. | Ma suknię, którą [Jana] widział.  nmod  Case=Nom  no
        # A noun in another case than the name's, by whatever relation the parser has.
        [Anna] znała [Jana]. | Twarz [Jana] zbladła.  Twarz  Case=Nom|Gender=Fem  no
        [Anna] znała [Jana]. | Wita kowala [Jana].  kowala  Case=Gen|Gender=Masc  yes
        # The case may be the name's, but it is a thing, or of the other gender.
        [Anna] znała [Jana]. | Na dwór [Jana].  dwór  Animacy=Inan|Case=Acc|Gender=Masc  no
        [Anna] znała [Jana]. | Ma przysięgę [Jana].  przysięgę  Case=Acc|Gender=Fem  no
        # An adjective that was read as a noun.
        [Anna] znała [Jana]. | Tu młody [Jan] wyszedł.  młody  Case=Nom|Gender=Fem  yes
    """),
)
def test_a_noun_before_the_mask_is_not_always_bound_to_it(
    line: str, form: str, feats: str, stopped: bool
) -> None:
    """`form` hangs on the mask or, if it is a relation, the mask so on the word before it."""
    seen = views("pl", line)[-1]
    if form in ("nmod", "flat"):
        seen = with_word(seen, "Jana", -1, feats, form)
    else:
        seen = with_word(seen, form, 1, feats)
    assert modified(seen) is stopped
