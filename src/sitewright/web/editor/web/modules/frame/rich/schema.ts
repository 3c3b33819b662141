// The schema of rich text: what the server's sanitizer allows, and nothing else. What cannot be edited here (tables,
// definition lists, figures) is kept as it is. Serialized text passes the sanitizer unchanged (a test compares).

import { Schema } from "prosemirror-model";
import type { Attrs, DOMOutputSpec, Mark, MarkSpec, Node as RichNode, NodeSpec, TagParseRule } from "prosemirror-model";

const COMMON = ["lang", "dir", "title"] as const;
const ALIGNED = ["center", "end"];
const commonAttrs = Object.fromEntries(COMMON.map((name) => [name, { default: null }]));
const blockAttrs = { ...commonAttrs, align: { default: null } };

function common(element: HTMLElement): Attrs {
  return Object.fromEntries(COMMON.map((name) => [name, element.getAttribute(name)]));
}

function blockOf(element: HTMLElement): Attrs {
  const styled = element.style.textAlign || element.getAttribute("align") || "";
  const align = ALIGNED.find((each) => element.classList.contains(each)) ?? { center: "center", right: "end", end: "end" }[styled];
  return { ...common(element), align: align ?? null };
}

/** Attributes that have a value; `align` is a class. */
function output(attrs: Attrs, extra: Record<string, string | null> = {}): Record<string, string> {
  const { align, lang, dir, title } = attrs as Record<string, string | null>;
  const all = { class: align ?? null, lang: lang ?? null, dir: dir ?? null, title: title ?? null, ...extra };
  return Object.fromEntries(Object.entries(all).filter((each): each is [string, string] => each[1] !== null));
}

function block(tag: string, content: string, more: Partial<NodeSpec> = {}): NodeSpec {
  return {
    group: "block",
    content,
    attrs: blockAttrs,
    parseDOM: [{ tag, getAttrs: blockOf }],
    toDOM: (node): DOMOutputSpec => [tag, output(node.attrs), 0],
    ...more,
  };
}

const heading: NodeSpec = block("h2", "inline*", {
  defining: true,
  attrs: { ...blockAttrs, level: { default: 2 } },
  // The page has its one heading of level 1, so the sanitizer makes it one of level 2.
  parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({
    tag: `h${level}`,
    getAttrs: (element: HTMLElement): Attrs => ({ ...blockOf(element), level: Math.max(2, level) }),
  })),
  toDOM: (node): DOMOutputSpec => [`h${node.attrs.level as number}`, output(node.attrs), 0],
});

const orderedList: NodeSpec = {
  group: "block",
  content: "list_item+",
  attrs: { ...commonAttrs, start: { default: null }, type: { default: null } },
  parseDOM: [
    {
      tag: "ol",
      getAttrs: (element): Attrs => ({
        ...common(element),
        start: /^[0-9]{1,4}$/.test(element.getAttribute("start") ?? "") ? element.getAttribute("start") : null,
        type: /^[1aAiI]$/.test(element.getAttribute("type") ?? "") ? element.getAttribute("type") : null,
      }),
    },
  ],
  toDOM: (node): DOMOutputSpec => ["ol", output(node.attrs, { start: node.attrs.start, type: node.attrs.type }), 0],
};

/** `src` is what the text names (`media:5`, or an address), `display` what the browser loads. */
const image: NodeSpec = {
  group: "inline",
  inline: true,
  draggable: true,
  attrs: { src: {}, display: { default: null }, alt: { default: "" }, title: { default: null }, width: { default: null }, height: { default: null } },
  parseDOM: [{ tag: "picture", skip: true }, { tag: "img", getAttrs: imageAttrs }],
  toDOM: (node): DOMOutputSpec => {
    const { src, display, alt, title, width, height } = node.attrs as Record<string, string | null>;
    const size = { width: width ?? null, height: height ?? null };
    return ["img", output({}, { src: display ?? src ?? "", alt: alt ?? "", title: title ?? null, ...size })];
  },
};

function imageAttrs(element: HTMLElement): Attrs | false {
  const source = element.getAttribute("data-source");
  const src = source ?? element.getAttribute("src") ?? "";
  if (!/^(?:media:[1-9][0-9]*$|https?:\/\/|\/(?!\/))/.test(src)) return false;
  const size = (name: string): string | null =>
    source === null && /^[0-9]{1,4}$/.test(element.getAttribute(name) ?? "") ? element.getAttribute(name) : null;
  const alt = element.getAttribute("alt") ?? "";
  const display = source === null ? null : element.getAttribute("src");
  return { src, display, alt, title: element.getAttribute("title"), width: size("width"), height: size("height") };
}

