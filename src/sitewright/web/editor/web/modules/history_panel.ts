/** The panel of the site's history: every publish with date, author and thumbnail. */
import type { Editor } from "./context";
import { alert, button, h, type Child } from "./dom";
import { showLoaded } from "./loading_panel";
import { text } from "./texts";
import { showTime } from "./times";
import { details, restoreButton, type Version } from "./version";
import { viewVersion } from "./version_view";

export function showHistory(editor: Editor): void {
  void showLoaded(editor, "history", text("history_title"), async () => {
    const { versions } = await editor.api.get<{ versions: Version[] }>("/versions");
    return content(editor, versions);
  });
}

function content(editor: Editor, versions: readonly Version[]): Child[] {
  if (versions.length === 0) return [alert(text("history_empty"), "neutral")];
  return [
    h("p", { class: "soft small" }, text("history_hint")),
    h("ul", { class: "versions" }, ...versions.map((version) => row(editor, version))),
  ];
}

function row(editor: Editor, version: Version): HTMLElement {
  const when = showTime(version.published);
  const view = button(text("version_view"), "quiet", () => viewVersion(editor, version), "eye");
  view.setAttribute("aria-label", text("version_view_of", { when }));
  view.dataset["focus"] = `version-${version.ref}`;
  return h("li", { class: "version" },
    version.editable ? thumbnail(editor, version, () => view.click()) : null,
    h("div", { class: "version-text" },
      h("p", {}, h("strong", {}, when), version.current ? h("span", { class: "badge good" }, text("version_online")) : null),
      h("p", { class: "soft small" }, details(version)),
      version.editable ? null : h("p", { class: "soft small" }, text("version_not_editable")),
      h("div", { class: "row" }, version.editable ? view : null, version.editable || version.current ? null : restoreButton(editor, version))));
}

/** The home page of the version, small: a sandboxed frame without scripts, loaded when it becomes visible. */
function thumbnail(editor: Editor, version: Version, open: () => void): HTMLElement {
  const frame = h("iframe", { sandbox: "", tabindex: -1, title: text("version_view_of", { when: showTime(version.published) }), scrolling: "no" });
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    frame.src = `${editor.api.base}/versions/${version.ref}/thumbnail`;
  });
  const box = h("div", { class: "thumbnail", "aria-hidden": "true", onclick: open }, frame);
  observer.observe(box);
  return box;
}
