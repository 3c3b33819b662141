/**
 * Sends changes one after another, each until the service has confirmed or refused it.
 *
 * A change is stored before it is sent, and keeps its id through all attempts: after a lost connection, a 503 or a new
 * log-in the service recognizes it. Typing in one block is merged into one change while it waits.
 */
import { CallFailed, type Api } from "./api";
import type { ChangeStore, Entry } from "./change_store";
import { keyOf, type Change, type Item, type Outcome } from "./model";

export type State = "saved" | "saving" | "offline" | "unavailable" | "loggedOut" | "conflict";
export type Decision = { kind: "overwrite"; etag: string | null } | { kind: "drop" };

interface Listeners {
  /** The version of an item that is shown. */
  etagOf(item: string): string | null;
  /** End typing in the page; what was typed was added when this resolves. */
  leaveText(): Promise<void>;
  onState(state: State, waiting: number): void;
  onConfirmed(entry: Entry, outcome: Outcome, isLast: boolean): void;
  onDetailsSaved(details: Record<string, string>, isLast: boolean): void;
  /** Somebody else changed the item: the user decides. */
  onConflict(entry: Entry, failure: CallFailed): Promise<Decision>;
  /** The service refused the change; it is dropped. */
  onRefused(entry: Entry, failure: CallFailed): void;
}

const TYPING_PAUSE = 600;
/** What is typed into a form is not in the page yet: it is sent sooner. */
const FORM_PAUSE = 250;
const LONGEST_WAIT = 1500;
const MERGE_WITHIN = 20_000;
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 30_000;

export class ChangeQueue {
  private entries: Entry[] = [];
  private isSending = false;
  private sending: Promise<void> = Promise.resolve();
  private timer = 0;
  private failures = 0;
  /** Undo and redo that wait for something else to end first. */
  private announced = 0;
  private lastEdit: { item: string; at: number; names: string } | null = null;
  private state: State = "saved";
  /** Ids that were sent before without a response: the service may have made these changes already. */
  private readonly repeated = new Set<string>();

  constructor(
    private readonly api: Api,
    private readonly store: ChangeStore,
    private readonly site: number,
    private readonly session: string,
    private readonly listeners: Listeners,
  ) {
    addEventListener("online", () => this.retryNow());
    addEventListener("focus", () => this.retryNow());
    document.addEventListener("visibilitychange", () => void this.flush());
    addEventListener("beforeunload", (event) => {
      if (this.announced > 0 || (this.entries.length > 0 && !this.store.isDurable)) event.preventDefault();
    });
  }

  get waiting(): number {
    return this.entries.length + this.announced;
  }

  /** Take up what an earlier visit could not send. The service recognizes what another tab sends as well. */
  async resume(): Promise<void> {
    const kept = await this.store.list(this.site);
    for (const entry of kept) this.repeated.add(entry.id);
    this.entries = [...kept, ...this.entries];
    await this.flush();
  }

  add(change: Change, item: string | null = null, etag: string | null = null, typed = false, isShown = false): void {
    const waiting = this.entries.at(-1);
    if (waiting && !this.wasSent(waiting) && canJoin(waiting, change, item)) {
      join(waiting.change, change);
      waiting.typed &&= typed;
      this.persist(waiting);
      this.schedule(waiting);
      return;
    }
    this.push({ action: "change", change, item, etag, typed, isShown, merge: this.continuesTyping(change, item, typed) });
  }

  /** Business details are sent in order with the changes. Each is sent alone: a wrong one keeps no other from being saved. */
  addDetails(details: Record<string, string>): void {
    const waiting = this.entries.at(-1);
    const names = Object.keys(details).join();
    if (waiting?.details === undefined || this.isInFlight(waiting) || Object.keys(waiting.details).join() !== names) {
      this.push({ action: "details", change: null, item: null, etag: null, merge: false, details });
      return;
    }
    Object.assign(waiting.details, details);
    this.persist(waiting);
    this.schedule(waiting);
  }

  /** Undo or redo once `ready` resolves. Until then, not everything is saved. */
  stepAfter(ready: Promise<void>, action: "undo" | "redo"): void {
    this.announced += 1;
    this.showSaving();
    void ready.then(() => {
      this.announced -= 1;
      this.push({ action, change: null, item: null, etag: null, merge: false });
    });
  }

  /** The user left the field: what follows is a step of its own. */
  endTyping(): void {
    this.lastEdit = null;
  }

