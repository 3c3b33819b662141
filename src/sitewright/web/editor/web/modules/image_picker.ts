/** Chooses pictures from the library, with uploads by file, drop and paste; asks for alternative text. */
import type { Editor } from "./context";
import { actions, openDialog } from "./dialog";
import { button, h, icon } from "./dom";
import { ACCEPTED, listMedia, ownUrl } from "./media";
import type { Media } from "./model";
import { PictureDetails } from "./picture_details";
import { text } from "./texts";
import { Uploads } from "./uploads";

interface PickOptions {
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
  private readonly uploads: Uploads;
  private readonly details: PictureDetails;
  private readonly more = button(text("more"), "quiet", () => void this.loadMore());
  private readonly use = button(text("image_use"), "primary", () => void this.finish());
  private readonly pictures = new Map<number, HTMLButtonElement>();
  private chosen: Media[] = [];
  private next: string | null = null;
  private dialog: { element: HTMLDialogElement; close(): void } | null = null;
  private isUsed = false;
  /** Of pictures that are uploaded together, one becomes the chosen one. */
  private takesUpload = true;

  constructor(
    private readonly editor: Editor,
    private readonly options: PickOptions,
    private readonly resolve: (chosen: Media[]) => void,
  ) {
    this.uploads = new Uploads(editor.api, (media) => this.uploaded(media), () => this.showUse());
    this.details = new PictureDetails(editor, (old, cropped) => this.replace(old, cropped));
  }

  open(): void {
    const choose = h("input", { type: "file", accept: ACCEPTED, multiple: true, class: "file-input", id: "picture-files" });
    choose.addEventListener("change", () => {
      this.upload([...(choose.files ?? [])]);
      choose.value = "";
    });
    const drop = h("div", { class: "drop-zone" }, icon("upload"), h("label", { for: "picture-files", class: "button quiet" }, text("upload_choose")), h("p", { class: "soft small" }, text("upload_hint")), choose);
    this.showUse();
    this.dialog = openDialog(
      text(this.options.several ? "images_title" : "image_title"),
      [drop, this.uploads.element, this.grid, this.more, this.details.element, actions(this.use)],
      () => {
        void this.details.flush();
        this.resolve(this.isUsed ? this.chosen : []);
      },
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
      this.upload([...(event.dataTransfer?.files ?? [])]);
    });
    element.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
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
    for (const each of found.media) {
      this.addPicture(each, "append");
      if (each.ref === this.options.selected && this.chosen.length === 0) this.choose(each);
    }
    this.next = found.next;
    this.more.hidden = found.next === null;
    if (this.pictures.size === 0) this.grid.dataset["empty"] = text("image_empty");
  }

  private addPicture(media: Media, place: "prepend" | "append"): void {
    if (this.pictures.has(media.ref)) return;
    delete this.grid.dataset["empty"];
    const name = media.alt || media.name;
    const choice = h("button", { type: "button", class: "picture-choice", "aria-pressed": "false", "aria-label": name, title: name, onclick: () => this.choose(media) }, h("img", { src: ownUrl(media), alt: "", loading: "lazy" }));
    this.pictures.set(media.ref, choice);
    this.grid[place](h("li", {}, choice));
  }

  private choose(media: Media): void {
    const others = this.chosen.filter((each) => each.ref !== media.ref);
    if (!this.options.several) this.chosen = [media];
    else this.chosen = others.length < this.chosen.length ? others : [...this.chosen, media];
    this.takesUpload = false;
    this.showChosen();
  }

  private replace(old: Media, cropped: Media): void {
    this.addPicture(cropped, "prepend");
    this.chosen = this.options.several ? this.chosen.map((each) => (each.ref === old.ref ? cropped : each)) : [cropped];
    this.showChosen();
  }

  private showChosen(): void {
    for (const [ref, choice] of this.pictures) {
      choice.setAttribute("aria-pressed", String(this.chosen.some((each) => each.ref === ref)));
    }
    this.details.show(this.chosen, this.options.several ?? false);
    this.showUse();
  }

  private showUse(): void {
    this.use.disabled = this.chosen.length === 0 || this.uploads.isBusy;
  }

  private upload(files: readonly File[]): void {
    this.takesUpload = true;
    this.uploads.add(files);
  }

  private uploaded(media: Media): void {
    this.addPicture(media, "prepend");
    if (this.options.several || this.takesUpload) this.choose(media);
  }

  private async finish(): Promise<void> {
    if (!(await this.details.flush())) return;
    this.isUsed = true;
    this.dialog?.close();
  }
}
