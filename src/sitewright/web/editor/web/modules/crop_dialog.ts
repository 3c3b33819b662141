/** Crops a picture: by mouse and finger on the picture, by arrow keys, and by a choice of shapes. */
import { CallFailed } from "./api";
import type { Editor } from "./context";
import { CORNERS, fitted, isWhole, moved, resized, WHOLE, type Box } from "./crop_box";
import { actions, openDialog } from "./dialog";
import { alert, button, field, h, select } from "./dom";
import { cropPicture, ownUrl } from "./media";
import type { Media } from "./model";
import { text } from "./texts";

const STEP = 0.02;
const KEYS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP],
};
/** Width to height; the picture's own is "own". */
const SHAPES: Record<string, number> = { "1:1": 1, "4:3": 4 / 3, "3:2": 3 / 2, "16:9": 16 / 9, "3:4": 3 / 4 };
type Change = (from: Box, x: number, y: number) => Box;

/** Resolves to the new picture; to null where the dialog was closed. */
export function cropImage(editor: Editor, media: Media): Promise<Media | null> {
  return new Promise((resolve) => new CropDialog(editor, media, resolve).open());
}

class CropDialog {
  private box: Box = WHOLE;
  private ratio: number | null = null;
  private cropped: Media | null = null;
  private readonly shown = h("div", { class: "crop-shown" });
  private readonly handles = h("div", { class: "crop-handles" });
  private readonly size = h("p", { class: "soft small", role: "status" });
  private readonly problem = h("div", {});
  private readonly save = button(text("crop_save"), "primary", () => void this.crop());

  constructor(
    private readonly editor: Editor,
    private readonly media: Media,
    private readonly resolve: (cropped: Media | null) => void,
  ) {}

  open(): void {
    this.handles.append(this.handle("crop-move", text("crop_move"), moved));
    for (const corner of CORNERS) {
      const label = text(`crop_${corner.replace("-", "_")}`);
      this.handles.append(this.handle(`crop-corner ${corner}`, label, (from, x, y) => resized(from, corner, x, y, this.ratio)));
    }
    const stage = h("div", { class: "crop-stage" }, h("img", { src: ownUrl(this.media), alt: this.media.alt, draggable: "false" }),
      h("div", { class: "crop-shade" }, this.shown), this.handles);
    const shapes = [["", text("crop_free")], ["own", text("crop_own")], ...Object.keys(SHAPES).map((each) => [each, each])] as [string, string][];
    const shape = select("", shapes, (chosen) => this.chooseShape(chosen));
    const dialog = openDialog(text("crop_title"),
      [h("p", { class: "soft small" }, text("crop_hint")), h("div", { class: "crop-area" }, stage), h("div", { class: "crop-choices" }, field(text("crop_shape"), shape), this.size), this.problem, actions(this.save)],
      () => this.resolve(this.cropped), true);
    this.close = dialog.close;
    this.set(WHOLE);
  }

  private close: () => void = () => undefined;

  private chooseShape(chosen: string): void {
    const shape = chosen === "own" ? this.media.width / this.media.height : SHAPES[chosen];
    this.ratio = shape === undefined ? null : (shape * this.media.height) / this.media.width;
    if (this.ratio !== null) this.set(chosen === "own" ? { x: 0.1, y: 0.1, width: 0.8, height: 0.8 } : fitted(this.ratio));
  }

  private set(box: Box): void {
    this.box = box;
    for (const element of [this.shown, this.handles]) {
      Object.assign(element.style, { left: share(box.x), top: share(box.y), width: share(box.width), height: share(box.height) });
    }
    const pixels = { width: Math.round(box.width * this.media.width), height: Math.round(box.height * this.media.height) };
    this.size.textContent = text("crop_size", pixels);
    this.save.disabled = isWhole(box);
  }

  /** A part of the frame that is dragged, or moved by the arrow keys. */
  private handle(className: string, label: string, change: Change): HTMLElement {
    const control = h("button", { type: "button", class: className, "aria-label": label });
    control.addEventListener("pointerdown", (event) => {
      const [from, area] = [this.box, this.handles.parentElement?.getBoundingClientRect()];
      if (area === undefined) return;
      control.setPointerCapture(event.pointerId);
      const move = (now: PointerEvent): void => this.set(change(from, (now.clientX - event.clientX) / area.width, (now.clientY - event.clientY) / area.height));
      control.addEventListener("pointermove", move);
      for (const type of ["pointerup", "pointercancel"]) control.addEventListener(type, () => control.removeEventListener("pointermove", move), { once: true });
    });
    control.addEventListener("keydown", (event) => {
      const by = KEYS[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.set(change(this.box, ...by));
    });
    return control;
  }

  private async crop(): Promise<void> {
    this.save.disabled = true;
    this.problem.replaceChildren();
    try {
      this.cropped = await cropPicture(this.editor.api, this.media.ref, this.box);
      this.close();
    } catch (error) {
      const reason = error instanceof CallFailed && error.message ? error.message : text("not_saved");
      this.problem.replaceChildren(alert(reason, "bad"));
      this.save.disabled = false;
    }
  }
}

function share(part: number): string {
  return `${part * 100}%`;
}
