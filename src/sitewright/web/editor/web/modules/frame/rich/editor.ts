// Rich text that is being edited, in its place in the page.

import { baseKeymap, chainCommands, exitCode } from "prosemirror-commands";
import { history } from "prosemirror-history";
import { inputRules, wrappingInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { liftListItem, sinkListItem, splitListItem } from "prosemirror-schema-list";
import { AllSelection, EditorState, Plugin, Selection, TextSelection } from "prosemirror-state";
import type { Command, Transaction } from "prosemirror-state";
import { Decoration, DecorationSet, EditorView } from "prosemirror-view";
import { sendToPage } from "../../protocol";
import { picturesOf } from "../files";
import { placeOf, widgetAround } from "../page";
import { session } from "../session";
import type { Editing } from "../session";
import type { Point } from "../starting";
import { Typing } from "../typing";
import { nodes, redo, setLink, toggleBold, toggleItalic, undo } from "./commands";
import { parseRich, shownHtml, storedHtml } from "./html";
import { cleanPasted } from "./pasting";
import { safeHref } from "./schema";
import { RichToolbar } from "./toolbar";

export class RichEditing implements Editing {
  readonly view: EditorView;
  private readonly typing: Typing;
  private readonly toolbar: RichToolbar;
  private isEnded = false;

  constructor(
    readonly element: HTMLElement,
    readonly widgetRef: number,
    readonly name: string,
    root: ShadowRoot,
    private readonly onEnd: () => void,
  ) {
    const state = EditorState.create({ doc: parseRich(element), plugins: plugins(this) });
    this.view = new EditorView({ mount: element }, {
      state,
      dispatchTransaction: (transaction) => this.apply(transaction),
      transformPastedHTML: cleanPasted,
      handlePaste: (_view, event) => this.takeFiles(event.clipboardData),
      handleDrop: (_view, event) => this.takeFiles(event.dataTransfer),
      handleDOMEvents: { blur: (_view, event) => this.onBlur(event) },
      attributes: { role: "textbox", "aria-multiline": "true" },
    });
    this.typing = new Typing(this);
    this.toolbar = new RichToolbar(this, root);
    this.toolbar.update();
  }

  value(): string {
    return storedHtml(this.view.state.doc);
  }

  run(command: Command): void {
    if (this.view.state.selection instanceof AllSelection) selectAll(this.view.state, this.view.dispatch);
    command(this.view.state, this.view.dispatch, this.view);
    this.view.focus();
  }

  placeCaret(point: Point | null): void {
    const { state } = this.view;
    const at = point === null ? null : this.view.posAtCoords({ left: point.x, top: point.y });
    const selection = at === null ? Selection.atEnd(state.doc) : TextSelection.near(state.doc.resolve(at.pos));
    this.view.dispatch(state.tr.setSelection(selection));
    this.view.focus();
  }

  selectAll(): void {
    selectAll(this.view.state, this.view.dispatch);
  }

  insertImage(src: string, alt: string, display: string): void {
    const { state } = this.view;
    this.view.dispatch(state.tr.replaceSelectionWith(nodes.image.create({ src, alt, display: display || null })));
  }

  insertLink(href: string | null): void {
    if (href !== null) this.run(setLink(href === "" ? "" : safeHref(href)));
    else this.view.focus();
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.typing.end();
    const shown = shownHtml(this.view.state.doc);
    this.toolbar.remove();
    this.view.destroy();
    for (const name of ["contenteditable", "role", "aria-multiline", "translate"]) this.element.removeAttribute(name);
    this.element.classList.remove("ProseMirror", "ProseMirror-focused");
    this.element.innerHTML = shown === "<p></p>" ? "" : shown;
    this.onEnd();
  }

  askForLink(): boolean {
    this.toolbar.askForLink();
    return true;
  }

  private apply(transaction: Transaction): void {
    this.view.updateState(this.view.state.apply(transaction));
    if (transaction.docChanged) this.typing.changed();
    this.toolbar.update();
  }

  /** Pictures go to the page, which uploads them and answers with `insertImage`. */
  private takeFiles(data: DataTransfer | null): boolean {
    const files = picturesOf(data);
    const widget = widgetAround(this.element);
    if (files.length === 0 || widget === null) return false;
    sendToPage({ type: "files", files, widgetRef: this.widgetRef, ...placeOf(widget) });
    return true;
  }

  /** The focus may go to the toolbar, or to a dialog of the page around. */
  private onBlur(event: FocusEvent): boolean {
    const next = event.relatedTarget;
    if (next instanceof Node && !this.toolbar.contains(next) && !this.element.contains(next)) this.end();
    return false;
  }
}

function plugins(editing: RichEditing): Plugin[] {
  const leave: Command = () => {
    editing.end();
    return true;
  };
  const breakLine: Command = chainCommands(exitCode, (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
    return true;
  });
  const keys = {
    Escape: leave,
    "Mod-a": selectAll,
    "Mod-b": toggleBold,
    "Mod-i": toggleItalic,
    "Mod-z": pageUndo(undo, "undo"),
    "Mod-y": pageUndo(redo, "redo"),
    "Shift-Mod-z": pageUndo(redo, "redo"),
    "Mod-k": (): boolean => editing.askForLink(),
    Enter: splitListItem(nodes.list_item),
    Tab: sinkListItem(nodes.list_item),
    "Shift-Tab": liftListItem(nodes.list_item),
    "Shift-Enter": breakLine,
  };
  const rules = inputRules({
    rules: [
      wrappingInputRule(/^\s*([-*])\s$/, nodes.bullet_list),
      wrappingInputRule(/^1\.\s$/, nodes.ordered_list),
      wrappingInputRule(/^\s*>\s$/, nodes.blockquote),
    ],
  });
  return [rules, keymap(keys), keymap(baseKeymap), history(), placeholder()];
}

/** As a selection of text, which commands for lists and quotations understand. */
const selectAll: Command = ({ doc, tr }, dispatch) => {
  dispatch?.(tr.setSelection(TextSelection.between(Selection.atStart(doc).$from, Selection.atEnd(doc).$to)));
  return true;
};

/** When nothing that was typed here is left to undo, the editor's own undo takes over. */
function pageUndo(command: Command, name: "undo" | "redo"): Command {
  return (state, dispatch) => {
    if (!command(state, dispatch)) sendToPage({ type: "shortcut", name });
    return true;
  };
}

function placeholder(): Plugin {
  return new Plugin({
    props: {
      decorations: ({ doc }) => {
        const first = doc.firstChild;
        if (doc.childCount !== 1 || first === null || !first.isTextblock || first.content.size > 0) return null;
        const attrs = { class: "only-empty", "data-placeholder": session.text("typeHere") };
        return DecorationSet.create(doc, [Decoration.node(0, first.nodeSize, attrs)]);
      },
    },
  });
}
