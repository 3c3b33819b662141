/** One visit of the editor: loads the content, shows a page, and connects queue, frame and panels. */
import { showAdded, showAddedSection } from "./added_block";
import { Api, CallFailed } from "./api";
import { showBlockPicker, typeTitle } from "./block_picker";
import { showBusiness, showProblem } from "./business_panel";
import { itemOf } from "./changed_item";
import { ChangeQueue, randomId, type State } from "./change_queue";
import { ChangeStore, type Entry } from "./change_store";
import { decideConflict, showLogIn, showRefusal } from "./conflicts";
import type { Editor } from "./context";
import { endPreview } from "./design_choices";
import { showDesign } from "./design_panel";
import { notify } from "./dialog";
import { FrameLink } from "./frame_link";
import { FrameMessages } from "./frame_messages";
import { showHistory } from "./history_panel";
import { showState } from "./indicator";
import { Content, bareType, keyOf, type Change, type Outcome, type Page, type Start, type WholeContent, type WidgetType } from "./model";
import { showPages } from "./pages_panel";
import { Panel } from "./panel";
import { isContentInUse, showConfirmed, showLoaded } from "./panel_updates";
import { PreviewWidths } from "./preview_widths";
import { ALL_RICH, TEXTS, type Place, type Texts, type ToFrame } from "./protocol";
import { showPublish } from "./publish_dialog";
import { showRedirects } from "./redirects_panel";
import { Renderer } from "./renderer";
import { showShare } from "./share_panel";
import { isTyping, shortcutOf } from "./shortcuts";
import { setTexts, text } from "./texts";
import { Uncovering } from "./uncovering";
import { watchOthers } from "./other_tabs";
import { showWelcome } from "./welcome";
import { fetchContent } from "./whole_content";

const PANELS: Record<string, (editor: Editor) => void> = {
  add: showBlockPicker, pages: showPages, business: (editor) => void showBusiness(editor), design: showDesign,
  history: showHistory, share: showShare, redirects: showRedirects,
};

export class EditorSession implements Editor {
  readonly api: Api;
  readonly content = new Content();
  readonly panel: Panel;
  readonly session = randomId();
  start!: Start;
  place: Place | null = null;
  selected: number | null = null;
  private queue!: ChangeQueue;
  private frame!: FrameLink;
  private readonly messages = new FrameMessages(this);
  private renderer!: Renderer;
  private widths!: PreviewWidths;
  private uncovering: Uncovering | null = null;
  private pageRef: number | null;
  private opensAdded = false;
  private selectsAdded = false;
  private logIn: { close(): void } | null = null;
  /** The block whose text is open in the page. */
  private typedIn: number | null = null;
  /** Whether somebody else changed what the user has open. */
  private isBehind = false;

  private constructor(private readonly root: HTMLElement) {
    this.api = new Api(root.dataset["base"] ?? "");
    this.pageRef = Number(root.dataset["page"]) || null;
    this.panel = new Panel(root, (name) => this.showPressed(name));
  }

  static async open(root: HTMLElement): Promise<void> {
    const session = new EditorSession(root);
    try {
      await session.load();
    } catch (error) {
      notify(error instanceof CallFailed && error.message ? error.message : text("load_failed"));
    }
  }

  get page(): Page | undefined {
    return this.pageRef === null ? undefined : this.content.page(this.pageRef);
  }

  private async load(): Promise<void> {
    const [start, whole, store] = await Promise.all([
      this.api.get<Start>("/start"),
      this.api.get<{ content: WholeContent }>("/content"),
      ChangeStore.open(),
    ]);
    this.start = start;
    this.api.setToken(start.token);
    setTexts(start.texts);
    this.content.load(whole.content);
    this.queue = new ChangeQueue(this.api, store, Number(this.root.dataset["site"]), this.session, this);
    const stage = this.root.querySelector<HTMLElement>("[data-stage]") ?? this.root;
    this.frame = new FrameLink(stage, text("frame_title"), (message) => this.messages.receive(message));
    this.renderer = new Renderer(this.api, (html, keep) => this.frame.send({ type: "render", html, keep }));
    this.widths = new PreviewWidths(stage, (editing) => this.frame.send({ type: "mode", editing }));
    this.uncovering = new Uncovering(this.root, stage, () => this.panel.blockRef, (message) => this.frame.send(message));
    this.connectControls();
    this.openFirstPage();
    this.showSteps();
    showState("saved", 0);
    await this.queue.resume();
    if (this.page === undefined && this.queue.waiting === 0) showWelcome(this);
    watchOthers(this.api, this.session, this.content, () => void this.showOthers());
  }

  private openFirstPage(): void {
    const first = this.page ?? this.content.home;
    if (first !== undefined) {
      const isLoading = this.pageRef === null && this.content.isShown(first);
      this.openPage(first.ref, isLoading ? null : first.ref);
      return;
    }
    this.openFrame(null);
  }

  private openFrame(pageRef: number | null): void {
    const address = `${this.api.base}/frame${pageRef === null ? "" : `?page=${pageRef}`}`;
    this.typedIn = null;
    this.frame.open(address, this.frameTexts(), ALL_RICH);
  }

