// The toolbar of rich text: at the top of the window, where it covers no heading of the text, in the shadow root of the editor.

import type { Command } from "prosemirror-state";
import { sendToPage } from "../../protocol";
import type { TextName } from "../../protocol";
import { iconButton, moveBar, name } from "../chrome";
import { session } from "../session";
import { align, alignmentOf, isInside, isMarked, linkAt, marks, nodes, redo, setHeading, setLink, setParagraph, toggleBold, toggleItalic, toggleList, toggleQuotation, undo } from "./commands";
import type { RichEditing } from "./editor";
import { safeHref } from "./schema";

const GAP = 12;
const EDGE = 4;
const BLOCKS: readonly [TextName, Command][] = [
  ["paragraph", setParagraph],
  ["heading", setHeading(2)],
  ["subheading", setHeading(3)],
];

export class RichToolbar {
  private readonly bar = document.createElement("div");
  /** A panel that opens beside the page moves the text. */
  private readonly resizes = new ResizeObserver(() => this.place());
  private readonly strip = document.createElement("div");
  private readonly blocks = document.createElement("select");
  private readonly toggles: { button: HTMLButtonElement; isOn: () => boolean }[] = [];
  private readonly linkRow = document.createElement("div");
  private readonly address = document.createElement("input");

  constructor(private readonly editing: RichEditing, root: ShadowRoot) {
    this.bar.className = "bar";
    this.bar.setAttribute("role", "toolbar");
    this.bar.setAttribute("aria-label", session.text("formatting"));
    // A click on a button leaves the selection in the text alone.
    this.bar.addEventListener("pointerdown", (event) => {
      if (!(event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement)) event.preventDefault();
    });
    this.bar.addEventListener("keydown", (event) => this.onKey(event));
    this.strip.className = "strip";
    this.bar.append(this.strip);
    if (session.rich.headings) this.strip.append(this.blockChoice());
    this.addToggles();
    this.bar.append(this.linkForm());
    root.append(this.bar);
    this.resizes.observe(document.body);
    this.resizes.observe(editing.element);
    addEventListener("scroll", this.place);
  }

  contains(node: Node): boolean {
    return node === this.bar.getRootNode() || (this.bar.getRootNode() as ShadowRoot).host === node || this.bar.contains(node);
  }

  update(): void {
    const { state } = this.editing.view;
    for (const { button, isOn } of this.toggles) button.setAttribute("aria-pressed", String(isOn()));
    const level = state.selection.$from.parent.type === nodes.heading ? (state.selection.$from.parent.attrs.level as number) : 0;
    this.blocks.selectedIndex = level === 0 ? 0 : level === 2 ? 1 : 2;
    this.place();
  }

  /** Below the text, or at the bottom of the window, where the line that is typed in is at the top. */
  private readonly place = (): void => {
    const { view, element } = this.editing;
    const [rect, height] = [element.getBoundingClientRect(), this.bar.offsetHeight];
    const isFree = view.coordsAtPos(view.state.selection.head).top >= height + GAP;
    moveBar(this.bar, rect.left, isFree ? EDGE : Math.min(rect.bottom + GAP, innerHeight - height - EDGE));
  };

  remove(): void {
    this.resizes.disconnect();
    removeEventListener("scroll", this.place);
    this.bar.remove();
  }

  askForLink(): void {
    const { widgetRef, view } = this.editing;
    const href = linkAt(view.state) ?? "";
    this.address.value = href;
    this.linkRow.hidden = false;
    this.address.focus();
    this.address.select();
    sendToPage({ type: "pickLink", widgetRef, href });
    this.update();
  }

  private addToggles(): void {
    const { editing } = this;
    const state = (): RichEditing["view"]["state"] => editing.view.state;
    this.toggle("bold", toggleBold, () => isMarked(state(), marks.strong));
    this.toggle("italic", toggleItalic, () => isMarked(state(), marks.em));
    if (session.rich.links) this.add("link", () => this.askForLink(), () => linkAt(state()) !== null);
    if (session.rich.lists) {
      this.toggle("bulletList", toggleList(nodes.bullet_list), () => isInside(state(), nodes.bullet_list));
      this.toggle("numberedList", toggleList(nodes.ordered_list), () => isInside(state(), nodes.ordered_list));
    }
    this.toggle("quotation", toggleQuotation, () => isInside(state(), nodes.blockquote));
    this.toggle("alignStart", align(null), () => alignmentOf(state()) === null);
    this.toggle("alignCenter", align("center"), () => alignmentOf(state()) === "center");
    this.toggle("alignEnd", align("end"), () => alignmentOf(state()) === "end");
    if (session.rich.pictures) this.plain("picture", () => sendToPage({ type: "pickImage", widgetRef: editing.widgetRef, name: editing.name }));
    this.plain("undo", () => editing.run(undo));
    this.plain("redo", () => editing.run(redo));
  }

  private toggle(text: TextName, command: Command, isOn: () => boolean): void {
    this.add(text, () => this.editing.run(command), isOn);
  }

  private add(text: TextName, onClick: () => void, isOn: () => boolean): void {
    this.toggles.push({ button: this.plain(text, onClick), isOn });
  }

  private plain(text: TextName, onClick: () => void): HTMLButtonElement {
    const button = iconButton(text, onClick);
    name(button, session.text(text));
    this.strip.append(button);
    return button;
  }

  private blockChoice(): HTMLSelectElement {
    this.blocks.setAttribute("aria-label", session.text("paragraph"));
    this.blocks.append(...BLOCKS.map(([text]) => new Option(session.text(text))));
    this.blocks.addEventListener("change", () => {
      const chosen = BLOCKS[this.blocks.selectedIndex];
      if (chosen !== undefined) this.editing.run(chosen[1]);
    });
    return this.blocks;
  }

  private linkForm(): HTMLElement {
    this.linkRow.className = "row";
    this.linkRow.hidden = true;
    this.address.type = "text";
    this.address.inputMode = "url";
    this.address.setAttribute("aria-label", session.text("linkAddress"));
    this.address.placeholder = session.text("linkAddress");
    this.linkRow.append(this.address, this.textButton("apply", () => this.apply(this.address.value)), this.textButton("unlink", () => this.apply("")));
    return this.linkRow;
  }

  private textButton(text: TextName, onClick: () => void): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "text-button";
    button.textContent = session.text(text);
    button.addEventListener("click", onClick);
    return button;
  }

  private apply(href: string): void {
    this.linkRow.hidden = true;
    this.editing.run(setLink(safeHref(href)));
  }

  private onKey(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Enter" && event.target === this.address) {
      event.preventDefault(); // the text has the focus afterwards, and would get the key as well
      this.apply(this.address.value);
    }
    if (event.key !== "Escape") return;
    event.preventDefault();
    this.linkRow.hidden = true;
    this.editing.view.focus();
  }
}
