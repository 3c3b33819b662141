/** A published version: what is shown of it, and the buttons that put it back online or continue editing from it. */
import { randomId } from "./change_queue";
import type { Editor } from "./context";
import { confirmLoss, notify } from "./dialog";
import { button } from "./dom";
import { runCall } from "./loading_panel";
import { text } from "./texts";
import { showTime } from "./times";

export interface Version {
  ref: number;
  published: string;
  current: boolean;
  editable: boolean;
  pages: number | null;
  author: { kind: string; name: string | null } | null;
}

/** Who published it, and how many pages it has. */
export function details(version: Version): string {
  const pages = version.pages === null ? "" : version.pages === 1 ? text("version_page") : text("version_pages", { count: version.pages });
  return [authorOf(version), pages].filter(Boolean).join(" · ");
}

function authorOf({ author }: Version): string {
  if (author === null) return "";
  if (author.kind === "api" || author.kind === "system") return text("author_provider");
  return author.kind === "operator" ? text("author_staff", { name: author.name ?? "" }).trim() : (author.name ?? "");
}

export function restoreButton(editor: Editor, version: Version, done?: () => void): HTMLButtonElement {
  const control = button(text("version_restore"), "quiet", () => void restore(), "upload");
  const restore = async (): Promise<void> => {
    const when = showTime(version.published);
    if (!(await confirmLoss(text("version_restore_title"), text("version_restore_text", { when }), text("version_restore"), "primary"))) return;
    if (!(await runCall(control, () => editor.api.post(`/versions/${version.ref}/restore`)))) return;
    done?.();
    notify(text("version_restored", { when }));
    editor.showPanel("history");
  };
  return control;
}

export function editButton(editor: Editor, version: Version, done?: () => void): HTMLButtonElement {
  const control = button(text("version_edit"), "quiet", () => void edit(), "pencil");
  const edit = async (): Promise<void> => {
    const when = showTime(version.published);
    if (!(await confirmLoss(text("version_edit_title"), text("version_edit_text", { when }), text("version_edit"), "primary"))) return;
    if (!(await editor.flush())) return notify(text("publish_unsaved"));
    if (!(await runCall(control, () => editor.api.post(`/versions/${version.ref}/edit`, { id: randomId(), session: editor.session })))) return;
    done?.();
    await editor.contentReplaced(text("version_edited", { when }));
  };
  return control;
}
