"""Sites with the most and the least that ordinary customers have, to test that templates hold."""

from tests.support.sample_parts import (
    Sample,
    SamplePage,
    SampleWidget,
    button,
    columns,
    form,
    gallery,
    heading,
    image,
    text,
)
from tests.support.sample_widgets import CAKE, CUP, FACE, LOAF

LONG_NAME = "Donaudampfschifffahrtsgesellschaft Kapitänsausbildung & Söhne"
LONG_WORD = "Straßenentwässerungsinvestitionskostenschuldendienstumlage"
TABLE = text(
    "<table><thead><tr><th>Season</th><th>Single room</th><th>Double room</th><th>Family room</th><th>Breakfast</th>"
    "<th>Deposit</th></tr></thead><tbody><tr><td>October to March, without holidays</td><td>1,095.00</td>"
    "<td>1,140.00</td><td>1,980.00</td><td>included</td><td>30 %</td></tr></tbody></table>"
)
BUTTONS = [button("Make an appointment today", "/one"), button("How to find our practice", "/two", "secondary")]


def _profile(**more: str) -> dict[str, str]:
    return {
        "business": LONG_NAME,
        "headline": f"Everything about {LONG_WORD}, explained",
        "strapline": "A sentence that is longer than anybody would recommend, and that customers write nevertheless. "
        * 2,
        "companydescription": "Three generations, two yards and a harbor. " * 4,
        "phone": "+49 30 1234567890-123",
        "email": "kapitaensausbildung.reservierungen@donaudampfschifffahrt.example",
        "address1": "Donaudampfschifffahrtsgesellschaftsstraße 123",
        "postalcode": "20001",
        "city": "Springfield",
        **more,
    }


def _widgets(pictures: int) -> list[SampleWidget]:
    drawings = (CUP, FACE, CAKE, LOAF)
    shown = [(drawings[n % 4], f"Picture {n}", "A caption of some words" if n % 3 else "") for n in range(pictures)]
    return [
        heading(f"Prices of {LONG_WORD}"),
        TABLE,
        *BUTTONS,
        columns([heading(LONG_NAME, 3), *BUTTONS], [image(CUP, "A cup", "One picture"), text(f"<p>{LONG_WORD}</p>")]),
        heading("Pictures"),
        gallery(4, *shown),
        heading("Write to us"),
        form(),
    ]


def full_site(pages: int, pictures: int) -> Sample:
    """Long names, a table, two buttons in a row, and so many pages and pictures."""
    others = [SamplePage(f"page-{n}", f"Our service {n}", []) for n in range(2, pages + 1)]
    return Sample(
        directory="plain",
        profile=_profile(featureimage=CUP),
        static_values={
            "announcement": {"text": LONG_NAME, "url": "/one"},
            "hero": {"text": "Begin here", "url": "/one"},
        },
        pages=[SamplePage("home", "Home", _widgets(pictures)), *others],
    )


def menu_site(entries: int) -> Sample:
    """A menu of ordinary words."""
    words = ("Home", "About", "Team", "Rooms", "Prices", "Menu", "News", "Events", "Photos", "Jobs", "Visit", "Contact")
    pages = [SamplePage(word.lower(), word, [text("<p>Words.</p>")]) for word in words[:entries]]
    return Sample(directory="plain", profile={"business": "Harbor House", "phone": "+1 202 555 0111"}, pages=pages)


BARE = Sample(
    directory="plain",
    profile={"business": "Ann"},
    pages=[SamplePage("home", "Home", [heading("Hello"), text("<p>We open soon.</p>")])],
)
"""One page, no picture, nothing for the footer."""
