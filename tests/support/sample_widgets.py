"""A site that shows every widget type with ordinary content, for screenshots and tests of whole pages."""

from typing import Any

import msgspec

from tests.support.sample_art import cake, cup, loaf, poster, still_life
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

CUP = still_life("#e8c9a0", "#8a5a3b", cup(320, 270, "#fff6e8", "#7a4424"))
CAKE = still_life("#d9a78a", "#7c4a34", cake(320, 300, "#e9b872", "#fff1dc"))
LOAF = still_life("#c9b391", "#6f4d33", loaf(320, 300, "#b06a2c"))
FACE = poster("#cfd9d2", '<circle cx="300" cy="300" r="130" fill="#2c5f5d"/><path d="M80 750a220 260 0 0 1 440 0z"/>')


def widget(kind: str, **values: Any) -> SampleWidget:
    """Lists are encoded as JSON."""
    texts = {
        name: each if isinstance(each, str) else msgspec.json.encode(each).decode() for name, each in values.items()
    }
    return SampleWidget(kind, texts)


HOURS = widget(
    "openingHours",
    hours=[
        {"days": "mo-fr", "times": "09:00-12:30,14:00-18:00"},
        {"days": "sa", "times": "9:00-13:00", "note": "bread until noon"},
        {"days": "su", "closed": "1"},
    ],
    note="Closed on public holidays.\nCall before you come from far away.",
)
QUESTIONS = widget(
    "questions",
    questions=[
        {"question": "Do you deliver?", "answer": "<p>Yes, within the city, <a href='/visit'>every morning</a>.</p>"},
        {
            "question": "Can I order a cake for a birthday of somebody who eats neither flour nor eggs nor milk?",
            "answer": "<p>You can. Tell us three days before.</p><ul><li>Write</li><li>or call</li></ul>",
        },
    ],
    firstOpen="1",
)
PRICE_CARDS = widget(
    "prices",
    prices=[
        {"name": "Small", "price": "€ 12", "unit": "a month", "features": "One loaf a week", "button": "Choose",
         "url": "visit"},
        {"name": "Family", "price": "€ 39", "unit": "a month", "text": "Our most popular one.", "button": "Choose",
         "features": "Three loaves a week\nA cake on Sundays\nDelivery to your door", "url": "visit",
         "highlighted": "1"},
        {"name": "Office", "price": "from € 120", "unit": "a month", "features": "Rolls for twenty people\nInvoice",
         "button": "Ask us", "url": "visit"},
    ],
)  # fmt: skip
PRICE_LIST = widget(
    "prices",
    style="list",
    prices=[
        {"name": "Espresso", "price": "2.20"},
        {"name": "Baked cheesecake with sour cherries", "price": "4.20", "unit": "a slice", "text": "Fridays only"},
        {"name": "Soup and bread", "price": "7.90"},
    ],
)
TESTIMONIALS = widget(
    "testimonials",
    testimonials=[
        {"quote": "The best bread in town, and the people know my name.", "name": "A neighbor", "role": "Mill Street",
         "image": FACE},
        {"quote": "We ordered rolls for eighty. They were warm when they came.", "name": "An office"},
    ],
)  # fmt: skip
TEAM = widget(
    "team",
    people=[
        {"name": "The head baker", "role": "Bakery", "image": FACE, "text": "Bakes since five in the morning.",
         "email": "bakery@copperkettle.example", "phone": "+1 202 555 0114"},
        {"name": "The roaster", "role": "Coffee", "image": CUP, "text": "Tuesdays only."},
        {"name": "The newcomer", "role": "Counter"},
    ],
)  # fmt: skip
ICONS = widget(
    "iconList",
    entries=[
        {"icon": "leaf", "title": "Organic flour", "text": "From two farms nearby."},
        {"icon": "truck", "title": "Delivery", "text": "Every morning before seven, by bicycle.", "url": "visit"},
        {"icon": "cup", "title": "Own roast"},
        {"icon": "shield", "text": "Only words, without a title."},
    ],
    columns="4",
)
DOWNLOADS = widget(
    "downloads",
    files=[
        {"url": "https://files.example/menu.pdf", "title": "Menu", "size": "240 KB", "text": "Valid until March"},
        {"url": "/allergens%20list.pdf"},
    ],
)
SLIDES = widget(
    "slideshow",
    images=[
        {"src": CUP, "alt": "A cappuccino", "caption": "Cappuccino"},
        {"src": CAKE, "alt": "A cheesecake", "url": "visit"},
        {"src": LOAF, "alt": "A loaf"},
    ],
)
VIDEO = widget(
    "video", url="https://www.youtube.com/watch?v=aqz-KE-bpKQ", title="A walk through the bakery", image=LOAF,
    caption="Two minutes",
)  # fmt: skip
VIDEO_WITHOUT_PICTURE = widget("video", url="https://vimeo.com/76979871", title="Roasting", ratio="4:3")
MAP = widget("embeddedMap", address="14 Mill Street\n20001 Springfield", coordinates="51.5007, -0.1246")
SOCIAL = widget(
    "socialLinks",
    links=[
        {"url": "https://www.instagram.com/copperkettle"},
        {"url": "https://www.facebook.com/copperkettle"},
        {"url": "https://photos.example/copperkettle", "label": "Our pictures"},
    ],
)
SOCIAL_ICONS = widget("socialLinks", links=[{"url": "https://www.youtube.com/@copperkettle"}], style="icons")
NEWS = widget(
    "news",
    posts=[
        {"date": "2026-09-01", "title": "We roast on Tuesdays", "text": "<p>The smell is free.</p>"},
        {"date": "2026-10-01", "title": "Open on Sundays", "text": "<p>From nine to three, <b>at last</b>.</p>",
         "image": CAKE, "alt": "A cheesecake", "url": "visit"},
    ],
)  # fmt: skip
NEWSLETTER = widget("newsletter", title="News by e-mail", text="Four times a year, no more.")
DIVIDERS = [widget("divider"), widget("divider", style="dots"), widget("divider", style="short")]

