"""Realistic sites, one for each template, for screenshots and for tests of whole pages."""

from tests.support.more_sample_sites import MORE
from tests.support.sample_art import (
    DESK,
    SKYLINE,
    cake,
    candle,
    cup,
    jar,
    loaf,
    notebook,
    plant,
    poster,
    still_life,
)
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

__all__ = ["SAMPLES", "Sample"]

CAPPUCCINO = still_life("#e8c9a0", "#8a5a3b", cup(320, 270, "#fff6e8", "#7a4424"))
CHEESECAKE = still_life("#d9a78a", "#7c4a34", cake(320, 300, "#e9b872", "#fff1dc"))
SOURDOUGH = still_life("#c9b391", "#6f4d33", loaf(320, 300, "#b06a2c"))
TEA = still_life("#c7cfae", "#71613f", cup(300, 270, "#7d9a7c", "#b5742a"))

COFFEE_HOUSE = Sample(
    directory="coffee-house",
    profile={
        "business": "The Copper Kettle",
        "headline": "Slow coffee, warm bread, good company",
        "strapline": "A neighbourhood coffee house on Mill Street, open from seven.",
        "companydescription": "We roast on Tuesdays, bake every morning and keep a chair free by the window.",
        "phone": "+1 202 555 0114",
        "email": "hello@copperkettle.example",
        "address1": "14 Mill Street",
        "postalcode": "20001",
        "city": "Springfield",
        "copyright": "© The Copper Kettle. Beans from growers we know by name.",
        "photos": "https://photos.example/copperkettle",
    },
    static_values={"hero": {"text": "See the menu", "url": "menu"}},
    pages=[
        SamplePage(
            "home",
            "Home",
            [
                heading("From the counter", align="center"),
                gallery(
                    3,
                    (CAPPUCCINO, "A cappuccino on a wooden table", "Cappuccino, 3.40"),
                    (CHEESECAKE, "A slice of baked cheesecake", "Baked cheesecake, 4.20"),
                    (SOURDOUGH, "A loaf of sourdough", "Country sourdough, 5.50"),
                ),
                heading("A room with a kettle on"),
                columns(
                    [
                        text(
                            "<p>The building was a saddler’s for eighty years. We kept the counter, the lamp over the"
                            " door and the habit of knowing everyone’s name. The roaster came later; it is the loud"
                            " one in the back.</p><p>Bring a book, a child or a laptop. There is a shelf of games,"
                            " a basket of blankets, and <a href='/about'>a story behind the copper kettle</a>.</p>"
                        ),
                        button("How it began", "about", "secondary"),
                    ],
                    [image(TEA, "A pot of tea by the window", "The window seat, most days taken by ten")],
                    gap="large",
                ),
                heading("Opening hours", align="center"),
                text(
                    "<table><tbody><tr><td>Monday to Friday</td><td>7 – 18</td></tr><tr><td>Saturday</td><td>8 – 18"
                    "</td></tr><tr><td>Sunday</td><td>9 – 15</td></tr></tbody></table>"
                ),
            ],
        ),
        SamplePage(
            "menu",
            "Menu",
            [
                columns(
                    [
                        heading("Coffee", 3),
                        text(
                            "<table><tr><td>Espresso</td><td>2.20</td></tr><tr><td>Flat white</td><td>3.20</td></tr>"
                            "<tr><td>Cappuccino</td><td>3.40</td></tr><tr><td>Filter of the week</td><td>3.80</td></tr>"
                            "</table>"
                        ),
                    ],
                    [
                        heading("Baking", 3),
                        text(
                            "<table><tr><td>Butter croissant</td><td>2.60</td></tr><tr><td>Cardamom bun</td><td>3.10"
                            "</td></tr><tr><td>Baked cheesecake</td><td>4.20</td></tr><tr><td>Soup and bread</td>"
                            "<td>7.90</td></tr></table>"
                        ),
                    ],
                ),
            ],
        ),
        SamplePage("about", "Our story", [text("<p>It began with a kettle that nobody wanted.</p>")]),
        SamplePage("visit", "Visit", [SampleWidget("map", {}), form(title="Book a table")]),
    ],
)

