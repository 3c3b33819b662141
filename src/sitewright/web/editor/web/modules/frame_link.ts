/** The frame that shows the site, and the messages to and from it. */
import { h } from "./dom";
import { type FromFrame, type Rich, type Texts, type ToFrame, messageFromFrame, sendToFrame } from "./protocol";

const LEAVE_MS = 3_000; // a page that does not answer in this time is gone

export class FrameLink {
  private readonly frame: HTMLIFrameElement;
  private isReady = false;
  private wantsFocus = false;
  private waiting: ToFrame[] = [];
  private started: ToFrame | null = null;
  private leaving: (() => void)[] = [];
  private readonly listening = new AbortController();

  /** The frame may be on the stage already, and loading a page. */
  constructor(stage: HTMLElement, title: string, onmessage: (message: FromFrame) => void) {
    this.frame = stage.querySelector("iframe") ?? stage.appendChild(h("iframe", { class: "site-frame", title, sandbox: "allow-scripts" }));
    addEventListener("message", (event) => {
      const message = messageFromFrame(event, this.frame);
      if (message === null) return;
      if (message.type === "hello") {
        this.meet();
        onmessage(message);
      } else if (message.type === "ready") this.release();
      else if (message.type === "left") this.leaving.shift()?.();
      else if (this.isReady) onmessage(message);
    }, { signal: this.listening.signal });
  }

  /** The frame was removed. */
  stop(): void {
    this.listening.abort();
    this.forgetLeaving();
  }

  /** Load a page, unless it is the one that the frame came with. Everything that is sent waits until the frame is ready. */
  open(address: string, texts: Texts, rich: Rich, canEdit = true): void {
    const isLoaded = this.started === null && this.frame.getAttribute("src") === address;
    this.isReady = false;
    this.forgetLeaving();
    this.frame.inert = true; // a click into a page that is about to go would be lost
    this.waiting = [];
    this.started = { type: "start", texts, canEdit, rich };
    if (isLoaded) this.greet(); // it may have said hello before
    else this.frame.src = address;
  }

  send(message: ToFrame): void {
    if (this.isReady) sendToFrame(this.frame, message);
    else this.waiting.push(message);
  }

  /** Now, or when the frame is ready. */
  focus(): void {
    this.wantsFocus = !this.isReady;
    if (this.isReady) this.frame.focus();
  }

  /** Ends typing; what was typed has arrived when this resolves. */
  async leaveText(): Promise<void> {
    if (!this.isReady) return;
    await new Promise<void>((resolve) => {
      this.leaving.push(resolve);
      setTimeout(resolve, LEAVE_MS);
      this.send({ type: "leave" });
    });
  }

  /** Another page does not answer for this one. */
  private forgetLeaving(): void {
    for (const resolve of this.leaving.splice(0)) resolve();
  }

  /** A page was loaded: by `open`, or by the browser's Back. */
  private meet(): void {
    this.isReady = false;
    this.forgetLeaving();
    this.greet();
  }

  private greet(): void {
    if (this.started !== null) sendToFrame(this.frame, this.started);
  }

  private release(): void {
    this.isReady = true;
    this.frame.inert = false;
    if (this.wantsFocus) this.focus();
    for (const message of this.waiting) sendToFrame(this.frame, message);
    this.waiting = [];
  }
}
