/** Builds elements without parsing HTML: texts of users stay texts. */
export type Child = Node | string | null | undefined | false;
type Listener = (event: Event) => void;
export type Attributes = Record<string, string | number | boolean | null | undefined | Listener>;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...present(children));
  return element;
}

export function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((each): each is Node | string => each !== null && each !== undefined && each !== false);
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of the page's sprite. */
export function icon(name: string): SVGElement {
  return drawing("icon", `icon-${name}`);
}

/** The drawing of a block or a section. */
export function picture(kind: "block" | "section", name: string): SVGElement {
  const found = drawing("choice-drawing", `${kind}-${name}`);
  found.setAttribute("viewBox", "0 0 96 64");
  return found;
}

function drawing(className: string, id: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${id}`);
  svg.append(use);
  return svg;
}

export function button(label: string, kind: string, onclick: () => void, sign?: string): HTMLButtonElement {
  return h("button", { type: "button", class: `button ${kind}`, onclick }, sign ? icon(sign) : null, label);
}

/** A button that shows only an icon; `label` is its name for everybody else. */
export function iconButton(label: string, sign: string, onclick: () => void, disabled = false): HTMLButtonElement {
  const attributes = { type: "button", class: "icon-button", "aria-label": label, title: label, disabled, onclick };
  return h("button", attributes, icon(sign));
}

let lastId = 0;

export function newId(prefix: string): string {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** A field as the design system draws it: label, hint, control. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  control.id ||= newId("field");
  const hintId = `${control.id}-hint`;
  if (hint) control.setAttribute("aria-describedby", hintId);
  return h(
    "div",
    { class: "field" },
    h("label", { for: control.id }, label),
    hint ? h("p", { class: "field-hint", id: hintId }, hint) : null,
    control,
  );
}

export function input(value: string, oninput: (value: string) => void, more: Attributes = {}): HTMLInputElement {
  const control = h("input", { class: "input", type: "text", ...more });
  control.value = value;
  control.addEventListener("input", () => oninput(control.value));
  return control;
}

export function textarea(value: string, oninput: (value: string) => void, more: Attributes = {}): HTMLTextAreaElement {
  const control = h("textarea", { class: "input", ...more });
  control.value = value;
  control.addEventListener("input", () => oninput(control.value));
  return control;
}

export function select(
  value: string,
  options: readonly (readonly [string, string])[],
  onchange: (value: string) => void,
): HTMLSelectElement {
  const control = h("select", { class: "input" }, ...options.map(([key, label]) => h("option", { value: key }, label)));
  control.value = value;
  control.addEventListener("change", () => onchange(control.value));
  return control;
}

export function checkbox(label: string, checked: boolean, onchange: (checked: boolean) => void): HTMLElement {
  const control = h("input", { type: "checkbox" });
  control.checked = checked;
  control.addEventListener("change", () => onchange(control.checked));
  return h("label", { class: "check" }, control, h("span", {}, label));
}

export function alert(message: string, tone: "bad" | "warn" | "good" | "neutral", ...more: Child[]): HTMLElement {
  const sign = tone === "good" ? "check" : tone === "neutral" ? "info" : "alert";
  return h("div", { class: `alert ${tone}` }, icon(sign), h("div", {}, h("p", {}, message), ...more));
}
