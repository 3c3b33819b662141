/** What the frame reports, as changes of the content and actions of the editor. */
import { linkInput, reportAddress } from "./address_field";
import { completedLink } from "./addresses";
import { currentValue, showBlockForm } from "./block_form";
import { showBlockPicker } from "./block_picker";
import { editPart } from "./business_panel";
import { actions, openDialog } from "./dialog";
import { button, field, h } from "./dom";
import { pickImages } from "./image_picker";
import { isPictureList, pictureRows, readRows } from "./list_field";
import { ownUrl } from "./media";
import { bareType, type Media, type Widget } from "./model";
import { IS_WIDE } from "./panel";
import type { FromFrame } from "./protocol";
import type { EditorSession } from "./session";
import { text } from "./texts";

type Message<Type extends FromFrame["type"]> = Extract<FromFrame, { type: Type }>;

export class FrameMessages {
  /** What was typed last, in the text that has not been left yet. */
  private typed: string | null = null;
  private readonly waiting: FromFrame[] = [];
  private isBusy = false;
  /** Resolves when every message that has arrived was handled. */
  settled: Promise<void> = Promise.resolve();

  constructor(private readonly editor: EditorSession) {}

  /** In order: those after one about a block that others have added wait until the content is loaded. */
  receive(message: FromFrame): void {
    this.waiting.push(message);
    if (!this.isBusy) this.settled = this.handleWaiting().catch(reportError);
  }

  private async handleWaiting(): Promise<void> {
    this.isBusy = true;
    try {
      for (let message = this.waiting.shift(); message !== undefined; message = this.waiting.shift()) {
        if (this.isAboutUnknown(message)) await this.editor.reload();
        this.handle(message);
      }
    } finally {
      this.isBusy = false;
    }
  }

  private isAboutUnknown(message: FromFrame): boolean {
    return "widgetRef" in message && message.widgetRef !== null && this.editor.content.widget(message.widgetRef) === undefined;
  }

  private handle(message: FromFrame): void {
    switch (message.type) {
      case "selected":
        return this.selected(message.widgetRef);
      case "edited":
        return this.edited(message);
      case "hello":
        return this.editor.openText(null); // another page was loaded
      case "typing":
        return this.editor.openText(message.widgetRef);
      case "action":
        return this.act(message);
      case "moved":
        return this.move(message.widgetRef, message.parentId, message.position);
      case "files":
        return void this.addFiles(message);
      case "navigate":
        return this.navigate(message.path);
      case "shortcut":
        return this.shortcut(message.name);
      case "static":
        return editPart(this.editor, message.id);
      case "opened":
        return this.open(message.widgetRef);
      case "pickImage":
        return void this.pickImage(message.widgetRef, message.name);
      case "pickLink":
        return this.pickLink(message.widgetRef, message.href);
      default:
        return undefined;
    }
  }

  /** On a wide screen the form of the selected block is shown beside it; a phone shows it on request. */
  private selected(ref: number | null): void {
    this.editor.selected = ref;
    this.editor.place = null;
    const current = this.editor.panel.current;
    if (current === `block:${ref}`) return; // its form is shown already, perhaps with something just typed
    if (ref === null) {
      if (current?.startsWith("block:")) this.editor.panel.close();
    } else if (IS_WIDE.matches || current?.startsWith("block:")) {
      showBlockForm(this.editor, ref, false);
    }
  }

  private edited(message: Message<"edited">): void {
    const widget = this.editor.content.widget(message.widgetRef);
    if (widget === undefined) return;
    const typed = JSON.stringify([message.widgetRef, message.name, message.value]);
    const isKnown = message.isFinal && typed === this.typed;
    this.typed = message.isFinal ? null : typed;
    const differs = widget.values[message.name] !== message.value;
    if (differs && isKnown) this.editor.renderAgain(); // changed elsewhere since: leaving the text does not change it back
    else if (differs) {
      widget.values[message.name] = message.value;
      this.editor.typing(message.isFinal ? null : message.widgetRef);
      this.editor.change({ kind: "setValues", widgetRef: message.widgetRef, values: { [message.name]: message.value } }, true, true);
    }
    if (message.isFinal) this.editor.endTyping();
  }

  private act(message: Message<"action">): void {
    if (message.name === "add") {
      this.editor.place = { parentId: message.parentId, position: message.position };
      showBlockPicker(this.editor);
      return;
    }
    const widget = message.widgetRef === null ? undefined : this.editor.content.widget(message.widgetRef);
    if (widget === undefined) return;
    const index = this.editor.content.siblings(widget.pageRef, widget.parentId).indexOf(widget);
    if (message.name === "moveUp" && index > 0) this.move(widget.ref, widget.parentId, index - 1);
    else if (message.name === "moveDown") this.move(widget.ref, widget.parentId, index + 1);
    else if (message.name === "duplicate") this.editor.change({ kind: "duplicateWidget", widgetRef: widget.ref });
    else if (message.name === "delete") this.editor.change({ kind: "deleteWidget", widgetRef: widget.ref });
    else if (message.name === "settings") showBlockForm(this.editor, widget.ref);
  }

