/** Fetches the service's rendering of the page after changes: one request at a time, and only the latest matters. */
import type { Api } from "./api";

export class Renderer {
  /** The widget that is being typed in, which the frame leaves alone. */
  keep: number | null = null;
  /** Runs once, after the next rendering that is requested from now on was shown. */
  afterNext: (() => void) | null = null;
  private wanted: number | null = null;
  private isBusy = false;

  constructor(
    private readonly api: Api,
    private readonly show: (html: string, keep: number | null) => void,
  ) {}

  request(pageRef: number): void {
    this.wanted = pageRef;
    if (!this.isBusy) void this.run();
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.wanted !== null) {
      const [pageRef, after] = [this.wanted, this.afterNext];
      [this.wanted, this.afterNext] = [null, null];
      try {
        const { html } = await this.api.get<{ html: string }>(`/render?page=${pageRef}`);
        if (this.wanted !== null && this.wanted !== pageRef) continue;
        this.show(html, this.keep);
        after?.();
      } catch {
        // The next change renders again; what is shown stays.
      }
    }
    this.isBusy = false;
  }
}
