/** What is known about the chosen pictures: the alternative text of each, and focal point and crop of one of them. */
import { CallFailed } from "./api";
import type { Editor } from "./context";
import { cropImage } from "./crop_dialog";
import { notify } from "./dialog";
import { button, field, h, present, textarea } from "./dom";
import { focalPoint } from "./focal_point";
import { describePicture, isDrawing, ownUrl } from "./media";
import type { Media } from "./model";
import { text } from "./texts";

const PAUSE = 400;
const RETRY = 5000;
type Changes = Partial<Pick<Media, "alt" | "focalX" | "focalY">>;

export class PictureDetails {
  readonly element = h("div", { class: "picture-details" });
  private readonly texts = h("div", { class: "stack-tight" });
  /** Once for several pictures, instead of below each label. */
  private readonly hint = h("p", { class: "soft small" }, text("image_alt_hint"));
  private readonly tools = h("div", { class: "stack-tight" });
  private readonly rows = new Map<number, HTMLElement>();
  private readonly pending = new Map<number, Changes>();
  private timer = 0;
  private saving: Promise<boolean> = Promise.resolve(true);
  private active: Media | null = null;

  constructor(
    private readonly editor: Editor,
    private readonly oncropped: (old: Media, cropped: Media) => void,
  ) {
    this.element.append(this.texts, this.tools);
  }

  /** Rows that are shown already stay as they are: somebody may be typing there while another picture arrives. */
  show(chosen: readonly Media[], named: boolean): void {
    for (const [ref, row] of this.rows) {
      if (chosen.some((each) => each.ref === ref)) continue;
      row.remove();
      this.rows.delete(ref);
    }
    for (const media of chosen) {
      if (this.rows.has(media.ref)) continue;
      const row = this.row(media, named);
      this.rows.set(media.ref, row);
      this.texts.append(row);
    }
    if (named && chosen.length > 0) this.texts.prepend(this.hint);
    else this.hint.remove();
    const isUsed = this.element.contains(document.activeElement) && chosen.some((each) => each.ref === this.active?.ref);
    if (!isUsed) this.showTools(chosen.at(-1) ?? null);
  }

  /** Save what still waits for a pause. Resolves to whether everything is saved. */
  flush(): Promise<boolean> {
    clearTimeout(this.timer);
    this.saving = this.saving.then(() => this.sendAll());
    return this.saving;
  }

  private async sendAll(): Promise<boolean> {
    const changes = [...this.pending];
    this.pending.clear();
    const failures = (await Promise.all(changes.map(([ref, each]) => this.send(ref, each)))).filter((each) => each !== null);
    const [failure] = failures;
    if (failure !== undefined) notify(failure.message || text("not_saved"));
    if (this.pending.size > 0) this.schedule(RETRY);
    return failure === undefined;
  }

  /** What may succeed later is kept, below what was typed since. */
  private async send(ref: number, changes: Changes): Promise<CallFailed | null> {
    try {
      await describePicture(this.editor.api, ref, changes);
      return null;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      if (error.isTemporary || error.isLoggedOut) this.pending.set(ref, { ...changes, ...this.pending.get(ref) });
      return error;
    }
  }

  private row(media: Media, named: boolean): HTMLElement {
    const alt = textarea(media.alt, (typed) => {
      media.alt = typed;
      this.save(media, { alt: typed });
    }, { maxlength: 1000, rows: 2 });
    const label = named ? text("image_alt_of", { name: media.name }) : text("image_alt");
    const isShownLarge = !named && this.editor.allows("imageEditing");
    const thumbnail = isShownLarge ? null : h("img", { src: ownUrl(media), alt: "" });
    const row = h("div", { class: "picture-row" }, thumbnail, field(label, alt, named ? undefined : text("image_alt_hint")));
    row.addEventListener("focusin", () => this.showTools(media));
    return row;
  }

  private showTools(media: Media | null): void {
    if (media !== null && media === this.active) return;
    this.active = media;
    const isEditable = media !== null && this.editor.allows("imageEditing");
    this.tools.replaceChildren(...present(isEditable ? [this.focal(media), isDrawing(media) ? null : this.cropper(media)] : []));
  }

  private focal(media: Media): HTMLElement {
    return focalPoint(media, (x, y) => {
      media.focalX = x;
      media.focalY = y;
      this.save(media, { focalX: x, focalY: y });
    });
  }

  private cropper(media: Media): HTMLElement {
    return button(text("crop"), "quiet", () => void this.crop(media), "crop");
  }

  private async crop(media: Media): Promise<void> {
    await this.flush();
    const cropped = await cropImage(this.editor, media);
    if (cropped !== null) this.oncropped(media, cropped);
  }

  private save(media: Media, changes: Changes): void {
    this.pending.set(media.ref, { ...this.pending.get(media.ref), ...changes });
    this.schedule(PAUSE);
  }

  private schedule(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), milliseconds);
  }
}
