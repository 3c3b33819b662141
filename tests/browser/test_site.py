"""A published site in the browser, created over the API and opened on its own host name."""

from functools import partial
from itertools import pairwise

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window
from tests.support.customers import MAIN_ZONE, Customer, make_customer
from tests.support.eventually import eventually
from tests.support.packages import PRO, STARTER
from tests.support.sample_sites import SAMPLES

pytestmark = pytest.mark.system
TEMPLATES = {"coffee-house": 1, "atelier": 2, "corner-shop": 3, "consult": 4}
HOST = "bread.example"
HOME = f"http://{HOST}/"


@pytest.fixture(scope="session")
async def bakery(client: httpx.AsyncClient) -> Customer:
    """A site with three pages, published."""
    customer = await make_customer(client, 1, HOST, package_ref=STARTER, templateRef=TEMPLATES["coffee-house"])
    await customer.update_profile(
        business="The Bread Oven", headline="Bread from five in the morning", phone="+1 202 555 0114"
    )
    home = await customer.add_page("home", "Home")
    await customer.add_widget(home, "content", "hours", content="<p>Open until <b>noon</b></p>")
    await customer.add_widget(home, "columns", "pair", columns="2")
    for number, words in enumerate(("Rye", "Spelt")):
        await customer.add_widget(home, "heading", "name", f"{MAIN_ZONE}__pair__{number}", text=words)
    loaves = await customer.add_page("loaves", "Our loaves")
    await customer.add_widget(loaves, "content", "text", content="<p>A white one on Fridays</p>")
    await customer.add_page("find-us", "Find us")
    await customer.publish()
    return customer


async def test_text_and_styling(bakery: Customer, visitor: Window) -> None:
    await visitor.open(HOME)
    assert "The Bread Oven" in await visitor.page.title()
    for words in ("Bread from five in the morning", "Open until noon", "+1 202 555 0114"):
        await visitor.sees(words)
    await visitor.expect_design("coffee-house")
    assert await visitor.style("b", "font-weight") == "700"
    [headline] = await visitor.boxes("h1")
    assert headline.y + headline.height < 600  # nobody scrolls for it
    await visitor.expect_a_page_that_fits()
    assert visitor.hosts == {HOST}


async def test_columns_stand_side_by_side_where_there_is_room(bakery: Customer, visitor: Window) -> None:
    await visitor.open(HOME)
    rye, spelt = await visitor.boxes(".column")
    assert rye.is_above(spelt) if visitor.is_phone else rye.is_beside(spelt)


async def test_navigation(bakery: Customer, visitor: Window) -> None:
    """In a line on a desktop screen, behind a button on a phone."""
    await visitor.open(HOME)
    if visitor.is_phone:
        assert await visitor.boxes("nav a") == []
        await visitor.button("Menu").tap()
    boxes = await visitor.boxes("nav a")
    assert len(boxes) == 3
    for one, following in pairwise(boxes):
        assert one.is_above(following) if visitor.is_phone else one.is_beside(following)
    await visitor.link("Our loaves", "nav").click()
    await visitor.sees("A white one on Fridays")
    assert visitor.page.url == f"{HOME}loaves"
    assert await visitor.page.locator("nav [aria-current]").text_content() == "Our loaves"
    await visitor.link("The Bread Oven", "header").click()
    await visitor.sees("Open until noon")
    assert (visitor.page.url, visitor.hosts) == (HOME, {HOST})


async def test_the_404_page_has_the_sites_design(bakery: Customer, visitor: Window) -> None:
    await visitor.open(f"{HOME}cakes", status=404)
    await visitor.sees("Page not found")
    await visitor.expect_design("coffee-house")
    await visitor.link("Go to the home page").click()
    await visitor.sees("Open until noon")


async def reloaded_without(visitor: Window, text: str) -> bool:
    await visitor.page.reload()
    return await visitor.page.get_by_text(text).count() == 0


async def test_an_edit_shows_once_it_is_published(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "edits.example")
    page = await customer.add_page("home", "Home")
    widget = await customer.add_widget(page, "content", "text", content="<p>Open on Mondays</p>")
    await customer.publish()
    visitor = await window()
    await visitor.open("http://edits.example/")
    await visitor.sees("Open on Mondays")
    await customer.set_values(widget, content="<p>Open every day</p>")
    await visitor.page.reload()
    await visitor.sees("Open on Mondays")
    assert await customer.publish() == 2
    await eventually(partial(reloaded_without, visitor, "Open on Mondays"))
    await visitor.sees("Open every day")


async def test_the_sites_own_scripts_run(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "scripts.example")
    page = await customer.add_page("home", "Home")
    script = "<b id=said></b><script>document.getElementById('said').textContent = location.host</script>"
    await customer.add_widget(page, "html", "own", html=script)
    await customer.add_widget(page, "content", "text", content=f"<p>Not here: {script.replace('said', 'no')}</p>")
    await customer.publish()
    visitor = await window()
    await visitor.open("http://scripts.example/")
    await visitor.sees("scripts.example")
    assert await visitor.page.locator("#said").inner_text() == "scripts.example"
    assert await visitor.page.locator("p", has_text="Not here:").inner_text() == "Not here:"


@pytest.mark.parametrize("directory", list(TEMPLATES))
async def test_every_page_of_every_template_fits_every_screen(
    client: httpx.AsyncClient, window: OpenWindow, directory: str
) -> None:
    sample, host = SAMPLES[directory], f"{directory}.example"
    customer = await make_customer(client, 1, host, package_ref=PRO, templateRef=TEMPLATES[directory])
    await sample.fill(client, customer.user_ref, customer.site)
    await customer.publish()
    for visitor in (await window("desktop"), await window("phone")):
        for page in sample.pages:
            await visitor.open(f"http://{host}/{page.url if page.url != 'home' else ''}")
            await visitor.expect_a_page_that_fits()
            await visitor.expect_design(directory)
            assert await visitor.page.locator("h1").count() == 1
        assert visitor.hosts == {host}