EVERY_WIDGET: list[SampleWidget] = [
    text("<p>Words before the first heading, with <a href='/visit'>a link</a>.</p>"),
    heading("Opening hours"), HOURS,
    heading("Questions"), QUESTIONS,
    heading("Prices"), PRICE_CARDS, PRICE_LIST,
    heading("What they say"), TESTIMONIALS,
    heading("Team"), TEAM,
    heading("Why us"), ICONS, *DIVIDERS,
    heading("Pictures"), gallery(3, (CUP, "A cappuccino", "Cappuccino"), (CAKE, "", ""), (LOAF, "A loaf", "Sourdough")),
    SLIDES, image(CAKE, "A cheesecake", "Baked", width="medium"),
    heading("Video"), VIDEO, VIDEO_WITHOUT_PICTURE,
    heading("Find us"), MAP, SampleWidget("map", {}), SOCIAL, SOCIAL_ICONS,
    heading("News"), NEWS,
    heading("Files"), DOWNLOADS,
    heading("Write"), NEWSLETTER, form(title="Contact"), button("Call", "tel:+12025550114"),
    heading("In columns"),
    columns([heading("Hours", 3), HOURS, DOWNLOADS], [QUESTIONS, SOCIAL], [ICONS, PRICE_LIST, NEWSLETTER]),
    columns([SLIDES], [VIDEO], gap="large"),
]  # fmt: skip

SAMPLE = Sample(
    directory="consult",
    profile={
        "business": "The Copper Kettle",
        "headline": "Slow coffee, warm bread",
        "strapline": "A neighborhood coffee house on Mill Street.",
        "phone": "+1 202 555 0114",
        "email": "hello@copperkettle.example",
        "address1": "14 Mill Street",
        "postalcode": "20001",
        "city": "Springfield",
        "photos": "https://photos.example/copperkettle",
    },
    pages=[SamplePage("home", "Home", EVERY_WIDGET), SamplePage("visit", "Visit", [MAP, NEWSLETTER])],
)
