/** The panel beside the site (on a phone: a sheet below it). It shows one thing at a time. */
import { type Child, present } from "./dom";

/** Whether the panel stands beside the site, and does not cover it. */
export const IS_WIDE = matchMedia("(min-width: 60rem)");

export class Panel {
  private readonly element: HTMLElement;
  private readonly title: HTMLElement;
  private readonly body: HTMLElement;
  private opener: HTMLElement | null = null;
  /** What it shows; null while it is closed. */
  current: string | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly onchange: (name: string | null) => void,
  ) {
    this.element = find(root, "[data-panel]");
    this.title = find(root, "[data-panel-title]");
    this.body = find(root, "[data-panel-body]");
    find(root, "[data-panel-close]").addEventListener("click", () => this.close());
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  /** The block whose form it shows. */
  get blockRef(): number | null {
    return this.current?.startsWith("block:") ? Number(this.current.slice("block:".length)) : null;
  }

  get hasFocus(): boolean {
    return this.body.contains(document.activeElement);
  }

  /** Whether the user works in it, or has left something there that has to be corrected. */
  get isInUse(): boolean {
    return this.hasFocus || this.body.querySelector('[aria-invalid="true"]') !== null;
  }

  /** Show something. The same thing again is updated in place: scroll position, focus and open rows stay. */
  show(name: string, title: string, children: readonly Child[], takeFocus = true): void {
    const isNew = this.current !== name;
    const focused = isNew ? null : focusPath(this.body);
    const open = isNew ? [] : openKeys(this.body);
    if (isNew && document.activeElement instanceof HTMLElement) this.opener = document.activeElement;
    this.current = name;
    this.title.textContent = title;
    this.body.replaceChildren(...present(children));
    for (const each of this.body.querySelectorAll<HTMLDetailsElement>("details[data-open-key]")) {
      if (open.includes(each.dataset["openKey"] ?? "")) each.open = true;
    }
    this.element.hidden = false;
    if (isNew) this.body.scrollTop = 0;
    this.root.dataset["panelOpen"] = name;
    if (isNew && takeFocus) this.element.focus();
    if (focused !== null) restoreFocus(this.body, focused);
    this.onchange(name);
  }

  close(): void {
    if (this.current === null) return;
    this.current = null;
    this.element.hidden = true;
    delete this.root.dataset["panelOpen"];
    if (this.opener?.isConnected) this.opener.focus();
    this.onchange(null);
  }
}

/** The names of the rows that are open. */
function openKeys(body: HTMLElement): string[] {
  const rows = body.querySelectorAll<HTMLDetailsElement>("details[data-open-key][open]");
  return [...rows].map((each) => each.dataset["openKey"] ?? "");
}

/** The label of the focused control, by which it is found again after an update. */
function focusPath(body: HTMLElement): string | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !body.contains(active)) return null;
  return active.dataset["focus"] ?? active.getAttribute("aria-label");
}

function restoreFocus(body: HTMLElement, path: string): void {
  for (const each of body.querySelectorAll<HTMLElement>("button, input, select, textarea, a")) {
    if (each.dataset["focus"] === path || each.getAttribute("aria-label") === path) {
      each.focus();
      return;
    }
  }
}

export function find(root: ParentNode, selector: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`${selector} is missing`);
  return found;
}