  /** Send everything now, without waiting for a pause in typing. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    if (!this.isSending) this.sending = this.sendAll();
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    try {
      while (this.entries.length > 0 && (await this.sendFirst())) this.failures = 0;
    } finally {
      this.isSending = false;
    }
    if (this.waiting === 0) this.show("saved");
  }

  retryNow(): void {
    if (this.entries.length > 0 && this.state !== "conflict") void this.flush();
  }

  private push(made: Pick<Entry, "action" | "change" | "item" | "etag" | "merge" | "typed" | "isShown" | "details">): void {
    const order = Math.max(Date.now(), (this.entries.at(-1)?.order ?? 0) + 1);
    const entry: Entry = { order, site: this.site, id: randomId(), session: this.session, at: Date.now(), ...made };
    if (this.entries.some((each) => each.item !== null && each.item === entry.item)) entry.etag = null;
    this.entries.push(entry);
    this.persist(entry);
    this.showSaving();
    this.schedule(entry);
  }

  /** Typing waits for a pause, but not for long; everything else is sent at once. */
  private schedule(entry: Entry): void {
    clearTimeout(this.timer);
    const isTyping = this.entries.every((each) => each.typed === true || each.details !== undefined);
    const left = Math.max(0, entry.at + LONGEST_WAIT - Date.now());
    const pause = entry.isShown || entry.details !== undefined ? TYPING_PAUSE : FORM_PAUSE;
    this.timer = setTimeout(() => void this.flush(), isTyping ? Math.min(pause, left) : 0);
  }

  private continuesTyping(change: Change, item: string | null, typed: boolean): boolean {
    if (!typed || item === null) {
      this.lastEdit = null;
      return false;
    }
    const names = Object.keys(valuesOf(change)).sort().join();
    const last = this.lastEdit;
    this.lastEdit = { item, names, at: Date.now() };
    return last?.item === item && last.names === names && Date.now() - last.at < MERGE_WITHIN;
  }

  /** The service makes a change with the same id only once: nothing can be added to one that it may have received. */
  private wasSent(entry: Entry): boolean {
    return this.isInFlight(entry) || this.repeated.has(entry.id);
  }

  private isInFlight(entry: Entry): boolean {
    return this.isSending && this.entries[0] === entry;
  }

  /** Returns whether to go on with the next. */
  private async sendFirst(): Promise<boolean> {
    const entry = this.entries[0];
    if (entry === undefined) return false;
    this.show("saving");
    try {
      const outcome = await this.api.post<Outcome>(pathOf(entry), bodyOf(entry));
      const wasTried = this.repeated.delete(entry.id);
      const current = entry.details === undefined && outcome.repeated ? changedSince(entry, outcome) : null;
      if (current !== null && wasTried) return await this.decide(entry, new CallFailed(409, "contentChanged", "", null, { current }));
      if (current !== null) return await this.sendAgain(entry, current.etag ?? null);
      await this.confirm(entry, outcome);
      return true;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      return this.handle(entry, error);
    }
  }

  /** What is typed from now on builds on the confirmed change: the listener gets it before anything else can happen. */
  private async confirm(entry: Entry, outcome: Outcome): Promise<void> {
    this.entries.shift();
    if (entry.details !== undefined) {
      await this.store.write([entry], []);
      this.listeners.onDetailsSaved(entry.details, this.entries.length === 0);
      return;
    }
    const following = this.giveEtags(entry, outcome);
    const written = this.store.write([entry], following);
    this.listeners.onConfirmed(entry, outcome, this.entries.length === 0);
    await written;
  }

  /**
   * Waiting changes get the etags that a confirmed one leaves behind: those of its item, and those of other items that it
   * changed, such as undo does, where they were made on the version that it changed. Otherwise somebody else changed it
   * too, as somebody may have since a change whose response comes with a repetition.
   */
  private giveEtags(confirmed: Entry, outcome: Outcome): Entry[] {
    const etags = new Map(outcome.items.map((each) => [keyOf(each), each.etag ?? null]));
    const following = this.entries.filter(({ item, etag }) => {
      if (item === null) return false;
      const isBuiltOn = !outcome.repeated && etags.has(item) && etag !== null && etag === this.listeners.etagOf(item);
      return item === confirmed.item || isBuiltOn;
    });
    for (const each of following) each.etag = etags.get(each.item ?? "") ?? null;
    return following;
  }

  private async handle(entry: Entry, failure: CallFailed): Promise<boolean> {
    if (failure.isLoggedOut) {
      this.show("loggedOut");
      return false;
    }
    if (failure.isTemporary) {
      this.repeated.add(entry.id);
      this.retryLater(failure);
      return false;
    }
    if (failure.code === "contentChanged" && entry.action === "change") return this.decide(entry, failure);
    await this.absorb(entry);
    await this.drop(entry);
    this.listeners.onRefused(entry, failure);
    return true;
  }

