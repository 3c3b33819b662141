// What the toolbar and the keys of rich text do.

import { lift, setBlockType, toggleMark, wrapIn } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import type { Attrs, MarkType, NodeType } from "prosemirror-model";
import { liftListItem, wrapInList } from "prosemirror-schema-list";
import type { Command, EditorState } from "prosemirror-state";
import { schema } from "./schema";

export const { nodes, marks } = schema as unknown as {
  nodes: Record<"paragraph" | "heading" | "blockquote" | "bullet_list" | "ordered_list" | "list_item" | "image" | "hard_break" | "horizontal_rule" | "code_block", NodeType>;
  marks: Record<"strong" | "em" | "link", MarkType>;
};

export function isMarked(state: EditorState, mark: MarkType): boolean {
  const { from, to, empty, $from } = state.selection;
  return empty ? mark.isInSet(state.storedMarks ?? $from.marks()) !== undefined : state.doc.rangeHasMark(from, to, mark);
}

export function isInside(state: EditorState, type: NodeType, attrs: Attrs = {}): boolean {
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth);
    if (node.type === type && Object.entries(attrs).every(([name, value]) => node.attrs[name] === value)) return true;
  }
  return false;
}

export const toggleBold = toggleMark(marks.strong);
export const toggleItalic = toggleMark(marks.em);
export const setParagraph = setBlockType(nodes.paragraph);
export const setHeading = (level: number): Command => setBlockType(nodes.heading, { level });
export { redo, undo };

export const toggleQuotation: Command = (state, dispatch) =>
  isInside(state, nodes.blockquote) ? lift(state, dispatch) : wrapIn(nodes.blockquote)(state, dispatch);

export function toggleList(type: NodeType): Command {
  return (state, dispatch) =>
    isInside(state, type) ? liftListItem(nodes.list_item)(state, dispatch) : wrapInList(type)(state, dispatch);
}

/** Aligns every paragraph and heading of the selection; null is the start. */
export function align(value: "center" | "end" | null): Command {
  return (state, dispatch) => {
    const { from, to } = state.selection;
    const change = state.tr;
    state.doc.nodesBetween(from, to, (node, position) => {
      if (node.type === nodes.paragraph || node.type === nodes.heading) change.setNodeAttribute(position, "align", value);
    });
    if (change.docChanged) dispatch?.(change);
    return change.docChanged;
  };
}

export function alignmentOf(state: EditorState): string | null {
  return (state.selection.$from.parent.attrs.align as string | null | undefined) ?? null;
}

/** The address of the link at the selection. */
export function linkAt(state: EditorState): string | null {
  const { $from, from, to, empty } = state.selection;
  const found = marks.link.isInSet($from.marks()) ?? marks.link.isInSet($from.nodeAfter?.marks ?? []);
  if (found !== undefined) return found.attrs.href as string;
  let href: string | null = null;
  if (!empty) state.doc.nodesBetween(from, to, (node) => void (href ??= (marks.link.isInSet(node.marks)?.attrs.href as string) ?? null));
  return href;
}

/** Links the selection, or changes the link that it is in; an empty address removes it. */
export function setLink(href: string): Command {
  return (state, dispatch) => {
    const { from, to } = linkRange(state);
    const change = state.tr.removeMark(from, to, marks.link);
    if (href !== "" && from === to) change.insertText(href, from).addMark(from, from + href.length, marks.link.create({ href }));
    else if (href !== "") change.addMark(from, to, marks.link.create({ href }));
    dispatch?.(change.removeStoredMark(marks.link));
    return true;
  };
}

function linkRange(state: EditorState): { from: number; to: number } {
  const { from, to, empty, $from } = state.selection;
  if (!empty) return { from, to };
  let [start, end] = [from, from];
  $from.parent.forEach((node, offset) => {
    const [begin, until] = [$from.start() + offset, $from.start() + offset + node.nodeSize];
    if (marks.link.isInSet(node.marks) && begin <= from && from <= until) [start, end] = [begin, until];
  });
  return { from: start, to: end };
}
