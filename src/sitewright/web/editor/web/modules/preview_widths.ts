/** Shows the site at the width of a phone, a tablet or a desktop, and as visitors see it. */
const WIDTHS: Record<string, string> = { phone: "390px", tablet: "768px", desktop: "" };

export class PreviewWidths {
  isPreview = false;

  constructor(
    private readonly stage: HTMLElement,
    private readonly setEditing: (editing: boolean) => void,
  ) {
    for (const control of this.controls) control.addEventListener("click", () => this.show(control.dataset["width"] ?? "desktop"));
    this.show("desktop");
  }

  private get controls(): NodeListOf<HTMLElement> {
    return document.querySelectorAll<HTMLElement>("[data-width]");
  }

  private show(width: string): void {
    this.stage.style.setProperty("--frame-width", WIDTHS[width] || "100%");
    this.stage.dataset["shown"] = width;
    for (const control of this.controls) control.setAttribute("aria-pressed", String(control.dataset["width"] === width));
  }

  togglePreview(): void {
    this.isPreview = !this.isPreview;
    this.setEditing(!this.isPreview);
    const bar = document.querySelector<HTMLElement>("[data-preview-bar]");
    if (bar) bar.hidden = !this.isPreview;
  }

  leavePreview(): void {
    if (this.isPreview) this.togglePreview();
  }
}
