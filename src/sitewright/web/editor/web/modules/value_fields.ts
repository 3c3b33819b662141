/** The field of one value of a block, by the type of the value. */
import { addressInput, linkInput } from "./address_field";
import type { Editor } from "./context";
import { checkbox, field, input, select, textarea } from "./dom";
import { daysField, timesField } from "./hours_fields";
import { imageField } from "./image_field";
import type { TypeItem, TypeValue } from "./model";
import { paragraphsOf, plainOf } from "./plain_text";
import { text } from "./texts";

/** What is `typed` is saved after a pause, everything else at once. */
export type Save = (value: string, typed?: boolean) => void;

export function simpleField(editor: Editor, value: TypeItem & Partial<TypeValue>, current: string, save: Save): HTMLElement {
  const [label, about] = [titleOf(value), { "data-focus": value.name }];
  const hint = value.hint ?? undefined;
  const choose = (chosen: string): void => save(chosen);
  const type = (typed: string): void => save(typed, true);
  switch (value.type) {
    case "image":
      return imageField(editor, label, current, choose);
    case "flag":
      return checkbox(label, current === "1", (checked) => choose(checked ? "1" : "0"));
    case "choice":
      return field(label, select(current || (value.choices?.[0] ?? ""), (value.choices ?? []).map((each, index) => [each, value.choiceTitles?.[index] ?? each]), choose), hint);
    case "integer":
      return value.choiceTitles?.length ? field(label, select(current, numbersOf(value, current), choose), hint) : field(label, input(current, type, { ...about, type: "number", min: value.minimum, max: value.maximum, step: 1 }), hint);
    case "html":
      return field(label, textarea(current, type, { ...about, spellcheck: "false", class: "input code-input" }), text("html_hint"));
    case "url":
      return field(label, linkInput(editor, current, type, about), text("link_hint"));
    case "email":
    case "phone":
      return field(label, addressInput(value.type, current, type, about));
    case "date":
      return field(label, input(current, choose, { ...about, type: "date" }));
    case "days":
      return daysField(label, current, choose);
    case "times":
      return timesField(label, current, type);
    case "richText":
      return field(label, textarea(plainOf(current), (typed) => type(paragraphsOf(typed)), { ...about, rows: 4 }));
    default:
      return field(label, value.multiline || current.includes("\n") ? textarea(current, type, about) : input(current, type, about), hint);
  }
}

/** The numbers by their names. Of several that look alike, which have one name, the last is offered. */
function numbersOf(value: Partial<TypeValue>, current: string): [string, string][] {
  const titles = value.choiceTitles ?? [];
  const all = titles.map((title, index): [string, string] => [String(index + (value.minimum ?? 0)), title]);
  return all.filter(([number], index) => titles[index] !== titles[index + 1] || number === current);
}

export function titleOf(value: TypeItem): string {
  return value.title ?? value.name;
}
