/** The content of the site as the service sends it, and the changes that can be made to it. */
export const MAIN_ZONE = "page-zones__main";

export interface Widget {
  kind: "widget";
  ref: number;
  etag: string;
  pageRef: number;
  parentId: string;
  name: string;
  type: string;
  position: number;
  values: Record<string, string>;
}

interface PageFields {
  ref: number;
  request: string;
  title: string;
  status: string;
  canPublish: number;
  keywords: string | null;
  description: string | null;
  seoTitle: string | null;
  parentId: number;
  displayOrder: number;
  hiddenFromNavigation: number;
}

export interface Page {
  kind: "page";
  ref: number;
  etag: string;
  page: PageFields;
}

interface GlobalValue {
  kind: "globalValue";
  etag: string;
  name: string;
  value: string;
}

interface StaticValue {
  kind: "staticValue";
  etag: string;
  id: string;
  name: string;
  value: string;
}

interface TemplateItem {
  kind: "template";
  ref: number | null;
  etag?: undefined;
}

export type Item = Widget | Page | GlobalValue | StaticValue | TemplateItem;

interface DeletedItem {
  kind: string;
  ref: number | null;
  id: string | null;
  name: string | null;
}

export interface Outcome {
  change: { number: number; id: string; kind: string };
  items: Item[];
  deleted: DeletedItem[];
  zones: { pageRef: number; parentId: string; widgets: number[] }[];
  pages: { ref: number; parentId: number; displayOrder: number }[];
  canUndo: number;
  canRedo: number;
  /** 1: the service has made this change before, and nothing now. */
  repeated: number;
}

export interface WholeContent {
  number: number;
  templateRef: number | null;
  pages: Page[];
  widgets: Widget[];
  globalValues: GlobalValue[];
  staticValues: StaticValue[];
  canUndo: number;
  canRedo: number;
}

type Values = Record<string, string | null>;

/** The service's `etag`s are added by the queue, which knows the latest. */
export type Change =
  | { kind: "setValues"; widgetRef: number; values: Values }
  | { kind: "addWidget"; pageRef: number; parentId: string; position: number; type: string; values: Record<string, string> }
  | { kind: "addSection"; pageRef: number; position: number; section: string }
  | { kind: "moveWidget"; widgetRef: number; parentId: string; position: number }
  | { kind: "duplicateWidget"; widgetRef: number }
  | { kind: "deleteWidget"; widgetRef: number }
  | { kind: "addPageSet"; pageSet: string }
  | { kind: "addPage"; title: string; pageUrl: string; copyOf?: number; parentId?: number }
  | { kind: "editPage"; pageRef: number; fields: Record<string, unknown> }
  | { kind: "movePage"; pageRef: number; parentId: number; position: number }
  | { kind: "makeHome"; pageRef: number }
  | { kind: "deletePage"; pageRef: number }
  | { kind: "setGlobalValue"; name: string; value: string | null }
  | { kind: "setStaticValue"; id: string; name: string; value: string | null }
  | { kind: "chooseTemplate"; templateRef: number };

/** The name of an item in the queue and in the model. */
export function keyOf(item: { kind: string; ref?: number | null; id?: string | null; name?: string | null }): string {
  if (item.kind === "globalValue") return `globalValue:${item.name}`;
  if (item.kind === "staticValue") return `staticValue:${item.id}:${item.name}`;
  return item.kind === "template" ? "template" : `${item.kind}:${item.ref}`;
}

/** The content as it was last confirmed by the service. */
export class Content {
  private items = new Map<string, Item>();
  /** The latest change that is in the content. */
  number = 0;
  /** The content has every change up to this one. A change of one's own does not raise it: others may have made changes before that one. */
  seen = 0;
  /** The numbers of the changes that were applied since the content was loaded. */
  readonly applied = new Set<number>();
  templateRef: number | null = null;
  canUndo = false;
  canRedo = false;

  /**
   * Blocks in which the user types keep the version that is shown: it is the one that a change of them overwrites.
   * Returns whether one of them is out of date.
   */
  load(whole: WholeContent, typedIn: readonly number[] = []): boolean {
    const shown = typedIn.flatMap((ref) => this.widget(ref) ?? []);
    const all: Item[] = [...whole.pages, ...whole.widgets, ...whole.globalValues, ...whole.staticValues];
    this.items = new Map(all.map((item) => [keyOf(item), item]));
    const isBehind = shown.some((each) => this.etagOf(keyOf(each)) !== each.etag);
    for (const each of shown) this.items.set(keyOf(each), { ...each, ...this.widget(each.ref), etag: each.etag, values: each.values });
    this.number = this.seen = whole.number;
    this.applied.clear();
    this.templateRef = whole.templateRef;
    this.setSteps(whole);
    return isBehind;
  }

