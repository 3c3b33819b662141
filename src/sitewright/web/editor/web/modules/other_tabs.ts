/** Notices changes that another tab or another person made. */
import type { Api } from "./api";
import type { Content } from "./model";

const SECONDS = 15;

interface ChangeList {
  changes: { number: number; session: string }[];
  last: number;
}

export function watchOthers(api: Api, session: string, content: Content, onchange: () => void): void {
  const check = async (): Promise<void> => {
    if (document.hidden) return;
    const known = content.number;
    const list = await api.get<ChangeList>(`/changes?since=${known}`).catch(() => null);
    if (list === null) return;
    const isReset = list.last < known;
    const others = list.changes.filter((each) => each.session !== session && each.number > content.number);
    if (isReset || others.length > 0) onchange();
  };
  setInterval(() => void check(), SECONDS * 1000);
  addEventListener("focus", () => void check());
}
