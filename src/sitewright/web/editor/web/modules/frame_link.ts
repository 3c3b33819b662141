/** The frame that shows the site, and the messages to and from it. */
import { h } from "./dom";
import { type FromFrame, type Rich, type Texts, type ToFrame, messageFromFrame, sendToFrame } from "./protocol";

export class FrameLink {
  private readonly frame: HTMLIFrameElement;
  private isReady = false;
  /** Whether the page in the frame waits for its start. */
  private isGreeted = false;
  private address = "";
  private waiting: ToFrame[] = [];
  private started: ToFrame | null = null;
  private readonly listening = new AbortController();

  constructor(stage: HTMLElement, onmessage: (message: FromFrame) => void) {
    this.frame = h("iframe", { class: "site-frame", sandbox: "allow-scripts" });
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

  /** Begin to load a page; it starts when it is opened. */
  load(address: string): void {
    this.isReady = this.isGreeted = false;
    this.waiting = [];
    this.address = this.frame.src = address;
  }

  /** Show a page. Everything that is sent waits until the frame is ready. */
  open(address: string, title: string, texts: Texts, rich: Rich, canEdit = true): void {
    const isLoaded = this.started === null && this.address === address;
    this.frame.title = title;
    this.started = { type: "start", texts, canEdit, rich };
    if (!isLoaded) this.load(address);
    else if (this.isGreeted) this.greet();
  }

  send(message: ToFrame): void {
    if (this.isReady) sendToFrame(this.frame, message);
    else this.waiting.push(message);
  }

  focus(): void {
    this.frame.focus();
  }

  private greet(): void {
    this.isGreeted = true;
    if (this.started !== null) sendToFrame(this.frame, this.started);
  }

  private release(): void {
    this.isReady = true;
    for (const message of this.waiting) sendToFrame(this.frame, message);
    this.waiting = [];
  }
}
