/** The command palette (`/` or Ctrl-K): finds pages of the navigation, and customers and sites on the server. */
const TYPING_MS = 200;
const MAX_PAGES = 8;

interface FoundPage {
  label: string;
  href: string;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

/** Lower case and without accents, so that `resume` finds `Résumé`. */
function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

class Palette {
  private readonly input: HTMLInputElement;
  private readonly list: HTMLUListElement;
  private readonly status: HTMLElement;
  private readonly pages: FoundPage[];
  private timer = 0;
  private asked = 0;
  private current = 0;

  constructor(private readonly dialog: HTMLDialogElement, root: Document) {
    this.input = dialog.querySelector<HTMLInputElement>("[data-palette-input]")!;
    this.list = dialog.querySelector<HTMLUListElement>("[role=listbox]")!;
    this.status = dialog.querySelector<HTMLElement>("[data-palette-status]")!;
    this.pages = [...root.querySelectorAll<HTMLAnchorElement>(".console-nav nav a")].map((link) => ({
      label: link.textContent?.trim() ?? "",
      href: link.pathname,
    }));
    this.input.addEventListener("input", () => this.type());
    this.input.addEventListener("keydown", (event) => this.press(event));
    dialog.querySelector("[data-palette-close]")?.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  open(): void {
    if (this.dialog.open) return;
    this.input.value = "";
    this.show("");
    this.dialog.showModal();
    this.input.focus();
  }

  /** Pages are shown at once; the server is asked when typing pauses. */
  private type(): void {
    const typed = this.input.value.trim();
    this.show("");
    window.clearTimeout(this.timer);
    this.asked += 1;
    if (typed !== "") this.timer = window.setTimeout(() => void this.ask(typed, this.asked), TYPING_MS);
    else this.status.textContent = "";
  }

  private async ask(typed: string, number: number): Promise<void> {
    const response = await fetch(`/console/palette?q=${encodeURIComponent(typed)}`).catch(() => null);
    if (number !== this.asked || response === null) return;
    if (response.redirected) {
      window.location.reload(); // the session has ended: the log-in page leads back
      return;
    }
    this.show(response.ok ? await response.text() : "");
    this.status.textContent = this.options().length === 0 ? (this.status.dataset["none"] ?? "") : "";
  }

  private show(found: string): void {
    const words = folded(this.input.value.trim());
    const shown = this.pages.filter((page) => folded(page.label).includes(words)).slice(0, MAX_PAGES);
    this.list.innerHTML = found; // a page of our own, which escapes what it shows
    this.list.append(...shown.map((page) => this.option(page)));
    this.options().forEach((option, index) => (option.id = `palette-${index}`));
    this.choose(0);
  }

  private option(page: FoundPage): HTMLLIElement {
    const option = document.createElement("li");
    const link = document.createElement("a");
    const kind = document.createElement("span");
    const label = document.createElement("span");
    option.setAttribute("role", "option");
    link.href = page.href;
    link.tabIndex = -1;
    kind.className = "palette-kind";
    kind.textContent = this.list.dataset["page"] ?? "";
    label.textContent = page.label;
    link.append(kind, label);
    option.append(link);
    return option;
  }

  private options(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>("[role=option]")];
  }

  private choose(index: number): void {
    const options = this.options();
    this.current = options.length === 0 ? 0 : (index + options.length) % options.length;
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place === this.current)));
    const chosen = options[this.current];
    if (chosen === undefined) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", chosen.id);
    chosen?.scrollIntoView({ block: "nearest" });
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.choose(this.current + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.options()[this.current]?.querySelector("a")?.click();
    }
  }
}

export function connectPalette(root: Document): void {
  const dialog = root.querySelector<HTMLDialogElement>("[data-palette]");
  const opener = root.querySelector<HTMLButtonElement>("[data-palette-open]");
  if (dialog === null || opener === null) return;
  const palette = new Palette(dialog, root);
  root.querySelector("[data-palette-form]")?.remove();
  opener.hidden = false;
  opener.addEventListener("click", () => palette.open());
  root.addEventListener("keydown", (event) => {
    const isShortcut = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (isShortcut || (event.key === "/" && !isTyping(event.target))) {
      event.preventDefault();
      palette.open();
    }
  });
}
