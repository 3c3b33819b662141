// Pictures that are dropped onto the page or pasted: the page around uploads them.

import { sendToPage } from "../protocol";
import type { Chrome } from "./chrome";
import { placeAt } from "./places";
import { placeOf, widgetAround, widgetRef, widgetsIn } from "./page";
import { session } from "./session";

const MAX_FILES = 100;
const MAIN = "page-zones__main";

export function picturesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter((each) => each.type.startsWith("image/")).slice(0, MAX_FILES);
}

export function listenToFiles(chrome: Chrome): void {
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (session.isActive) chrome.showMarker(placeAt(event.clientX, event.clientY, null)?.marker ?? null);
  });
  document.addEventListener("dragleave", () => chrome.showMarker(null));
  document.addEventListener("drop", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault(); // never opens the file in the frame
    chrome.showMarker(null);
    const files = [...(event.dataTransfer?.files ?? [])].slice(0, MAX_FILES); // the page says of each why it is refused
    if (files.length === 0 || !session.isActive) return;
    const widget = widgetAround(event.target);
    const found = placeAt(event.clientX, event.clientY, null);
    const isPicture = widget !== null && ["image", "gallery", "slideshow"].includes(widget.getAttribute("data-type") ?? "");
    const ref = isPicture ? widgetRef(widget) : null;
    sendToPage({ type: "files", files, widgetRef: ref, parentId: found?.parentId ?? MAIN, position: found?.position ?? 0 });
  });
  document.addEventListener("paste", (event) => {
    const files = picturesOf(event.clipboardData);
    if (event.defaultPrevented || session.editing !== null || files.length === 0 || !session.isActive) return;
    event.preventDefault();
    const widget = session.widget;
    const place = widget === null ? { parentId: MAIN, position: widgetsIn(MAIN).length } : placeOf(widget);
    sendToPage({ type: "files", files, widgetRef: widget === null ? null : widgetRef(widget), ...place });
  });
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}
