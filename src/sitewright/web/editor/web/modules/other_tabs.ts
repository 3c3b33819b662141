/** Notices changes that another tab or another person made. */
import type { Api } from "./api";
import type { Content } from "./model";

const SECONDS = 15;

interface ListedChange {
  number: number;
  session: string;
}

interface ChangeList {
  changes: ListedChange[];
  last: number;
}

export function watchOthers(api: Api, session: string, content: Content, onchange: () => void): void {
  const check = async (): Promise<void> => {
    if (document.hidden) return;
    const known = content.seen;
    const list = await api.get<ChangeList>(`/changes?since=${known}`).catch(() => null);
    if (list === null) return;
    const isReset = list.last < known;
    const isMine = (each: ListedChange): boolean => each.session === session || content.applied.has(each.number);
    const others = list.changes.filter((each) => each.number > content.seen && !isMine(each));
    if (isReset || others.length > 0) onchange();
    else content.seen = Math.max(content.seen, list.last);
  };
  setInterval(() => void check(), SECONDS * 1000);
  addEventListener("focus", () => void check());
}
