/** A form's field for a picture: what is chosen, and buttons to choose another or none. */
import type { Editor } from "./context";
import { button, h } from "./dom";
import { pickImages } from "./image_picker";
import { mediaRef, pictureUrl } from "./media";
import { text } from "./texts";

export function imageField(editor: Editor, label: string, current: string, save: (value: string) => void): HTMLElement {
  let chosen = current;
  const preview = h("div", { class: "image-preview" });
  const remove = button(text("image_remove"), "quiet", () => set(""));
  const show = async (value: string): Promise<void> => {
    const url = await pictureUrl(editor.api, value);
    preview.replaceChildren(url ? h("img", { src: url, alt: "" }) : h("span", { class: "soft small" }, text("image_none")));
    remove.hidden = !value;
  };
  const set = (value: string): void => {
    chosen = value;
    save(value);
    void show(value);
  };
  const choose = button(text("image_choose"), "quiet", () => {
    void pickImages(editor, { selected: mediaRef(chosen) }).then(([picked]) => {
      if (picked) set(`media:${picked.ref}`);
    });
  }, "image");
  void show(current);
  return h("div", { class: "field", role: "group", "aria-label": label }, h("span", { class: "field-name" }, label), preview, h("div", { class: "row" }, choose, remove));
}
