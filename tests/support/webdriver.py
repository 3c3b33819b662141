"""The commands of W3C WebDriver: over HTTP to WebKitGTK's driver, and over a socket to Firefox (Marionette)."""

import asyncio
import json
from typing import Any, Protocol

import httpx

from tests.support.eventually import eventually
from tests.support.http_clients import http_client

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which the protocol names an element."""
PATHS = {
    "Navigate": "url",
    "FindElement": "element",
    "ElementClick": "element/{id}/click",
    "SwitchToFrame": "frame",
    "ExecuteScript": "execute/sync",
    "PerformActions": "actions",
}
PLACE = """const [element, share] = arguments;
element.scrollIntoView({ block: "center", behavior: "instant" });
const box = element.getBoundingClientRect();
return [box.left + box.width * share, box.top + box.height * share];"""
"""The top left corner of an element in its frame, or its center."""


class WebDriverError(Exception):
    pass


class Driver(Protocol):
    async def command(self, name: str, **parameters: Any) -> Any: ...


class HttpDriver:
    """A session of a driver that listens on a port."""

    def __init__(self, port: int) -> None:
        self._client = http_client(f"http://127.0.0.1:{port}")
        self._session = ""

    async def begin(self, **capabilities: Any) -> None:
        await eventually(self._is_ready)
        made = await self._post("/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._session = made["sessionId"]

    async def command(self, name: str, **parameters: Any) -> Any:
        return await self._post(f"/session/{self._session}/{PATHS[name].format(**parameters)}", parameters)

    async def end(self) -> None:
        if self._session:
            await self._client.delete(f"/session/{self._session}")
        await self._client.aclose()

    async def _is_ready(self) -> bool:
        try:
            return (await self._client.get("/status")).is_success
        except httpx.TransportError:
            return False

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        response = await self._client.post(path, json=body)
        value = response.json()["value"]
        if response.is_error:
            raise WebDriverError(f"{value['error']}: {value['message']}")
        return value


class Marionette:
    """A session of Firefox itself, which has the same commands without HTTP."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._number = 0

    @classmethod
    async def begin(cls, port: int) -> "Marionette":
        driver = cls(*await asyncio.open_connection("127.0.0.1", port))
        await driver._receive()  # what Firefox is
        await driver.command("NewSession")
        return driver

    async def command(self, name: str, **parameters: Any) -> Any:
        self._number += 1
        packet = json.dumps([0, self._number, f"WebDriver:{name}", parameters]).encode()
        self._writer.write(b"%d:%s" % (len(packet), packet))
        _, _, error, result = await self._receive()
        if error is not None:
            raise WebDriverError(f"{error['error']}: {error['message']}")
        return result.get("value", result)

    async def end(self) -> None:
        self._writer.close()

    async def _receive(self) -> Any:
        length = await self._reader.readuntil(b":")
        return json.loads(await self._reader.readexactly(int(length[:-1])))


class DrivenWindow:
    """A window of a browser: finds, clicks and types, and waits for what a user would see."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    async def open(self, url: str) -> None:
        await self.driver.command("Navigate", url=url)

    async def script(self, body: str, *arguments: Any) -> Any:
        return await self.driver.command("ExecuteScript", script=body, args=list(arguments))

    async def find(self, selector: str) -> str:
        """Wait until there is such an element; returns its id."""

        async def find() -> str | None:
            try:
                found = await self.driver.command("FindElement", using="css selector", value=selector)
            except WebDriverError as error:
                if "no such element" in str(error):
                    return None
                raise
            element: str = found[ELEMENT]
            return element

        found: str = await eventually(find)
        return found

    async def click(self, selector: str) -> None:
        await self.driver.command("ElementClick", id=await self.find(selector))

    async def click_inside(self, frame: str, selector: str) -> None:
        """Click an element in a frame of the page, where it is on the screen."""
        left, top = await self.script(PLACE, {ELEMENT: await self.find(frame)}, 0)
        await self.enter_frame(frame)
        x, y = await self.script(PLACE, {ELEMENT: await self.find(selector)}, 0.5)
        await self.leave_frame()
        move = {"type": "pointerMove", "x": int(left + x), "y": int(top + y), "origin": "viewport"}
        actions = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        await self.driver.command("PerformActions", actions=[mouse])

    async def type(self, text: str) -> None:
        """Press the keys of a text, wherever the focus is."""
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        await self.driver.command("PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": keys}])

    async def enter_frame(self, selector: str) -> None:
        element = {ELEMENT: await self.find(selector)}
        await self.driver.command("SwitchToFrame", id=element)

    async def leave_frame(self) -> None:
        await self.driver.command("SwitchToFrame", id=None)

    async def sees(self, text: str) -> None:
        """Wait until the page, or the frame, shows a text."""
        shown = "return document.body.innerText.includes(arguments[0])"
        await eventually(lambda: self.script(shown, text))
