/** The order of the pages, free addresses, and the way to a larger package. */
import type { Editor } from "./context";
import { h } from "./dom";
import type { Page } from "./model";
import { text } from "./texts";

/** The pages below one, in order. A page whose parent does not exist stands at the top. */
export function pagesBelow(editor: Editor, parent: number): Page[] {
  const refs = new Set(editor.content.pages.map((each) => each.ref));
  return editor.content.pages.filter((each) => (refs.has(each.page.parentId) ? each.page.parentId : 0) === parent);
}

/** How many pages the package lets the site have. */
export function pagesAllowed(editor: Editor): number {
  return editor.allows("restrictPagesOnPublish") ? (editor.start.rules["pagesLimited"] ?? 0) : Infinity;
}

export function packageLink(): HTMLElement {
  return h("p", {}, h("a", { href: "/account/package" }, text("to_package")));
}

/** An address made of the title's letters and digits that no other page has. */
export function freeAddress(editor: Editor, title: string): string {
  const plain = title.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "page";
  const taken = new Set(editor.content.pages.map((each) => each.page.request.toLowerCase()));
  let name = slug;
  for (let number = 2; taken.has(name) || name === "home"; number += 1) name = `${slug}-${number}`;
  return name;
}