ARCHES = poster(
    "#efe9dd",
    *[f'<path d="M{90 + n * 34} 690V360a{210 - n * 34} {210 - n * 34} 0 0 1 {420 - n * 68} 0v330z" fill="{colour}"/>'
      for n, colour in enumerate(("#d8532b", "#efe9dd", "#1c3f60", "#efe9dd", "#e7a83b"))],
)  # fmt: skip
CIRCLES = poster(
    "#111111",
    *[f'<circle cx="300" cy="375" r="{250 - n * 38}" fill="{colour}"/>'
      for n, colour in enumerate(("#f1efe7", "#111111", "#f1efe7", "#d8532b", "#111111"))],
)  # fmt: skip
WAVES = poster(
    "#cfd9d2",
    *[f'<path d="M0 {150 + n * 95}q150-90 300 0t300 0v110q-150 90-300 0t-300 0z" fill="{colour}" opacity=".9"/>'
      for n, colour in enumerate(("#2c5f5d", "#f0ebe0", "#b8472a", "#f0ebe0", "#27343f"))],
)  # fmt: skip
BLOCKS = poster(
    "#f1efe7",
    '<rect x="60" y="80" width="230" height="330" fill="#27343f"/><rect x="310" y="80" width="230" height="150" '
    'fill="#d8532b"/><rect x="310" y="250" width="230" height="160" fill="#e7a83b"/><circle cx="175" cy="560" r="115" '
    'fill="#2c5f5d"/><path d="M310 675V445h230z" fill="#111"/>',
)
LINES = poster(
    "#e7a83b",
    "".join(
        f'<path d="M{40 + n * 26} 60v{630 - abs(10 - n) * 34}" stroke="#111" stroke-width="12"/>' for n in range(21)
    ),
)
SUN = poster(
    "#f0d9c8",
    '<circle cx="300" cy="300" r="170" fill="#d8532b"/><path d="M0 430q150-60 300 0t300 0v320H0z" fill="#1c3f60"/>'
    '<path d="M0 540q150-50 300 0t300 0v210H0z" fill="#27343f"/>',
)

ATELIER = Sample(
    directory="atelier",
    profile={
        "business": "Studio Marrow",
        "headline": "Posters, identities and books with few words",
        "strapline": "An independent design studio. We draw by hand first and put things in order afterwards.",
        "companydescription": "Two designers and a press from 1962.",
        "email": "studio@marrow.example",
        "phone": "+1 202 555 0133",
        "address1": "Unit 4, The Old Dye Works",
        "city": "Springfield",
        "pictures": "https://pictures.example/marrow",
        "shop": "https://shop.example/marrow",
    },
    pages=[
        SamplePage(
            "home",
            "Work",
            [
                heading("Selected work"),
                gallery(
                    3,
                    (ARCHES, "A poster of coloured arches", "Arches, festival poster"),
                    (CIRCLES, "A poster of circles in circles", "Echo, record sleeve"),
                    (WAVES, "A poster of waves", "Estuary, exhibition identity"),
                    (BLOCKS, "A poster of blocks and a circle", "Primary, school identity"),
                    (LINES, "A poster of black lines on yellow", "Barcode, book cover"),
                    (SUN, "A poster of a sun over the sea", "Low tide, print edition"),
                ),
                heading("What we do"),
                columns(
                    [heading("Identity", 3), text("<p>Marks, alphabets and the rules that keep them alive.</p>")],
                    [heading("Print", 3), text("<p>Posters, books and packaging, printed with people we know.</p>")],
                    [heading("Exhibition", 3), text("<p>Walls that can be read from across the room.</p>")],
                ),
                heading("Start something"),
                text("<p>We take on six commissions a year. Tell us what you are making and when it must be done.</p>"),
                button("Write to us", "contact"),
            ],
        ),
        SamplePage(
            "about",
            "Studio",
            [
                image(BLOCKS, "A print on the wall of the studio", "The first print, 2009", width="medium"),
                text("<p>We are two.</p>"),
            ],
        ),
        SamplePage("about/press", "Press", [text("<p>Words others wrote.</p>")], parent="about"),
        SamplePage("contact", "Contact", [form()]),
    ],
)

FERN = still_life("#cfe8dd", "#f6dca6", plant(320, 250, "#3f8f6b", "#d9694f"))
CANDLE = still_life("#ffe2b8", "#f4b39a", candle(320, 250, "#fff6e4"))
NOTEBOOK = still_life("#d7e3f7", "#f3cf8a", notebook(320, 250, "#e0576b"))
MARMALADE = still_life("#fbd3d0", "#e9b56a", jar(320, 230, "#e9873f", "#3d5a80"))

