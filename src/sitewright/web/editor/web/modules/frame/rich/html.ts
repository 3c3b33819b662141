// Rich text as HTML: from the page, and as it is stored.

import { DOMParser as RichParser, DOMSerializer } from "prosemirror-model";
import type { Fragment } from "prosemirror-model";
import { schema } from "./schema";
import type { Doc } from "./schema";

const serializer = DOMSerializer.fromSchema(schema);

export function parseRich(element: Element): Doc {
  return RichParser.fromSchema(schema).parse(element);
}

/** As it is shown: pictures have their addresses, and say what the text calls them. */
export function shownHtml(doc: Doc): string {
  const box = serialized(doc.content);
  eachImage(doc, box, (image, node) => {
    if (node.attrs.display !== null) image.setAttribute("data-source", node.attrs.src as string);
  });
  return box.innerHTML;
}

/** As it is stored: list items of one line are without paragraphs, and an empty text is empty. */
export function storedHtml(doc: Doc): string {
  const box = serialized(doc.content);
  eachImage(doc, box, (image, node) => {
    image.setAttribute("src", node.attrs.src as string);
    image.setAttribute("loading", "lazy");
  });
  for (const item of box.querySelectorAll("li")) {
    const [first, ...others] = item.children;
    if (first?.matches("p:not([class])") && others.every((each) => each.matches("ul, ol"))) first.replaceWith(...first.childNodes);
  }
  for (const end of box.querySelectorAll(":scope > p:last-child:empty")) end.remove();
  return box.textContent?.trim() === "" && box.querySelector("img, hr, table") === null ? "" : box.innerHTML;
}

function serialized(content: Fragment): HTMLElement {
  // In a document of its own: nothing is loaded.
  const inert = document.implementation.createHTMLDocument("");
  inert.body.append(serializer.serializeFragment(content, { document: inert }));
  return inert.body;
}

function eachImage(doc: Doc, box: HTMLElement, apply: (image: Element, node: Doc) => void): void {
  const nodes: Doc[] = [];
  doc.descendants((node) => {
    if (node.type === schema.nodes.image) nodes.push(node);
  });
  const images = [...box.querySelectorAll("img")].filter((each) => each.closest("table, dl, figure") === null);
  images.forEach((image, at) => {
    const node = nodes[at];
    if (node !== undefined) apply(image, node);
  });
}