/** Kept as it is, and shown, but not edited in place. */
const kept: NodeSpec = {
  group: "block",
  atom: true,
  attrs: { html: {} },
  parseDOM: ["table", "dl", "figure"].map((tag): TagParseRule => ({
    tag,
    getAttrs: (element) => (element.closest("[data-pasted]") === null ? { html: element.outerHTML } : false),
  })),
  toDOM: (node): DOMOutputSpec => {
    const box = document.createElement("template");
    box.innerHTML = node.attrs.html as string;
    return (box.content.firstElementChild as HTMLElement | null) ?? document.createElement("p");
  },
};

function inline(tag: string, parse: TagParseRule[], more: Partial<MarkSpec> = {}): MarkSpec {
  return { parseDOM: [{ tag }, ...parse], toDOM: (): DOMOutputSpec => [tag, 0], ...more };
}

/** Other inline elements that the sanitizer allows. */
const PHRASES = ["abbr", "cite", "del", "ins", "kbd", "mark", "q", "small", "span", "time", "u"];
const phrase: MarkSpec = {
  attrs: { tag: {}, datetime: { default: null }, ...commonAttrs },
  excludes: "",
  parseDOM: PHRASES.map((tag) => ({
    tag,
    getAttrs: (element: HTMLElement): Attrs | false => {
      const attrs = { tag, datetime: tag === "time" ? element.getAttribute("datetime") : null, ...common(element) };
      const isEmpty = tag === "span" && COMMON.every((name) => !element.hasAttribute(name));
      return isEmpty || element.closest("[data-pasted]") !== null ? false : attrs;
    },
  })),
  toDOM: (mark): DOMOutputSpec => [mark.attrs.tag as string, output(mark.attrs, { datetime: mark.attrs.datetime }), 0],
};

const link: MarkSpec = {
  attrs: { href: {}, target: { default: null }, title: { default: null } },
  inclusive: false,
  parseDOM: [
    {
      tag: "a[href]",
      getAttrs: (element): Attrs | false => {
        const href = safeHref(element.getAttribute("href") ?? "");
        const target = element.getAttribute("target") === "_blank" ? "_blank" : null;
        return href === "" ? false : { href, target, title: element.getAttribute("title") };
      },
    },
  ],
  toDOM: (mark: Mark): DOMOutputSpec => {
    const { href, target, title } = mark.attrs as Record<string, string | null>;
    return ["a", output({}, { href: href ?? "", target: target ?? null, title: title ?? null, rel: "noopener" }), 0];
  },
};

/** An address as the server's `safe_url` makes it; empty where it allows none. */
export function safeHref(text: string): string {
  const url = text.trim().replaceAll(" ", "%20");
  // eslint-disable-next-line no-control-regex
  if (url === "" || /[\u0000-\u001f\u007f\u2028\u2029]/.test(url)) return "";
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase();
  if (scheme !== undefined) return ["http", "https", "mailto", "tel"].includes(scheme) ? url : "";
  if (/^www\./i.test(url)) return `https://${url}`;
  return /^[/#?]/.test(url) ? url : `/${url.replace(/^\.\//, "")}`;
}

const isBold = (value: string | Node): false | null => (/^(?:bold(?:er)?|[6-9]\d{2})$/.test(value as string) ? null : false);

export const schema = new Schema({
  nodes: {
    doc: { content: "block+" },
    paragraph: block("p", "inline*"),
    blockquote: block("blockquote", "block+", { defining: true }),
    heading,
    code_block: block("pre", "text*", { marks: "", code: true, defining: true, whitespace: "pre" }),
    bullet_list: block("ul", "list_item+", { attrs: commonAttrs, parseDOM: [{ tag: "ul", getAttrs: common }] }),
    ordered_list: orderedList,
    list_item: { content: "paragraph block*", defining: true, parseDOM: [{ tag: "li" }], toDOM: () => ["li", 0] },
    horizontal_rule: { group: "block", parseDOM: [{ tag: "hr" }], toDOM: () => ["hr"] },
    kept,
    text: { group: "inline" },
    image,
    hard_break: { group: "inline", inline: true, selectable: false, parseDOM: [{ tag: "br" }], toDOM: () => ["br"] },
  },
  marks: {
    link,
    strong: inline("strong", [
      // Google Docs wraps everything it copies in a <b> that is not bold.
      { tag: "b", getAttrs: (element) => (element.style.fontWeight === "normal" ? false : null) },
      { style: "font-weight", getAttrs: isBold } as unknown as TagParseRule,
    ]),
    em: inline("em", [{ tag: "i" }, { style: "font-style=italic" } as unknown as TagParseRule]),
    s: inline("s", [{ tag: "strike" }]),
    sub: inline("sub", []),
    sup: inline("sup", []),
    code: inline("code", [], { code: true }),
    phrase,
  },
});

export type Doc = RichNode;
