"""Sample sites of the templates for any business, for health, trades, clubs and hospitality."""

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
from tests.support.sample_scenes import crowd, landscape, room, tools

VALLEY = landscape("#7fb0d6", "#fde6cf", "#fff3d1", "#a9b7c9", "#7d9a8c", "#4f7a62", "#2f5a48")
DUSK = landscape("#3c3a6b", "#f2a58b", "#ffd9a0", "#8d6a94", "#5f4a7c", "#3b2f57")
COAST = landscape("#8fd0e0", "#f7efdf", "#fffbe8", "#bcd8d4", "#5fa3ab", "#2d7786", "#1b5361", height=900)
MEADOW = landscape("#a9d4ef", "#fff6df", "#fff1b8", "#c6d99a", "#94bb67", "#5d8c45", width=1200, height=900)
WAITING_ROOM = room("#dff1ec", "#b9d6cc", "#f5fbff", "#5f9a8f")
BEDROOM = room("#f3e7d6", "#d8bf9f", "#dceaf2", "#a5764e")
PARLOUR = room("#e8dfe6", "#b99fae", "#fff3dc", "#7a4a63")
BENCH = tools("#d9a86c", "#3a4a55", "#b77a3f")
WORKTOP = tools("#cdbba4", "#7d2f1d", "#94775a")
TEAM = crowd("#24357f", "#101b4d", "#d1323a", "#ffd23f", "#f2f4ff")
CHEER = crowd("#7a2d6b", "#2c0f4a", "#ff9ec7", "#ffd23f", "#8bd3ff")

HORIZON = Sample(
    directory="horizon",
    profile={
        "business": "Bright & Field",
        "headline": "Land, looked after for the long run",
        "strapline": "Surveyors and gardeners who plan with the seasons, for towns, schools and people with a gate.",
        "companydescription": "Nine people, three vans and one very good map room, in Springfield since 1998.",
        "phone": "+1 202 555 0122",
        "email": "hello@brightfield.example",
        "address1": "7 Orchard Lane",
        "postalcode": "20004",
        "city": "Springfield",
        "featureimage": VALLEY,
        "journal": "https://journal.example/brightfield",
    },
    static_values={"hero": {"text": "See what we do", "url": "#what-we-do"}},
    pages=[
        SamplePage("home", "Home", [
            heading("What we do"),
            columns(
                [heading("Plan", 3), text("<p>Soil, water and light first. Then a plan that fits on one page.</p>")],
                [heading("Plant", 3), text("<p>Trees that outlive us, and meadows that look after themselves.</p>")],
                [heading("Keep", 3), text("<p>Four visits a year. We bring the tools and take the cuttings.</p>")],
            ),
            heading("Places we look after"),
            gallery(3, (DUSK, "Hills at dusk", "Holt Ridge"), (COAST, "A bay", "Sandy Point"),
                    (VALLEY, "A valley in the morning", "Mill Valley")),
            heading("Tell us about your place", align="center"),
            button("Write to us", "contact", align="center"),
            button("Call us", "tel:+12025550122", "secondary", align="center"),
        ]),
        SamplePage("about", "About", [image(MEADOW, "A meadow", "The first meadow, sown in 1998", width="medium"),
                                      text("<p>It began with a borrowed mower.</p>")]),
        SamplePage("contact", "Contact", [form(), SampleWidget("map", {})]),
    ],
)  # fmt: skip

PRACTICE = Sample(
    directory="practice",
    profile={
        "business": "Riverside Dental Practice",
        "headline": "Unhurried care for the whole family",
        "strapline": "We explain first, treat second, and always leave time for questions. New patients are welcome.",
        "companydescription": "Three dentists and a hygienist by the river, two minutes from the station.",
        "phone": "+1 202 555 0145",
        "email": "desk@riverside-dental.example",
        "address1": "3 Quay Street",
        "postalcode": "20005",
        "city": "Springfield",
        "featureimage": WAITING_ROOM,
    },
    static_values={"hero": {"text": "Make an appointment", "url": "visit"}},
    pages=[
        SamplePage("home", "Home", [
            heading("How we can help"),
            columns(
                [heading("Check-ups", 3), text("<p>Twice a year, and a clear word about what can wait.</p>")],
                [heading("Children", 3), text("<p>A first visit just to count teeth and choose a sticker.</p>")],
                [heading("Pain today", 3), text("<p>Call before ten. We keep two places free every morning.</p>")],
            ),
            heading("When we are here"),
            columns(
                [text("<table><tr><th>Mon to Thu</th><td>8 – 18</td></tr><tr><th>Friday</th><td>8 – 13</td></tr>"
                      "<tr><th>Saturday</th><td>by arrangement</td></tr></table>"),
                 button("Make an appointment", "visit"), button("How to find us", "visit", "secondary")],
                [image(COAST, "The river by the practice")],
                gap="large",
            ),
            heading("What patients say"),
            text("<blockquote><p>The first time that I was not afraid. They told me what they would do, and then did"
                 " exactly that.</p></blockquote>"),
        ]),
        SamplePage("treatments", "Treatments", [text("<h2>Prevention</h2><p>Most of what we do.</p>")]),
        SamplePage("team", "Team", [text("<p>Four people who like teeth.</p>")]),
        SamplePage("visit", "Visit us", [SampleWidget("map", {}), form(title="Ask for an appointment")]),
    ],
)  # fmt: skip

