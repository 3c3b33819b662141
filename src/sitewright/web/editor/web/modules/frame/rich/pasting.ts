// Cleans HTML that was copied from Word and from web pages, before the schema drops what it does not know.

const BULLET = /^(?:[\u00b7\u2022\u25aa\u25cf\u25e6o§-]|\uf0b7|\uf0a7)\s*/;
const NUMBER = /^(?:\(?[0-9]{1,3}|\(?[a-zA-Z]|\(?[ivxIVX]{1,5})[.)]\s*/;

export function cleanPasted(html: string): string {
  // A document of its own: nothing is loaded and nothing runs.
  const pasted = new DOMParser().parseFromString(html, "text/html");
  const { body } = pasted;
  body.setAttribute("data-pasted", "");
  removeComments(pasted, body);
  for (const each of body.querySelectorAll("script, style, meta, link, title, xml, template, iframe, object, button, input, select, textarea")) {
    each.remove();
  }
  for (const each of body.querySelectorAll<HTMLElement>("[style]")) {
    if (/mso-list:\s*ignore|display:\s*none/i.test(each.getAttribute("style") ?? "")) each.remove();
  }
  for (const each of [...body.querySelectorAll("*")]) if (each.localName.includes(":")) each.replaceWith(...each.childNodes);
  for (const each of body.querySelectorAll("*")) {
    for (const { name } of [...each.attributes]) if (/^on/i.test(name)) each.removeAttribute(name);
  }
  wordLists(pasted);
  removeEmptyParagraphs(body);
  return `<div data-pasted="">${body.innerHTML}</div>`;
}

function removeComments(pasted: Document, body: HTMLElement): void {
  const walker = pasted.createTreeWalker(body, NodeFilter.SHOW_COMMENT);
  const comments: Node[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode);
  for (const comment of comments) comment.parentNode?.removeChild(comment);
}

/** Word has no lists in its HTML: paragraphs with a level, whose sign was removed above or is their first letter. */
function wordLists(pasted: Document): void {
  let list: { element: Element; level: number }[] = [];
  for (const paragraph of [...pasted.body.querySelectorAll<HTMLElement>("p")]) {
    const level = levelOf(paragraph);
    if (level === null) {
      list = [];
      continue;
    }
    if (list[0] !== undefined && paragraph.previousElementSibling !== list[0].element) list = [];
    while (list.length > 0 && (list.at(-1)?.level ?? 0) > level) list.pop();
    const item = pasted.createElement("li");
    const isNumbered = NUMBER.test(paragraph.textContent ?? "");
    let current = list.at(-1);
    if (current === undefined || current.level < level) {
      const element = pasted.createElement(isNumbered ? "ol" : "ul");
      if (current === undefined) paragraph.before(element);
      else (current.element.lastElementChild ?? current.element).append(element);
      current = { element, level };
      list.push(current);
    }
    removeSign(paragraph);
    item.append(...paragraph.childNodes);
    current.element.append(item);
    paragraph.remove();
  }
}

function levelOf(paragraph: HTMLElement): number | null {
  const style = paragraph.getAttribute("style") ?? "";
  const level = /mso-list:[^;]*level([0-9])/i.exec(style)?.[1];
  if (level !== undefined) return Number(level);
  return /MsoListParagraph/.test(paragraph.className) ? 1 : null;
}

function removeSign(paragraph: HTMLElement): void {
  const walker = paragraph.ownerDocument.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const trimmed = (text.textContent ?? "").replace(/^[\s\u00a0]+/, "");
    if (trimmed === "") continue;
    text.textContent = trimmed.replace(BULLET, "").replace(NUMBER, "").replace(/^[\s\u00a0]+/, "");
    if (text.textContent !== "") return;
  }
}

/** Empty lines between paragraphs are the template's business. */
function removeEmptyParagraphs(body: HTMLElement): void {
  for (const each of body.querySelectorAll("p, div, h1, h2, h3, h4, h5, h6")) {
    const isEmpty = (each.textContent ?? "").replace(/[\s\u00a0]/g, "") === "" && each.querySelector("img, br, hr, table") === null;
    if (isEmpty) each.remove();
  }
}