  apply(outcome: Outcome): void {
    for (const gone of outcome.deleted) this.items.delete(keyOf(gone));
    for (const item of outcome.items) {
      if (item.kind === "template") this.templateRef = item.ref;
      else this.items.set(keyOf(item), item);
    }
    for (const zone of outcome.zones) this.order(zone);
    for (const place of outcome.pages) {
      const item = this.page(place.ref);
      if (item) Object.assign(item.page, { parentId: place.parentId, displayOrder: place.displayOrder });
    }
    this.number = Math.max(this.number, outcome.change.number);
    this.applied.add(outcome.change.number);
    this.setSteps(outcome);
  }

  private setSteps(from: { canUndo: number; canRedo: number }): void {
    this.canUndo = Boolean(from.canUndo);
    this.canRedo = Boolean(from.canRedo);
  }

  private order(zone: { pageRef: number; parentId: string; widgets: number[] }): void {
    zone.widgets.forEach((ref, position) => {
      const item = this.widget(ref);
      if (item) Object.assign(item, { pageRef: zone.pageRef, parentId: zone.parentId, position });
    });
  }

  etagOf(key: string): string | null {
    return this.items.get(key)?.etag ?? null;
  }

  widget(ref: number): Widget | undefined {
    const item = this.items.get(`widget:${ref}`);
    return item?.kind === "widget" ? item : undefined;
  }

  page(ref: number): Page | undefined {
    const item = this.items.get(`page:${ref}`);
    return item?.kind === "page" ? item : undefined;
  }

  get pages(): Page[] {
    const pages = [...this.items.values()].filter((item): item is Page => item.kind === "page");
    return pages.sort((one, other) => one.page.displayOrder - other.page.displayOrder || one.ref - other.ref);
  }

  /** The page with the address `home`, else the first that visitors see. */
  get home(): Page | undefined {
    const pages = this.pages;
    const shown = pages.filter((each) => this.isShown(each));
    return shown.find((each) => each.page.request.toLowerCase() === "home") ?? shown[0] ?? pages[0];
  }

  /** Whether visitors see it. */
  isShown(page: Page): boolean {
    return page.page.status === "active" && page.page.canPublish === 1;
  }

  get widgets(): Widget[] {
    return [...this.items.values()].filter((item): item is Widget => item.kind === "widget");
  }

  /** The widgets of one parent, in order. */
  siblings(pageRef: number, parentId: string): Widget[] {
    const all = this.widgets.filter((item) => item.pageRef === pageRef && item.parentId === parentId);
    return all.sort((one, other) => one.position - other.position || one.ref - other.ref);
  }

  hasWidgets(pageRef: number): boolean {
    return this.widgets.some((item) => item.pageRef === pageRef);
  }

  globalValue(name: string): string | null {
    const item = this.items.get(`globalValue:${name}`);
    return item?.kind === "globalValue" ? item.value : null;
  }

  staticValue(id: string, name: string): string | null {
    const item = this.items.get(`staticValue:${id}:${name}`);
    return item?.kind === "staticValue" ? item.value : null;
  }
}

export interface TypeItem {
  name: string;
  type: string;
  title?: string;
  description: string;
  choices?: string[];
  choiceTitles?: string[];
  multiline?: boolean;
}

export interface TypeValue extends TypeItem {
  also: string[];
  default: string;
  hint?: string | null;
  minimum?: number | null;
  maximum?: number | null;
  choices: string[];
  items: TypeItem[];
}

export interface WidgetType {
  type: string;
  title?: string;
  description: string;
  group?: string;
  icon?: string;
  values: TypeValue[];
}

interface Section {
  name: string;
  title: string;
  description: string;
  widgets: { type: string; values: Record<string, string> }[];
}

/** First pages of a site; each names its ready-made sections. */
export interface PageSet {
  name: string;
  title: string;
  description: string;
  pages: { title: string; pageUrl: string; sections: string[] }[];
}

export interface Choice {
  ref: number;
  name: string;
  values: Record<string, string>;
}

/** A font of the template, for samples of it. */
export interface Face {
  family: string;
  url: string;
  weights: string;
}

export interface Start {
  token: string;
  name: string;
  address: string | null;
  published: boolean;
  texts: Record<string, string>;
  types: WidgetType[];
  sections: Section[];
  pageSets: PageSet[];
  templates: { ref: number; name: string; thumbnail: string }[];
  design: { colors: Choice[]; fonts: Choice[]; colorRef: number | null; fontRef: number | null; faces: Face[] };
  rules: Record<string, number>;
  profile: Record<string, string>;
}

export interface Media {
  ref: number;
  name: string;
  alt: string;
  mimeType: string;
  width: number;
  height: number;
  focalX: number;
  focalY: number;
  url: string;
}

export function bareType(type: string): string {
  return type.replace(/^widget\./, "");
}
