/** Chooses pictures from the library, with uploads by file, drop and paste; asks for alternative text. */
import type { Editor } from "./context";
import { actions, openDialog } from "./dialog";
import { button, field, h, icon, textarea } from "./dom";
import { focalPoint } from "./focal_point";
import { ACCEPTED, describePicture, listMedia, ownUrl, uploadFailure, uploadPicture } from "./media";
import type { Media } from "./model";
import { text } from "./texts";

export interface PickOptions {
  selected?: number | null;
  several?: boolean;
  /** Files that were dropped or pasted elsewhere, to upload at once. */
  files?: readonly File[];
}

/** Resolves to the chosen pictures; to none where the dialog was closed. */
export function pickImages(editor: Editor, options: PickOptions = {}): Promise<Media[]> {
  return new Promise((resolve) => {
    new ImagePicker(editor, options, resolve).open();
  });
}

class ImagePicker {
  private readonly grid = h("ul", { class: "picture-grid", "aria-label": text("image_library") });
  private readonly uploads = h("ul", { class: "uploads", "aria-live": "polite" });
  private readonly details = h("div", { class: "picture-details" });
  private readonly more = button(text("more"), "quiet", () => void this.loadMore());
  private readonly use = button(text("image_use"), "primary", () => this.finish());
  private readonly pictures = new Map<number, HTMLButtonElement>();
  private chosen: Media[] = [];
  private next: string | null = null;
  private dialog: { element: HTMLDialogElement; close(): void } | null = null;
  private isUsed = false;

  constructor(
    private readonly editor: Editor,
    private readonly options: PickOptions,
    private readonly resolve: (chosen: Media[]) => void,
  ) {}

  open(): void {
    const choose = h("input", { type: "file", accept: ACCEPTED, multiple: true, class: "file-input", id: "picture-files" });
    choose.addEventListener("change", () => {
      this.upload([...(choose.files ?? [])]);
      choose.value = "";
    });
    const drop = h("div", { class: "drop-zone" }, icon("upload"), h("label", { for: "picture-files", class: "button quiet" }, text("upload_choose")), h("p", { class: "soft small" }, text("upload_hint")), choose);
    this.use.disabled = true;
    this.dialog = openDialog(
      text(this.options.several ? "images_title" : "image_title"),
      [drop, this.uploads, this.grid, this.more, this.details, actions(this.use)],
      () => this.resolve(this.isUsed ? this.chosen : []),
      true,
    );
    this.listen(this.dialog.element, drop);
    void this.load();
    if (this.options.files) this.upload(this.options.files);
  }

  private listen(element: HTMLElement, drop: HTMLElement): void {
    element.addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.classList.add("is-over");
    });
    element.addEventListener("dragleave", () => drop.classList.remove("is-over"));
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("is-over");
      this.upload(picturesOf(event.dataTransfer?.files));
    });
    element.addEventListener("paste", (event) => {
      const files = picturesOf(event.clipboardData?.files);
      if (files.length > 0) event.preventDefault();
      this.upload(files);
    });
  }

  private async load(): Promise<void> {
    this.more.hidden = true;
    try {
      await this.loadMore();
    } catch {
      this.grid.replaceChildren(h("li", { class: "soft" }, text("load_failed")));
    }
  }

  private async loadMore(): Promise<void> {
    const found = await listMedia(this.editor.api, this.next);
    for (const each of found.media) this.addPicture(each, false);
    this.next = found.next;
    this.more.hidden = found.next === null;
    if (this.pictures.size === 0) this.grid.dataset["empty"] = text("image_empty");
  }

  private addPicture(media: Media, isNew: boolean): void {
    if (this.pictures.has(media.ref)) return;
    delete this.grid.dataset["empty"];
    const name = media.alt || media.name;
    const choice = h("button", { type: "button", class: "picture-choice", "aria-pressed": "false", "aria-label": name, title: name, onclick: () => this.choose(media) }, h("img", { src: ownUrl(media), alt: "", loading: "lazy" }));
    this.pictures.set(media.ref, choice);
    this.grid[isNew ? "prepend" : "append"](h("li", {}, choice));
    if (media.ref === this.options.selected || isNew) this.choose(media);
  }

  private choose(media: Media): void {
    const index = this.chosen.findIndex((each) => each.ref === media.ref);
    if (!this.options.several) this.chosen = [media];
    else if (index >= 0) this.chosen.splice(index, 1);
    else this.chosen.push(media);
    for (const [ref, choice] of this.pictures) {
      choice.setAttribute("aria-pressed", String(this.chosen.some((each) => each.ref === ref)));
    }
    this.use.disabled = this.chosen.length === 0;
    this.showDetails(this.chosen.at(-1));
  }

  /** Alternative text and focal point of the last chosen picture, saved as they are changed. */
  private showDetails(media: Media | undefined): void {
    if (media === undefined) {
      this.details.replaceChildren();
      return;
    }
    const save = debounced((changes: Partial<Media>) => void describePicture(this.editor.api, media.ref, changes).catch(() => undefined));
    const alt = textarea(media.alt, (typed) => {
      media.alt = typed;
      save({ alt: typed });
    }, { maxlength: 1000, rows: 2 });
    const focal = this.editor.allows("imageEditing")
      ? focalPoint(media, (x, y) => {
        media.focalX = x;
        media.focalY = y;
        save({ focalX: x, focalY: y });
      })
      : null;
    this.details.replaceChildren(...[field(text("image_alt"), alt, text("image_alt_hint")), focal].filter((each) => each !== null));
  }

  /** Each upload has its own row with its progress; they run one after another. */
  private upload(files: readonly File[]): void {
    void files.reduce((before, file) => {
      const bar = h("progress", { max: 1, value: 0, "aria-label": text("uploading", { name: file.name }) });
      const row = h("li", { class: "upload" }, h("span", {}, file.name), bar);
      this.uploads.append(row);
      return before.then(() => this.uploadOne(file, row, bar));
    }, Promise.resolve());
  }

  private async uploadOne(file: File, row: HTMLElement, bar: HTMLProgressElement): Promise<void> {
    try {
      const media = await uploadPicture(this.editor.api, file, (share) => {
        bar.value = share;
      });
      row.remove();
      this.addPicture(media, true);
    } catch (error) {
      row.replaceChildren(icon("alert"), h("span", { class: "upload-error" }, uploadFailure(file, error)));
    }
  }

  private finish(): void {
    this.isUsed = true;
    this.dialog?.close();
  }
}

export function picturesOf(files: FileList | undefined): File[] {
  return [...(files ?? [])].filter((file) => file.type.startsWith("image/"));
}

const PAUSE = 400;

/** Collects changes until there is a pause. */
function debounced(save: (changes: Partial<Media>) => void): (changes: Partial<Media>) => void {
  let timer = 0;
  let collected: Partial<Media> = {};
  return (changes) => {
    collected = { ...collected, ...changes };
    clearTimeout(timer);
    timer = setTimeout(() => {
      save(collected);
      collected = {};
    }, PAUSE);
  };
}
