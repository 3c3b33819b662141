import htmx from "htmx.org/dist/htmx.esm.js";
import { localizeTimes } from "../../../../kit/ui/web/modules/times";

const TYPING_MS = 400;

/** The policy of the pages allows no inline styles and no code in attributes; pages of customers are not stored. */
function configure(): void {
  Object.assign(htmx.config, {
    includeIndicatorStyles: false,
    allowEval: false,
    allowScriptTags: false,
    selfRequestsOnly: true,
    historyCacheSize: 0,
    refreshOnHistoryMiss: true,
  });
}

const isTyped = (field: EventTarget | null): boolean =>
  field instanceof HTMLInputElement && (field.type === "search" || field.type === "text");

/** Shows what a filter leaves as soon as it is chosen or typed. */
function applyAtOnce(form: HTMLFormElement): void {
  let timer = 0;
  form.addEventListener("submit", () => window.clearTimeout(timer));
  form.addEventListener("change", (event) => {
    if (!isTyped(event.target)) form.requestSubmit();
  });
  form.addEventListener("input", (event) => {
    if (!isTyped(event.target)) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => form.requestSubmit(), TYPING_MS);
  });
}

/** The filters of the address, also after a link that sorts, pages or clears; a field that is being typed in stays. */
function showFiltersOfAddress(form: HTMLFormElement): void {
  const address = new URLSearchParams(window.location.search);
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
    if (field !== document.activeElement) field.value = address.get(field.name) ?? "";
  }
}

/** Filters that are not set are left out of the address. */
function leaveOutEmpty(event: CustomEvent): void {
  const parameters = event.detail.parameters as FormData | Record<string, string>;
  for (const [name, value] of Object.entries(event.detail.unfilteredParameters as Record<string, string>)) {
    if (value === "") delete (parameters as Record<string, string>)[name];
  }
}

interface Arrived {
  xhr: XMLHttpRequest;
  pathInfo: { finalRequestPath: string };
  shouldSwap: boolean;
  isError: boolean;
}

/** A list whose filters are wrong is shown like any other. A response without the list is another page, such as the
 * log-in page: it is opened as a whole. */
function showLists(event: CustomEvent, forms: HTMLFormElement[]): void {
  const detail = event.detail as Arrived;
  if (detail.xhr.responseText.includes('id="list"')) {
    detail.shouldSwap = true;
    detail.isError = false;
    const page = new DOMParser().parseFromString(detail.xhr.responseText, "text/html");
    forms.forEach((form) => showErrors(form, page));
    return;
  }
  event.preventDefault();
  window.location.assign(detail.pathInfo.finalRequestPath);
}

/** At the fields, since these stay when the list is replaced. */
function showErrors(form: HTMLFormElement, page: Document): void {
  for (const field of form.querySelectorAll<HTMLElement>(".input")) {
    const id = `${field.id}-error`;
    const error = page.getElementById(id);
    document.getElementById(id)?.remove();
    if (error) {
      field.after(document.adoptNode(error));
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", id);
    } else {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
  }
}

export function connectLists(root: Document): void {
  configure();
  const filters = [...root.querySelectorAll<HTMLFormElement>("form[data-filters]")];
  filters.forEach(applyAtOnce);
  const listen = (name: string, act: (event: CustomEvent) => void): void =>
    root.addEventListener(name, (event) => act(event as CustomEvent));
  listen("htmx:configRequest", leaveOutEmpty);
  listen("htmx:beforeSwap", (event) => showLists(event, filters));
  listen("htmx:afterSettle", () => root.querySelectorAll("#list").forEach(localizeTimes));
  listen("htmx:pushedIntoHistory", () => filters.forEach(showFiltersOfAddress));
}