TOOLBOX = Sample(
    directory="toolbox",
    profile={
        "business": "Oakes & Daughter",
        "headline": "Kitchens, stairs and doors that stay straight",
        "strapline": "Joiners since 1974. We measure ourselves, build in our own joinery and clean up when we leave.",
        "companydescription": "A master joiner, four hands and an apprentice in the old tram depot.",
        "phone": "+1 202 555 0166",
        "email": "bench@oakes.example",
        "address1": "The Tram Depot, 40 Station Road",
        "postalcode": "20009",
        "city": "Springfield",
        "featureimage": BENCH,
    },
    static_values={"hero": {"text": "Get an estimate", "url": "contact"}},
    pages=[
        SamplePage("home", "Home", [
            heading("What we build"),
            columns(
                [heading("Kitchens", 3), text("<p>Solid fronts, drawers that close, worktops oiled by hand.</p>")],
                [heading("Stairs", 3), text("<p>New ones, and old ones that stop creaking.</p>")],
                [heading("Doors and windows", 3), text("<p>Listed buildings included. We know the forms.</p>")],
            ),
            heading("From the joinery"),
            gallery(3, (WORKTOP, "A plane on a worktop", "Worktop, ash"), (BENCH, "The workbench", "Bench, beech"),
                    (BEDROOM, "A finished room", "Built-in bed, oak")),
            heading("What it costs"),
            text("<table><tr><th>Measuring</th><td>free</td></tr><tr><th>Joiner, per hour</th><td>68.00</td></tr>"
                 "<tr><th>Fitting, per day</th><td>980.00</td></tr></table>"),
            button("Get an estimate", "contact"), button("See our work", "work", "secondary"),
        ]),
        SamplePage("work", "Our work", [gallery(2, (BENCH, "Bench", ""), (WORKTOP, "Worktop", ""))]),
        SamplePage("contact", "Contact", [form(title="What shall we build?"), SampleWidget("map", {})]),
    ],
)  # fmt: skip

CLUBHOUSE = Sample(
    directory="clubhouse",
    profile={
        "business": "Springfield Rowing and Ball Club",
        "headline": "Saturday is match day",
        "strapline": "Eleven teams, two boats and a kitchen that feeds everybody. Come along and try a session.",
        "companydescription": "A club for the whole town since 1921. The first month costs nothing.",
        "email": "hello@srbc.example",
        "address1": "River Field, Boathouse Way",
        "city": "Springfield",
        "featureimage": TEAM,
        "photos": "https://photos.example/srbc",
    },
    static_values={
        "hero": {"text": "Join a session", "url": "join"},
        "announcement": {"text": "Summer party on 12 July: bring a cake", "url": "dates"},
    },
    pages=[
        SamplePage("home", "Home", [
            heading("Next dates"),
            columns(
                [heading("Sat 5 July", 3), text("<p>Home match against Shelbyville. Kick-off at three.</p>")],
                [heading("Tue 8 July", 3), text("<p>Beginners in the boats, all ages. Six o’clock at the jetty.</p>")],
                [heading("Sat 12 July", 3), text("<p>Summer party with a tombola and far too many cakes.</p>")],
            ),
            heading("Training"),
            text("<table><tr><th>Mon</th><td>Under tens</td><td>16:30</td></tr><tr><th>Wednesday</th><td>Women</td>"
                 "<td>19:00</td></tr><tr><th>Thu</th><td>Everybody who runs</td><td>18:30</td></tr></table>"),
            heading("Last season in pictures"),
            gallery(2, (CHEER, "Supporters", "Promotion, at last"), (TEAM, "Seven players", "The first team")),
        ]),
        SamplePage("dates", "Dates", [text("<p>All of them, every week.</p>")]),
        SamplePage("teams", "Teams", [text("<p>Eleven.</p>")]),
        SamplePage("join", "Join", [form(title="Try a session")]),
    ],
)  # fmt: skip

GUEST_HOUSE = Sample(
    directory="guest-house",
    profile={
        "business": "The Lantern House",
        "headline": "Seven rooms by a quiet bay",
        "strapline": "A small guest house with its own jetty. Breakfast until eleven, books in every room.",
        "companydescription": "Open from March to November. We answer every letter ourselves.",
        "phone": "+1 202 555 0188",
        "email": "stay@lanternhouse.example",
        "address1": "2 Harbour Steps",
        "city": "Sandy Point",
        "featureimage": COAST,
        "photos": "https://photos.example/lanternhouse",
    },
    static_values={"hero": {"text": "Ask for a room", "url": "stay"}},
    pages=[
        SamplePage("home", "Home", [
            heading("Rooms", align="center"),
            gallery(3, (BEDROOM, "A room", "East room, from 95"), (MEADOW, "The garden", "Garden room, from 110"),
                    (PARLOUR, "The parlour", "Parlour suite, from 140")),
            heading("Days here"),
            columns(
                [text("<p>Swim before breakfast, or do not. Walk to the lighthouse, borrow a bicycle, or sit under"
                      " the fig tree with the paper. In the evening there is soup, and a fire if the wind is up.</p>"),
                 button("Ask for a room", "stay"), button("How to get here", "visit", "secondary")],
                [image(DUSK, "Evening over the bay", "From the terrace, any evening")],
                gap="large",
            ),
            heading("Guests write"),
            text("<blockquote><p>We came for two nights and stayed for nine.</p></blockquote>"),
        ]),
        SamplePage("rooms", "Rooms", [text("<p>Seven, each with a view of the water or of the garden.</p>")]),
        SamplePage("stay", "Stay", [form(title="Ask for a room")]),
        SamplePage("visit", "Getting here", [SampleWidget("map", {})]),
    ],
)  # fmt: skip

MORE = (HORIZON, PRACTICE, TOOLBOX, CLUBHOUSE, GUEST_HOUSE)
