// What the frame knows: texts and rights from the page, which block is selected, and what is being typed into.

import { ALL_RICH, sendToPage } from "../protocol";
import type { Rich, TextName, Texts } from "../protocol";
import { findWidget } from "./page";

/** An element that is being typed into. `end` sends the final value and leaves it. */
export type Editing = {
  readonly element: HTMLElement;
  readonly widgetRef: number;
  readonly name: string;
  value(): string;
  end(): void;
};

/** `places`: only the sizes of what is shown differ. */
type Listener = (what: "everything" | "places") => void;

class Session {
  texts: Texts = {};
  rich: Rich = ALL_RICH;
  canEdit = false;
  isPreview = false;
  selected: number | null = null;
  editing: Editing | null = null;
  /** Whether anything was typed since `editing` began. */
  hasTyped = false;
  private readonly listeners: Listener[] = [];

  get isActive(): boolean {
    return this.canEdit && !this.isPreview;
  }

  /** Called after every change of what the frame shows: selection, page, sizes. */
  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  changed(what: "everything" | "places" = "everything"): void {
    for (const listener of this.listeners) listener(what);
  }

  text(name: TextName): string {
    return this.texts[name] ?? name;
  }

  typeTitle(type: string): string {
    return this.texts.types?.[type] ?? type;
  }

  get widget(): HTMLElement | null {
    return findWidget(this.selected);
  }

  select(ref: number | null): void {
    if (this.editing !== null && this.editing.widgetRef !== ref) this.editing.end();
    if (this.selected !== ref) {
      this.selected = ref;
      sendToPage({ type: "selected", widgetRef: ref });
    }
    this.changed();
  }
}

export const session = new Session();
