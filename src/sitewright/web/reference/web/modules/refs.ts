/** Remembers refs of what was created in this tab, and offers them in the forms of other operations. */
const KEY = "try-it-refs";

function known(): Record<string, string> {
  return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Record<string, string>;
}

export function prefill(form: HTMLFormElement): void {
  const refs = known();
  for (const each of form.querySelectorAll<HTMLInputElement>("[data-place=path]")) {
    each.value = refs[each.name] ?? each.value;
  }
}

/** `data-provides` has the path of each ref in the response: {"siteRef": "site.ref"}. */
export function remember(form: HTMLFormElement, text: string): void {
  const provides = JSON.parse(form.dataset.provides ?? "{}") as Record<string, string>;
  if (!Object.keys(provides).length || !text) return;
  const response: unknown = JSON.parse(text);
  const refs = known();
  for (const [name, path] of Object.entries(provides)) {
    const found = fieldOf(response, path);
    if (typeof found === "number" || typeof found === "string") refs[name] = String(found);
  }
  sessionStorage.setItem(KEY, JSON.stringify(refs));
}

function fieldOf(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split(".")) {
    if (Array.isArray(found)) found = found.at(Number(step)) as unknown;
    else if (typeof found === "object" && found !== null) found = (found as Record<string, unknown>)[step];
    else return undefined;
  }
  return found;
}
