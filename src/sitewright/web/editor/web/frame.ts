// The editor's script inside the frame: a classic script, because the frame has an opaque origin. It shows nothing and
// changes nothing before the page asks it to start.

import { Chrome } from "./modules/frame/chrome";
import { listenToClicks } from "./modules/frame/clicks";
import { chooseDesign, previewDesign } from "./modules/frame/design";
import { listenToDragging } from "./modules/frame/dragging";
import { listenToFiles } from "./modules/frame/files";
import { listenToKeys, show } from "./modules/frame/keyboard";
import { render, waitForClicks } from "./modules/frame/morphing";
import { findWidget, showContained } from "./modules/frame/page";
import { RichEditing } from "./modules/frame/rich/editor";
import { session } from "./modules/frame/session";
import { editNamed, showToolbarsOn } from "./modules/frame/starting";
import { uncover } from "./modules/frame/uncovering";
import { messageToFrame, sendToPage } from "./modules/protocol";
import type { ToFrame } from "./modules/protocol";

const HELLO_MS = 300;
let chrome: Chrome | null = null;

function start(message: Extract<ToFrame, { type: "start" }>): void {
  session.texts = message.texts;
  session.canEdit = message.canEdit;
  session.rich = message.rich;
  if (chrome === null) {
    chrome = new Chrome();
    showToolbarsOn(chrome);
    listenToClicks(chrome);
    listenToDragging(chrome);
    listenToFiles(chrome);
    listenToKeys(chrome);
    waitForClicks();
  }
  session.changed();
  sendToPage({ type: "ready" });
}

/** Again until the page asks to start: it may not be listening yet. */
function sayHello(): void {
  if (chrome !== null) return;
  sendToPage({ type: "hello" });
  setTimeout(sayHello, HELLO_MS);
}

/** A new block may be in a rendering that waits until typing ends. */
function select(ref: number | null): void {
  if (findWidget(ref) === null) session.editing?.end();
  const widget = findWidget(ref);
  if (widget === null) session.select(null);
  else show(widget);
}

function leave(): void {
  session.editing?.end();
  sendToPage({ type: "left" });
}

function setMode(isEditing: boolean): void {
  session.editing?.end();
  session.isPreview = !isEditing;
  session.changed();
}

function richOf(ref: number): RichEditing | null {
  const { editing } = session;
  return editing instanceof RichEditing && editing.widgetRef === ref ? editing : null;
}

function receive(message: ToFrame): void {
  if (message.type === "start") return start(message);
  if (chrome === null) return;
  const widget = "widgetRef" in message ? findWidget(message.widgetRef) : null;
  switch (message.type) {
    case "render":
      return render(message.html, message.keep);
    case "select":
      return select(message.widgetRef);
    case "focus":
      return widget === null ? undefined : editNamed(widget, message.name, message.all);
    case "leave":
      return leave();
    case "insertImage":
      return richOf(message.widgetRef)?.insertImage(message.src, message.alt, message.display);
    case "insertLink":
      return richOf(message.widgetRef)?.insertLink(message.href);
    case "design":
      return (message.chosen ? chooseDesign : previewDesign)({ colors: message.colors, fonts: message.fonts });
    case "uncover":
      return uncover(message.widgetRef, message.covered);
    case "mode":
      return setMode(message.editing);
  }
}

addEventListener("message", (event) => {
  const message = messageToFrame(event);
  if (message !== null) receive(message);
});
showContained(document);
sayHello();