  /** Somebody else changed the item: the user takes over, or leaves it. */
  private async decide(entry: Entry, failure: CallFailed): Promise<boolean> {
    this.show("conflict");
    await this.absorb(entry);
    const decision = await this.listeners.onConflict(entry, failure);
    if (decision.kind === "overwrite") return this.sendAgain(entry, decision.etag);
    await this.drop(entry);
    return true;
  }

  /** As another change, with its own id. Also where another tab has taken up only the beginning of what was typed here. */
  private async sendAgain(entry: Entry, etag: string | null): Promise<boolean> {
    const former = { ...entry };
    Object.assign(entry, { id: randomId(), etag });
    await this.store.write([former], [entry]);
    return true;
  }

  /** Join what was typed since into a change that was not made, so that the user gets all of it. */
  private async absorb(entry: Entry): Promise<void> {
    if (isValue(entry.change)) await this.listeners.leaveText();
    const following = this.entries.filter((each) => each !== entry && isOfOneKind(entry, each.change, each.item));
    for (const each of following) join(entry.change, each.change);
    this.entries = this.entries.filter((each) => !following.includes(each));
    await this.store.write(following, [entry]);
  }

  /** Later changes of the same item build on this one: they go with it. */
  private async drop(entry: Entry): Promise<void> {
    const dropped = this.entries.filter((each) => each === entry || (each.item !== null && each.item === entry.item));
    this.entries = this.entries.filter((each) => !dropped.includes(each));
    await this.store.write(dropped, []);
  }

  private retryLater(failure: CallFailed): void {
    this.failures += 1;
    const delay = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.failures - 1));
    this.show(failure.status === 0 ? "offline" : "unavailable");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), failure.retrySeconds === null ? delay : failure.retrySeconds * 1000);
  }

  private persist(entry: Entry): void {
    void this.store.write([], [entry]);
  }

  private showSaving(): void {
    this.show(this.state === "saved" ? "saving" : this.state);
  }

  private show(state: State): void {
    this.state = state;
    this.listeners.onState(state, this.waiting);
  }
}

function canJoin(waiting: Entry, change: Change | null, item: string | null): boolean {
  return isValue(change) && isOfOneKind(waiting, change, item);
}

function isOfOneKind(waiting: Entry, change: Change | null, item: string | null): boolean {
  return item !== null && waiting.item === item && waiting.change?.kind === change?.kind;
}

function isValue(change: Change | null): boolean {
  return change?.kind === "setValues" || change?.kind === "setGlobalValue" || change?.kind === "setStaticValue";
}

/** The later of two changes of the same item counts. */
function join(earlier: Change | null, later: Change | null): void {
  if (earlier?.kind === "setValues") Object.assign(earlier.values, valuesOf(later));
  else if (earlier?.kind === "editPage" && later?.kind === "editPage") Object.assign(earlier.fields, later.fields);
  else if (earlier !== null && later !== null) Object.assign(earlier, later);
}

/** The item where it is not as this change leaves it: the change was made before, and the response shows what is there now. */
function changedSince(entry: Entry, outcome: Outcome): Item | null {
  const now = outcome.items.find((each) => keyOf(each) === entry.item);
  const [change, values] = [entry.change, now?.kind === "widget" ? now.values : {}];
  if (now === undefined || change === null) return null;
  const isMine = change.kind === "setValues" ? Object.entries(change.values).every(([name, value]) => (values[name] ?? null) === value)
    : !("value" in change && "value" in now) || change.value === now.value;
  return isMine ? null : now;
}

function valuesOf(change: Change | null): Record<string, string | null> {
  return change?.kind === "setValues" ? change.values : {};
}

function pathOf(entry: Entry): string {
  if (entry.details !== undefined) return "/details";
  return entry.action === "change" ? "/changes" : `/changes/${entry.action}`;
}

function bodyOf(entry: Entry): unknown {
  if (entry.details !== undefined) return entry.details;
  const about = { id: entry.id, session: entry.session };
  if (entry.change === null) return about;
  const change = entry.item === null ? entry.change : { ...entry.change, etag: entry.etag };
  return { ...about, merge: entry.merge ? 1 : 0, change };
}

/** `crypto.randomUUID` exists only on https. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (each) => each.toString(16).padStart(2, "0")).join("");
}