CORNER_SHOP = Sample(
    directory="corner-shop",
    profile={
        "business": "Penny & Pear",
        "headline": "Good things for small homes",
        "strapline": "Plants, candles, paper and preserves, chosen one by one and wrapped in brown paper.",
        "companydescription": "The shop on the corner of Orchard Road since 2011. Come in, the bell is friendly.",
        "phone": "+1 202 555 0177",
        "email": "shop@pennyandpear.example",
        "address1": "1 Orchard Road",
        "postalcode": "20007",
        "city": "Springfield",
        "newsletter": "https://letters.example/pennyandpear",
    },
    static_values={
        "announcement": {"text": "Open today until six. Wrapping is on us.", "url": "visit"},
        "hero": {"text": "What is new", "url": "#in-the-window-this-week"},
    },
    pages=[
        SamplePage(
            "home",
            "Shop",
            [
                heading("In the window this week"),
                gallery(
                    4,
                    (FERN, "A fern in a pot", "Fern · 14.00"),
                    (CANDLE, "A candle", "Fig candle · 18.00"),
                    (NOTEBOOK, "A red notebook", "Notebook · 9.50"),
                    (MARMALADE, "A jar of marmalade", "Marmalade · 6.20"),
                ),
                heading("Why people come back"),
                columns(
                    [heading("Wrapped for free", 3), text("<p>Brown paper, string and a sprig of rosemary.</p>")],
                    [heading("Delivered by bicycle", 3), text("<p>Within five miles, the same day, whatever it rains."
                                                             "</p>")],
                    [heading("Mended, not binned", 3), text("<p>Bring back what broke. We know someone who can help."
                                                           "</p>")],
                ),
                heading("Ask for something"),
                form(button="Send to the shop"),
            ],
        ),
        SamplePage("presents", "Presents", [text("<p>Lists for people who have everything.</p>")]),
        SamplePage("visit", "Visit us", [SampleWidget("map", {"text": "Find the corner"})]),
    ],
)  # fmt: skip

CONSULT = Sample(
    directory="consult",
    profile={
        "business": "Harrow & Lane",
        "headline": "Clear books. Calm year ends.",
        "strapline": "Accountants and advisers for family businesses, from the first invoice to the handover.",
        "companydescription": "Chartered accountants in Springfield. Fixed fees, plain words, answers within a day.",
        "phone": "+1 202 555 0190",
        "email": "office@harrowlane.example",
        "address1": "Suite 3, Exchange House",
        "address2": "20 Market Square",
        "postalcode": "20002",
        "city": "Springfield",
        "featureimage": SKYLINE,
        "network": "https://network.example/harrowlane",
    },
    static_values={"hero": {"text": "Talk to an adviser", "url": "contact"}},
    pages=[
        SamplePage(
            "home",
            "Home",
            [
                heading("What we take off your desk"),
                columns(
                    [heading("Accounts and tax", 3), text("<p>Monthly books, returns and year ends, filed on time and "
                                                         "explained in a page.</p>")],
                    [heading("Payroll", 3), text("<p>Everyone paid correctly, with a person to ring when something "
                                                "looks odd.</p>")],
                    [heading("Planning", 3), text("<p>Forecasts you can act on: what to hire, what to buy, when to "
                                                 "wait.</p>")],
                ),
                heading("A person who knows your figures"),
                columns(
                    [image(DESK, "A desk with a chart on the screen", width="medium")],
                    [
                        text(
                            "<p>You get one adviser, not a queue. They know what you sell, when the season is and who "
                            "signs the cheques.</p><ul><li>A fixed fee, agreed before we start</li><li>Answers within "
                            "one working day</li><li>A plan on one page, every quarter</li></ul>"
                        ),
                        button("Meet the team", "team", "secondary"),
                    ],
                    gap="large",
                ),
                heading("What clients say"),
                text(
                    "<blockquote><p>They found the thing three other firms had missed, and then told us in one "
                    "sentence what to do about it.</p></blockquote>"
                ),
            ],
        ),
        SamplePage("services", "Services", [text("<h2>Accounts</h2><p>Monthly, quarterly or once a year.</p>")]),
        SamplePage("services/payroll", "Payroll", [text("<p>Everyone paid, on time.</p>")], parent="services"),
        SamplePage("team", "Team", [text("<p>Six people and a very old calculator.</p>")]),
        SamplePage("contact", "Contact", [form(title="Write to us"), SampleWidget("map", {})]),
    ],
)  # fmt: skip

SAMPLES = {each.directory: each for each in (COFFEE_HOUSE, ATELIER, CORNER_SHOP, CONSULT, *MORE)}