  private frameTexts(): Texts {
    const types = Object.fromEntries(this.start.types.map((type) => [bareType(type.type), typeTitle(type)]));
    return { ...Object.fromEntries(TEXTS.map((name) => [name, text(`frame_${name}`)])), types };
  }

  /** `frameRef` is null where the frame has loaded this page as the home page. */
  openPage(ref: number, frameRef: number | null = ref): void {
    if (this.content.page(ref) === undefined) return;
    this.pageRef = ref;
    this.selected = null;
    this.place = null;
    history.replaceState(history.state, "", `?page=${ref}`);
    this.openFrame(frameRef);
    if (this.panel.current === "pages") showPages(this);
    else if (this.panel.current?.startsWith("block:")) this.panel.close();
  }

  openAddedPage(): void {
    this.opensAdded = true;
  }

  change(change: Change, typed = false, isShown = false): void {
    const key = itemOf(change);
    this.selectsAdded = change.kind === "addWidget" || change.kind === "addSection";
    this.queue.add(change, key, key === null ? null : this.etagOf(key), typed, isShown);
  }

  saveDetails(values: Record<string, string>): void {
    if (values["business"] !== undefined) this.start.profile["business"] = values["business"];
    this.queue.addDetails(values);
  }

  /** Text that is being typed is left first. Otherwise it would hide the step, and be sent again when it is left later. */
  undo(): void {
    this.queue.stepAfter(this.leaveText(), "undo");
  }

  redo(): void {
    this.queue.stepAfter(this.leaveText(), "redo");
  }

  endTyping(): void {
    this.queue.endTyping();
    this.renderer.keep = null;
  }

  /** A value is being typed in the page: its element is left alone while the rest is rendered again. */
  typing(widgetRef: number | null): void {
    this.renderer.keep = widgetRef;
  }

  openText(widgetRef: number | null): void {
    this.typedIn = widgetRef;
    this.catchUp();
  }

  private catchUp(): void {
    if (this.isBehind && !isContentInUse(this, null)) void this.reload();
  }

  /** The blocks of the open text and of the form in which the user types. */
  private get blocksInUse(): number[] {
    return [this.typedIn, this.panel.isInUse ? this.panel.blockRef : null].filter((ref) => ref !== null);
  }

  select(widgetRef: number | null): void {
    this.selected = widgetRef;
    this.send({ type: "select", widgetRef });
  }

  send(message: ToFrame): void {
    if (message.type === "focus") this.frame.focus();
    this.frame.send(message);
  }

  renderAgain(): void {
    if (this.pageRef !== null) this.renderer.request(this.pageRef);
  }

  typeOf(type: string): WidgetType | undefined {
    return this.start.types.find((each) => bareType(each.type) === bareType(type));
  }

  allows(capability: string): boolean {
    return (this.start.rules[capability] ?? 0) > 0;
  }

  etagOf(item: string): string | null {
    return this.content.etagOf(item);
  }

  onState(state: State, waiting: number): void {
    showState(state, waiting);
    if (state === "loggedOut") this.logIn ??= showLogIn(() => this.queue.retryNow());
    else if (state === "saved" || state === "saving") this.closeLogIn(state);
  }

  private closeLogIn(state: State): void {
    if (state !== "saved") return;
    this.logIn?.close();
    this.logIn = null;
  }

  onConfirmed(entry: Entry, outcome: Outcome, isLast: boolean): void {
    this.content.apply(outcome);
    this.showSteps();
    if (this.followAdded(entry, outcome)) return;
    if (this.isPageGone) this.openAnotherPage();
    else if (isLast) this.renderAgain();
    showConfirmed(this, entry);
    if (outcome.items.some((item) => item.kind === "template")) void this.reloadDesign();
  }

  onDetailsSaved(details: Record<string, string>, isLast: boolean): void {
    if (isLast) this.renderAgain();
    showProblem(details, null);
    if (details["newLink"] && this.panel.current === "business") void showBusiness(this, "newName");
  }

  onConflict(entry: Entry, failure: CallFailed): ReturnType<typeof decideConflict> {
    return decideConflict(entry, failure).then((decision) => {
      if (decision.kind === "drop") void this.reload(entry.item);
      return decision;
    });
  }

  onRefused(entry: Entry, failure: CallFailed): void {
    const loaded = this.reload(entry.item);
    if (failure.code === "nothingToUndo" || failure.code === "nothingToRedo") notify(text(failure.code));
    else if (failure.code === "contentChanged") notify(text("step_changed"));
    else if (entry.details === undefined || !showProblem(entry.details, failure.message)) void showRefusal(this, entry, failure, loaded);
  }

