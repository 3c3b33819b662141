/** What happens after a block was added: the user can type at once, or choose the picture, or fill its form. */
import { showBlockForm } from "./block_form";
import { startingValue } from "./block_picker";
import type { Editor } from "./context";
import { pickImages } from "./image_picker";
import { bareType } from "./model";
import { IS_WIDE } from "./panel";


export function showAdded(editor: Editor, ref: number): void {
  const widget = editor.content.widget(ref);
  const type = widget && editor.typeOf(widget.type);
  if (widget === undefined || type === undefined) return;
  editor.select(ref);
  const hasList = type.values.some((each) => each.type === "list"); // its items are what matters, and are in the form
  const typed = hasList ? undefined : startingValue(type);
  if (IS_WIDE.matches || typed === undefined) showBlockForm(editor, ref, typed === undefined);
  else editor.panel.close();
  if (typed !== undefined) editor.send({ type: "focus", widgetRef: ref, name: typed.name, all: true });
  else if (bareType(widget.type) === "image" && !widget.values["src"]) void choosePicture(editor, ref);
}

/** A section is complete: its first block is selected. On a phone, a form would cover it. */
export function showAddedSection(editor: Editor, ref: number): void {
  editor.select(ref);
  if (IS_WIDE.matches) showBlockForm(editor, ref, false);
  else editor.panel.close();
}

async function choosePicture(editor: Editor, ref: number): Promise<void> {
  const [media] = await pickImages(editor);
  if (media) editor.change({ kind: "setValues", widgetRef: ref, values: { src: `media:${media.ref}` } });
}
