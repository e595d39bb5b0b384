"""The samples are well formed, closed under their own links, and varied enough."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import etree

from corefmill.builders.runner.stages import Context
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource, ReadDump

FOLDER = Path(__file__).parents[2] / "corpora" / "sample"
NS = "{http://www.mediawiki.org/xml/export-0.11/}"


@dataclass(frozen=True)
class Sample:
    """What one language's file must hold, and how it writes that."""

    lang: str
    red_links: frozenset[str]
    event_infobox: str
    """An infobox's first line; its group is the kind."""
    event_kinds: frozenset[str]
    kinds: int
    """How many infoboxes there are at least."""
    disambiguation: str
    redirect_word: str
    counts: dict[int, int]
    """The fewest pages of each namespace, redirects not counted."""
    disambiguations: int
    redirects: int
    silent_links: tuple[str, ...]
    """Prefixes of links that lead to no article."""


SAMPLES = (
    Sample(
        lang="en",
        red_links=frozenset({"Chess", "Physics", "Seismology", "Sollen Bay", "Tolan"}),
        event_infobox=r"^\{\{Infobox ([^|}\n]+)$",
        event_kinds=frozenset(
            {
                "aircraft occurrence",
                "award",
                "civilian attack",
                "concert",
                "earthquake",
                "event",
                "festival",
                "film festival",
                "flood",
                "rail accident",
                "song contest",
                "summit",
                "wildfire",
            }
        ),
        kinds=60,
        disambiguation="{{Disambiguation",
        redirect_word="#REDIRECT",
        counts={0: 60, 10: 3, 1: 1, 14: 1},
        disambiguations=2,
        redirects=8,
        silent_links=("Category:", "File:", "User:"),
    ),
    Sample(
        lang="it",
        red_links=frozenset({"Mare di Selmo", "Scacchi", "Scrittrice", "Sismologia", "Tossenia"}),
        event_infobox=r"^\{\{([^|}\n]+)$",
        event_kinds=frozenset(
            {
                "Alluvione",
                "Attentato",
                "Calamità",
                "Corsa ciclistica",
                "Edizione di festival musicale",
                "Evento",
                "Festival",
                "Incidente aereo",
                "Premio",
                "Terremoto",
            }
        ),
        kinds=36,
        disambiguation="{{Disambigua}}",
        redirect_word="#RINVIA",
        counts={0: 36, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=6,
        silent_links=("Categoria:", "File:", "Utente:"),
    ),
    Sample(
        lang="de",
        red_links=frozenset({"Elmark (Schiff)", "Tarvonien"}),
        event_infobox=r"^\{\{Infobox ([^|}\n]+)$",
        event_kinds=frozenset(
            {"Attentat", "Erdbeben", "Festival", "Flugunfall", "Parteitag", "Sonnenfinsternis"}
        ),
        kinds=16,
        disambiguation="{{Begriffsklärung}}",
        redirect_word="#WEITERLEITUNG",
        counts={0: 30, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=5,
        silent_links=("Kategorie:", "Datei:", "Benutzer"),
    ),
    Sample(
        lang="fr",
        red_links=frozenset({"Mer de Salvence", "Sismologie"}),
        event_infobox=r"^\{\{Infobox ([^|}\n]+)$",
        event_kinds=frozenset(
            {
                "Accident de transport",
                "Attentat",
                "Cinéma (festival)",
                "Cérémonie",
                "Manifestation",
                "Séisme",
                "Événement",
            }
        ),
        kinds=28,
        disambiguation="{{Homonymie}}",
        redirect_word="#REDIRECTION",
        counts={0: 30, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=5,
        silent_links=("Catégorie:", "Fichier:", "Utilisateur"),
    ),
    Sample(
        lang="es",
        red_links=frozenset(
            {
                "Costaclara",
                "Golfo de Brisa",
            }
        ),
        event_infobox=r"^\{\{Ficha de ([^|}\n]+)$",
        event_kinds=frozenset(
            {
                "accidente",
                "atentado",
                "evento",
                "festival de música",
                "incendio forestal",
                "inundación",
                "terremoto",
            }
        ),
        kinds=25,
        disambiguation="{{desambiguación}}",
        redirect_word="#REDIRECCIÓN",
        counts={0: 28, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=5,
        silent_links=("Categoría:", "Archivo:", "Usuario"),
    ),
    Sample(
        lang="nl",
        red_links=frozenset(
            {
                "Grijze Zee",
                "Zuidmoer",
            }
        ),
        event_infobox=r"^\{\{Infobox ([^|}\n]+)$",
        event_kinds=frozenset(
            {
                "aanslag",
                "muziekfestival",
                "ramp",
                "stormvloed",
                "topconferentie",
                "treinramp",
            }
        ),
        kinds=24,
        disambiguation="{{dp}}",
        redirect_word="#DOORVERWIJZING",
        counts={0: 26, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=5,
        silent_links=("Categorie:", "Bestand:", "Gebruiker"),
    ),
    Sample(
        lang="pl",
        red_links=frozenset(
            {
                "Litenia",
                "Piosenka poetycka",
                "Zatoka Żurawia",
            }
        ),
        event_infobox=r"^\{\{([^|}\n]+) infobox$",
        event_kinds=frozenset(
            {
                "Festiwal muzyczny",
                "Katastrofa",
                "Katastrofa lotnicza",
                "Konferencja",
                "Protest",
                "Zamach",
            }
        ),
        kinds=25,
        disambiguation="{{Ujednoznacznienie}}",
        redirect_word="#PATRZ",
        counts={0: 27, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=5,
        silent_links=("Kategoria:", "Plik:", "Wikipedysta"),
    ),
    Sample(
        lang="pt",
        red_links=frozenset(
            {
                "Mar de Alborim",
                "Terra Velha",
            }
        ),
        event_infobox=r"^\{\{Info/([^|}\n]+)$",
        event_kinds=frozenset(
            {
                "Acidente aéreo",
                "Acidente ferroviário",
                "Atentado",
                "Evento musical",
                "Incêndio florestal",
                "Reunião de cúpula",
                "Sismo",
            }
        ),
        kinds=25,
        disambiguation="{{Desambiguação}}",
        redirect_word="#REDIRECIONAMENTO",
        counts={0: 27, 10: 2, 1: 1, 14: 1},
        disambiguations=1,
        redirects=5,
        silent_links=("Categoria:", "Ficheiro:", "Usuário"),
    ),
)


@dataclass(frozen=True)
class Page:
    title: str
    ns: int
    id: int
    redirect: str | None
    text: str


@pytest.fixture(scope="module", params=SAMPLES, ids=[sample.lang for sample in SAMPLES])
def sample(request: pytest.FixtureRequest) -> Sample:
    found: Sample = request.param
    return found


@pytest.fixture(scope="module")
def path(sample: Sample) -> Path:
    return FOLDER / f"{sample.lang}.xml"


@pytest.fixture(scope="module")
def root(path: Path) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.parse(path, parser).getroot()


@pytest.fixture(scope="module")
def pages(root: etree._Element) -> list[Page]:
    return [read_page(element) for element in root.iter(NS + "page")]


def read_page(element: etree._Element) -> Page:
    redirect = element.find(NS + "redirect")
    return Page(
        title=element.findtext(NS + "title") or "",
        ns=int(element.findtext(NS + "ns") or ""),
        id=int(element.findtext(NS + "id") or ""),
        redirect=None if redirect is None else redirect.get("title"),
        text=element.findtext(f"{NS}revision/{NS}text") or "",
    )


def link_targets(text: str, sample: Sample) -> Iterator[str]:
    """Targets of links to articles, as page titles without section."""
    visible = re.sub(r"<!--.*?-->|<nowiki>.*?</nowiki>", "", text, flags=re.DOTALL)
    for target in re.findall(r"\[\[([^\[\]|#]+)", visible):
        if not target.startswith(sample.silent_links):
            yield target[0].upper() + target[1:]


def test_header_names_the_wiki(root: etree._Element, sample: Sample) -> None:
    assert root.tag == NS + "mediawiki"
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == sample.lang
    assert root.findtext(f"{NS}siteinfo/{NS}dbname") == f"{sample.lang}wiki"
    keys = {int(n.get("key") or "") for n in root.iter(NS + "namespace")}
    assert keys == {*range(-2, 16), 100, 828}


def test_titles_and_ids_are_unique(pages: list[Page]) -> None:
    assert len({page.title for page in pages}) == len(pages)
    assert len({page.id for page in pages}) == len(pages)
    assert all(page.text for page in pages)


def test_page_counts(pages: list[Page], sample: Sample) -> None:
    by_ns = Counter(page.ns for page in pages if page.redirect is None)
    assert {ns: count for ns, count in sample.counts.items() if by_ns[ns] < count} == {}
    disambiguations = sum(sample.disambiguation in page.text for page in pages)
    assert disambiguations == sample.disambiguations


def test_redirects_point_to_pages(pages: list[Page], sample: Sample) -> None:
    articles = {page.title for page in pages if page.redirect is None}
    redirects = [page for page in pages if page.redirect is not None]
    assert len(redirects) >= sample.redirects
    for page in redirects:
        assert page.redirect in articles, page.title
        start = f"{sample.redirect_word} [[{page.redirect}"
        assert page.text.startswith(start), page.title


def test_links_between_articles_have_a_page(pages: list[Page], sample: Sample) -> None:
    titles = {page.title for page in pages}
    linked = {link for page in pages if page.ns == 0 for link in link_targets(page.text, sample)}
    assert linked - titles == sample.red_links


def test_every_kind_of_event_is_present_and_linked(pages: list[Page], sample: Sample) -> None:
    infobox = re.compile(sample.event_infobox, re.MULTILINE)
    kinds = {page.title: infobox.findall(page.text) for page in pages if page.ns == 0}
    events = {title for title, found in kinds.items() if set(found) & sample.event_kinds}
    assert {kind for found in kinds.values() for kind in found} >= sample.event_kinds
    assert sum(len(found) for found in kinds.values()) >= sample.kinds

    canonical = {page.title: page.redirect or page.title for page in pages}
    mentions = Counter(
        canonical[target]
        for page in pages
        for target in set(link_targets(page.text, sample)) & canonical.keys()
        if page.ns == 0 and page.redirect is None and canonical[target] != page.title
    )
    assert {event for event in events if mentions[event] < 2} == set()


def test_every_page_is_read_and_cleaned(path: Path, pages: list[Page], sample: Sample) -> None:
    context = Context(0, 0)
    items = list(ReadDump(sample.lang)(DumpSource([path], sample.lang).chunks(), context))
    assert len(items) == sum(page.ns == 0 for page in pages)
    articles = [item for item in items if isinstance(item, Article)]
    assert all(article.prose for article in articles)
    left = re.compile(r"\{\{|\}\}|\[\[\w+:|''|<ref|</|&\w+;|\|")
    texts = [p.text for article in articles for p in article.prose]
    assert [text for text in texts if left.search(text)] == []
    assert {article.is_person for article in articles} == {True, False, None}
