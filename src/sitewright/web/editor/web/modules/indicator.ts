/** Shows whether everything is saved. */
import type { State } from "./change_queue";
import { find } from "./panel";
import { text } from "./texts";

export function showState(state: State, waiting: number): void {
  const indicator = find(document, "[data-indicator]");
  indicator.dataset["state"] = state;
  const message = waiting === 1 && state === "offline" ? text("state_offline_one") : text(`state_${state}`, { count: waiting });
  const label = find(indicator, "[data-indicator-text]");
  if (label.textContent !== message) label.textContent = message;
}
