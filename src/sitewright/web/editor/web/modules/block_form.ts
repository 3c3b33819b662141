/** The form of a block, generated from the description of its type. */
import type { Editor } from "./context";
import { alert, button, h, type Child } from "./dom";
import { typeTitle } from "./block_picker";
import { listField } from "./list_field";
import { bareType, type TypeValue, type Widget } from "./model";
import { otherHours } from "./same_hours";
import { hasText, text } from "./texts";
import { simpleField, titleOf, type Save } from "./value_fields";

export function showBlockForm(editor: Editor, ref: number, takeFocus = true): void {
  const widget = editor.content.widget(ref);
  if (widget === undefined) return;
  const type = editor.typeOf(widget.type);
  if (type === undefined) {
    editor.panel.show(`block:${ref}`, text("block"), [alert(text("unknown_block"), "neutral"), blockActions(editor, widget)], takeFocus);
    return;
  }
  const fields = type.values.map((value) => valueField(editor, widget, value));
  const form = h("form", { class: "stack", onsubmit: (event) => event.preventDefault() }, ...fields);
  form.addEventListener("focusout", () => editor.endTyping());
  editor.panel.show(`block:${ref}`, typeTitle(type), [about(type.type), form, otherHours(editor, widget), blockActions(editor, widget)], takeFocus);
}

/** What people have to know about a type before they fill in its form. */
function about(type: string): Child {
  const key = `about_${bareType(type)}`;
  return hasText(key) ? h("p", { class: "soft small" }, text(key)) : null;
}

function blockActions(editor: Editor, widget: Widget): HTMLElement {
  const copy = (): void => editor.change({ kind: "duplicateWidget", widgetRef: widget.ref });
  const remove = (): void => editor.change({ kind: "deleteWidget", widgetRef: widget.ref });
  return h("div", { class: "row" }, button(text("duplicate"), "quiet", copy, "copy"), button(text("delete"), "danger", remove, "trash"));
}

/** The first of a value's names that is present counts; what is written goes to its main name. */
export function currentValue(widget: Widget, value: TypeValue): string {
  const name = [value.name, ...value.also].find((each) => each in widget.values);
  return name === undefined ? value.default : (widget.values[name] ?? value.default);
}

function valueField(editor: Editor, widget: Widget, value: TypeValue): Child {
  const current = currentValue(widget, value);
  const save: Save = (changed, typed) => {
    editor.change({ kind: "setValues", widgetRef: widget.ref, values: { [value.name]: changed } }, typed);
  };
  if (value.type === "richText") return h("p", { class: "soft small" }, text("edit_in_page", { label: titleOf(value) }));
  if (value.type === "list") return listField(editor, value, current, save);
  if (value.type === "html" && !editor.allows("htmlEditing")) return alert(text("rule_htmlEditing"), "warn");
  return simpleField(editor, value, current, save);
}
