/** On a phone the panel lies over the lower part of the site: the block whose form it shows is kept in the part above it. */
import { IS_WIDE, find } from "./panel";
import type { ToFrame } from "./protocol";

export class Uncovering {
  private readonly panel: HTMLElement;
  private sent = { widgetRef: null as number | null, covered: 0 };

  /** `blockRef` is the block whose form is shown. */
  constructor(
    private readonly root: HTMLElement,
    private readonly stage: HTMLElement,
    private readonly blockRef: () => number | null,
    private readonly send: (message: ToFrame) => void,
  ) {
    this.panel = find(root, "[data-panel]");
    const observer = new ResizeObserver(() => this.update());
    for (const each of [this.panel, stage]) observer.observe(each);
  }

  update(): void {
    const covered = this.coveredHeight;
    const widgetRef = covered === 0 ? null : this.blockRef();
    if (covered === this.sent.covered && widgetRef === this.sent.widgetRef) return;
    this.sent = { widgetRef, covered };
    this.send({ type: "uncover", widgetRef, covered });
  }

  /** From the lower end of the site. The offset leaves out the animation with which the panel appears. */
  private get coveredHeight(): number {
    const stage = this.stage.getBoundingClientRect();
    if (this.panel.hidden || IS_WIDE.matches || this.panel.offsetWidth < stage.width) return 0;
    const top = this.root.getBoundingClientRect().top + this.panel.offsetTop;
    return Math.max(0, Math.round(stage.bottom - top));
  }
}
