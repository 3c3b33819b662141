// Sends what is typed: 250 ms after the last key, and at the end at once.

import { sendToPage } from "../protocol";
import { session } from "./session";
import type { Editing } from "./session";

const DELAY_MS = 250;

export class Typing {
  private timer: number | undefined;
  private sent: string;

  constructor(private readonly editing: Omit<Editing, "end">) {
    this.sent = editing.value();
  }

  changed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(false), DELAY_MS);
    session.hasTyped = true;
    session.changed("places");
  }

  /** The final value is sent where anything was typed at all. */
  end(): void {
    const wasTyped = this.timer !== undefined;
    clearTimeout(this.timer);
    if (wasTyped) this.send(true);
  }

  private send(isFinal: boolean): void {
    const value = this.editing.value();
    if (value === this.sent && !isFinal) return;
    this.sent = value;
    sendToPage({ type: "edited", widgetRef: this.editing.widgetRef, name: this.editing.name, value, isFinal });
  }
}