  private move(widgetRef: number, parentId: string, position: number): void {
    this.editor.change({ kind: "moveWidget", widgetRef, parentId, position });
  }

  /** Dropped or pasted pictures go into the image block that they were dropped on, else into new blocks. */
  private async addFiles(message: Message<"files">): Promise<void> {
    const picked = await pickImages(this.editor, { files: message.files, several: message.files.length > 1 });
    const target = message.widgetRef === null ? undefined : this.editor.content.widget(message.widgetRef);
    if (target !== undefined && this.addToList(target, picked)) return;
    const [first, ...others] = picked;
    const isReplaced = first !== undefined && target !== undefined && bareType(target.type) === "image";
    if (isReplaced) this.setImage(target.ref, "src", first);
    const pageRef = this.editor.page?.ref;
    if (pageRef === undefined) return;
    (isReplaced ? others : picked).forEach((media, index) => {
      const place = { parentId: message.parentId, position: message.position + index };
      this.editor.change({ kind: "addWidget", pageRef, ...place, type: "widget.image", values: { src: `media:${media.ref}`, alt: media.alt } });
    });
  }

  /** A gallery or a slideshow takes them all. */
  private addToList(target: Widget, picked: readonly Media[]): boolean {
    const value = this.editor.typeOf(target.type)?.values.find(isPictureList);
    if (value === undefined || picked.length === 0) return false;
    const rows = [...readRows(currentValue(target, value)), ...pictureRows(value, picked)];
    this.editor.change({ kind: "setValues", widgetRef: target.ref, values: { [value.name]: JSON.stringify(rows) } });
    return true;
  }

  /** The click on an empty block, or the second one on a block: pictures that are missing are chosen at once, all else is in its form. */
  private open(widgetRef: number): void {
    const widget = this.editor.content.widget(widgetRef);
    const values = (widget && this.editor.typeOf(widget.type)?.values) ?? [];
    if (widget === undefined) return;
    const image = values.find((each) => each.type === "image");
    const list = values.find(isPictureList);
    if (image !== undefined && currentValue(widget, image) === "") void this.pickImage(widgetRef, image.name);
    else if (list !== undefined && readRows(currentValue(widget, list)).length === 0) void this.pickEntries(widgetRef);
    else if (this.editor.panel.current !== `block:${widgetRef}`) showBlockForm(this.editor, widgetRef);
  }

  private async pickEntries(widgetRef: number): Promise<void> {
    const picked = await pickImages(this.editor, { several: true });
    const widget = this.editor.content.widget(widgetRef);
    if (widget === undefined || !this.addToList(widget, picked)) return;
    if (this.editor.panel.current === `block:${widgetRef}`) showBlockForm(this.editor, widgetRef, false);
  }

  private navigate(path: string): void {
    const wanted = decodeURIComponent(path.split(/[?#]/)[0] ?? "").replace(/^\/+|\/+$/g, "").toLowerCase();
    const pages = this.editor.content.pages;
    const page = wanted === "" ? this.editor.content.home : pages.find((each) => each.page.request.toLowerCase() === wanted);
    if (page !== undefined) this.editor.openPage(page.ref);
  }

  private shortcut(name: Message<"shortcut">["name"]): void {
    if (name === "undo") this.editor.undo();
    else if (name === "redo") this.editor.redo();
    else if (name === "publish") this.editor.publish();
    else if (name === "preview") this.editor.togglePreview();
    else showBlockPicker(this.editor);
  }

  /** A picture for a value, or for the text in which the cursor is. */
  private async pickImage(widgetRef: number, name: string): Promise<void> {
    const [media] = await pickImages(this.editor);
    const widget = this.editor.content.widget(widgetRef);
    if (media === undefined || widget === undefined) return;
    const value = this.editor.typeOf(widget.type)?.values.find((each) => each.name === name);
    if (value?.type === "richText") {
      this.editor.send({ type: "insertImage", widgetRef, src: `media:${media.ref}`, alt: media.alt, display: ownUrl(media) });
    } else this.setImage(widgetRef, name, media);
  }

  private setImage(widgetRef: number, name: string, media: Media): void {
    this.editor.change({ kind: "setValues", widgetRef, values: { [name]: `media:${media.ref}` } });
    void this.editor.flush();
  }

  private pickLink(widgetRef: number, href: string): void {
    let chosen: string | null = null;
    const address = linkInput(this.editor, href, () => undefined);
    const apply = button(text("link_set"), "primary", () => {
      address.value = completedLink(address.value);
      if (!reportAddress("url", address)) return;
      chosen = address.value;
      dialog.close();
    });
    const remove = href === "" ? null : button(text("link_remove"), "quiet", () => {
      chosen = "";
      dialog.close();
    });
    const form = h("form", { class: "stack", onsubmit: (event) => {
      event.preventDefault();
      apply.click();
    } }, field(text("link_address"), address, text("link_hint")), actions(apply, remove));
    const dialog = openDialog(text("link_title"), [form], () => this.editor.send({ type: "insertLink", widgetRef, href: chosen }));
    address.focus();
  }
}
