/** What the parts of the editor share. */
import type { Api } from "./api";
import type { Change, Content, Page, Start, WidgetType } from "./model";
import type { Panel } from "./panel";
import type { Place, ToFrame } from "./protocol";

export interface Editor {
  readonly api: Api;
  readonly start: Start;
  readonly content: Content;
  readonly panel: Panel;
  /** This window, by which changes of others are recognized. */
  readonly session: string;
  /** The page that is shown; undefined while the site has none. */
  readonly page: Page | undefined;
  /** Make a change: it is kept and sent in order. What is `typed` waits for a pause, everything else is sent at once. */
  change(change: Change, typed?: boolean): void;
  /** Save business details: they are no step of undo, but kept and sent like changes. */
  saveDetails(values: Record<string, string>): void;
  undo(): void;
  redo(): void;
  endTyping(): void;
  openPage(ref: number): void;
  /** Open the page that the next confirmed `addPage` or `addPageSet` creates. */
  openAddedPage(): void;
  select(widgetRef: number | null): void;
  send(message: ToFrame): void;
  /** Ask the service for the page again, after something that is no change of the content. */
  renderAgain(): void;
  /** Send everything that waits. Resolves to whether everything is saved. */
  flush(): Promise<boolean>;
  /** The whole content was replaced in one step: load it again. */
  contentReplaced(notice: string): Promise<void>;
  showPanel(name: string): void;
  typeOf(type: string): WidgetType | undefined;
  /** Whether the package includes a capability. */
  allows(capability: string): boolean;
  /** Where the next block goes: chosen by a "+" of the frame, or after the selected block. */
  place: Place | null;
  selected: number | null;
}
