/** The frame that shows the site, and the messages to and from it. */
import { h } from "./dom";
import { type FromFrame, type Rich, type Texts, type ToFrame, messageFromFrame, sendToFrame } from "./protocol";

export class FrameLink {
  private readonly frame: HTMLIFrameElement;
  private isReady = false;
  private waiting: ToFrame[] = [];
  private started: ToFrame | null = null;
  private readonly listening = new AbortController();

  constructor(stage: HTMLElement, title: string, onmessage: (message: FromFrame) => void) {
    this.frame = h("iframe", { class: "site-frame", title, sandbox: "allow-scripts" });
    stage.append(this.frame);
    addEventListener("message", (event) => {
      const message = messageFromFrame(event, this.frame);
      if (message === null) return;
      if (message.type === "hello") this.greet();
      else if (message.type === "ready") this.release();
      else if (this.isReady) onmessage(message);
    }, { signal: this.listening.signal });
  }

  /** The frame was removed. */
  stop(): void {
    this.listening.abort();
  }

  /** Load a page. Everything that is sent waits until the frame is ready. */
  open(address: string, texts: Texts, rich: Rich, canEdit = true): void {
    this.isReady = false;
    this.waiting = [];
    this.started = { type: "start", texts, canEdit, rich };
    this.frame.src = address;
  }

  send(message: ToFrame): void {
    if (this.isReady) sendToFrame(this.frame, message);
    else this.waiting.push(message);
  }

  focus(): void {
    this.frame.focus();
  }

  private greet(): void {
    if (this.started !== null) sendToFrame(this.frame, this.started);
  }

  private release(): void {
    this.isReady = true;
    for (const message of this.waiting) sendToFrame(this.frame, message);
    this.waiting = [];
  }
}