  /** Open the page, or select the block, that the user has just added. */
  private followAdded(entry: Entry, outcome: Outcome): boolean {
    const added = entry.change?.kind;
    if ((added === "addPage" || added === "addPageSet") && this.opensAdded) {
      this.opensAdded = false;
      const page = outcome.items.find((item) => item.kind === "page");
      if (page?.kind === "page") this.openPage(page.ref);
      return page !== undefined;
    }
    if ((added === "addWidget" || added === "addSection") && this.selectsAdded) {
      this.selectsAdded = false;
      const widget = outcome.items.find((item) => item.kind === "widget");
      if (widget?.kind === "widget") {
        this.place = null;
        this.selected = widget.ref;
        this.renderer.afterNext = () => (added === "addWidget" ? showAdded : showAddedSection)(this, widget.ref);
      }
    }
    return false;
  }

  /** Whether the page that is shown was deleted, or the first one was added elsewhere. */
  private get isPageGone(): boolean {
    return this.page === undefined && (this.pageRef !== null || this.content.home !== undefined);
  }

  private openAnotherPage(): void {
    this.pageRef = null;
    this.openFirstPage();
    if (this.page === undefined) showWelcome(this);
  }

  private async reloadDesign(): Promise<void> {
    this.start = { ...(await this.api.get<Start>("/start")), token: this.start.token };
    if (this.panel.current === "design") showDesign(this);
  }

  /** An open text keeps the whole page as it is until it is left, a dialog the whole content; a form in use keeps its own block. */
  private async showOthers(): Promise<void> {
    const wasBehind = this.isBehind;
    const isLoaded = await this.reload();
    if (!isLoaded && (wasBehind || !this.isBehind)) return;
    const isFormer = this.typedIn !== null || this.isBehind;
    notify(text(isFormer ? "changed_while_typing" : "changed_elsewhere"));
  }

  /**
   * Load everything again: somebody else changed the site, or the service refused a change of the item `dropped`.
   * What the user types in stays as it is until it is left. Returns whether it was loaded.
   */
  async reload(dropped: string | null = null): Promise<boolean> {
    const whole = isContentInUse(this, dropped) ? null : await fetchContent(this.api, this.content);
    const isInUse = isContentInUse(this, dropped);
    this.isBehind ||= isInUse;
    if (whole === null || isInUse) return false;
    const kept = this.blocksInUse.filter((ref) => keyOf({ kind: "widget", ref }) !== dropped);
    this.isBehind = this.content.load(whole, kept);
    this.showSteps();
    if (this.isPageGone) this.openAnotherPage();
    else this.renderAgain();
    showLoaded(this, kept);
    return true;
  }

  /** Ends typing in the page; what was typed is in the queue when this resolves. */
  async leaveText(): Promise<void> {
    await this.frame.leaveText();
    await this.messages.settled;
  }

  async flush(): Promise<boolean> {
    await this.leaveText();
    await this.queue.flush();
    return this.queue.waiting === 0;
  }

  async contentReplaced(notice: string): Promise<void> {
    await this.reloadDesign().catch(() => undefined);
    if (await this.reload()) notify(notice);
  }

  showPanel(name: string): void {
    PANELS[name]?.(this);
  }

  publish(): void {
    void this.flush().then(() => showPublish(this, this.queue.waiting));
  }

  togglePreview(): void {
    this.panel.close();
    this.widths.togglePreview();
    this.showPressed(this.panel.current);
  }

  private connectControls(): void {
    const commands: Record<string, () => void> = {
      undo: () => this.undo(), redo: () => this.redo(), publish: () => this.publish(),
      add: () => this.toggle("add"), pages: () => this.toggle("pages"), business: () => this.toggle("business"),
      design: () => this.toggle("design"), history: () => this.toggle("history"), preview: () => this.togglePreview(), share: () => this.showPanel("share"),
    };
    for (const control of document.querySelectorAll<HTMLElement>("[data-command], [data-tool]")) {
      control.addEventListener("click", () => commands[control.dataset["command"] ?? control.dataset["tool"] ?? ""]?.());
    }
    document.addEventListener("focusout", () => this.catchUp());
    document.addEventListener("close", () => this.catchUp(), true); // a dialog was closed
    document.addEventListener("keydown", (event) => {
      const name = shortcutOf(event);
      if (name === null || isTyping(event.target)) return;
      event.preventDefault();
      commands[name]?.();
    });
  }

  private toggle(name: string): void {
    if (name === "add") this.place = null;
    this.widths.leavePreview();
    if (this.panel.current === name) this.panel.close();
    else this.showPanel(name);
  }

  private showPressed(name: string | null): void {
    if (name !== "design") endPreview(this);
    this.uncovering?.update();
    for (const tool of this.root.querySelectorAll<HTMLElement>("[data-tool]")) {
      const isPreview = tool.dataset["tool"] === "preview";
      tool.setAttribute("aria-pressed", String(isPreview ? (this.widths?.isPreview ?? false) : tool.dataset["tool"] === name));
    }
  }

  private showSteps(): void {
    const allowed = { undo: this.content.canUndo, redo: this.content.canRedo };
    for (const [name, isAllowed] of Object.entries(allowed)) {
      const control = document.querySelector<HTMLButtonElement>(`[data-command="${name}"]`);
      if (control) control.disabled = !isAllowed;
    }
  }
}
