/** Uploads pictures one after another, each with a row of its own: its progress, or the reason why it failed. */
import { CallFailed, type Api } from "./api";
import { button, h, icon, iconButton } from "./dom";
import { uploadFailure, uploadPicture } from "./media";
import type { Media } from "./model";
import { text } from "./texts";

const MAX_BYTES = 25 * 1024 * 1024;

export class Uploads {
  readonly element = h("ul", { class: "uploads", "aria-live": "polite" });
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(
    private readonly api: Api,
    private readonly onuploaded: (media: Media) => void,
    private readonly onchange: () => void,
  ) {}

  /** Whether pictures are still being uploaded. */
  get isBusy(): boolean {
    return this.waiting > 0;
  }

  add(files: readonly File[]): void {
    for (const file of files) {
      const row = h("li", { class: "upload" });
      this.element.append(row);
      const reason = refusal(file);
      if (reason === null) this.enqueue(file, row);
      else showFailure(row, text("upload_failed", { name: file.name, reason }));
    }
  }

  private enqueue(file: File, row: HTMLElement): void {
    const bar = h("progress", { max: 1, value: 0, "aria-label": text("uploading", { name: file.name }) });
    row.replaceChildren(h("span", {}, file.name), bar);
    this.waiting += 1;
    this.last = this.last.then(() => this.send(file, row, bar));
    this.onchange();
  }

  /** A failure is shown in the row, and the next picture follows. */
  private async send(file: File, row: HTMLElement, bar: HTMLProgressElement): Promise<void> {
    try {
      const media = await uploadPicture(this.api, file, (share) => {
        if (share < 1) bar.value = share;
        else bar.removeAttribute("value"); // it was received, and is being decoded
      });
      row.remove();
      this.onuploaded(media);
    } catch (error) {
      const isTemporary = error instanceof CallFailed && error.isTemporary;
      showFailure(row, uploadFailure(file, error), isTemporary ? () => this.enqueue(file, row) : undefined);
    }
    this.waiting -= 1;
    this.onchange();
  }
}

/** What needs no upload to be known. */
function refusal(file: File): string | null {
  if (file.type !== "" && !file.type.startsWith("image/")) return text("why_mediaUnreadable");
  return file.size > MAX_BYTES ? text("why_mediaTooLarge") : null;
}

function showFailure(row: HTMLElement, reason: string, repeat?: () => void): void {
  const again = repeat === undefined ? "" : button(text("try_again"), "quiet", repeat);
  row.replaceChildren(icon("alert"), h("span", { class: "upload-error" }, reason), again, iconButton(text("close"), "cross", () => row.remove()));
}
