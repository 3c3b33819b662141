/** "Try it" on demo installations: signs the request in the browser, sends it, and shows the response. */
import { authorization, type Credentials } from "./modules/oauth";
import { prefill, remember } from "./modules/refs";
import { showError, showResponse } from "./modules/result";

const UNSAFE = "This browser signs requests only on https or on localhost. Open this page there.";

for (const form of document.querySelectorAll<HTMLFormElement>("[data-try-it]")) {
  form.hidden = false;
  prefill(form);
  form.addEventListener("submit", (event) => {
    const isBeingSent = event.defaultPrevented;
    event.preventDefault();
    if (!isBeingSent) void send(form);
  });
}

function controls(form: HTMLFormElement, place: string): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>(`[data-place=${place}]`)];
}

function addressOf(form: HTMLFormElement): string {
  let path = form.dataset.path ?? "";
  for (const each of controls(form, "path")) path = path.replace(`{${each.name}}`, encodeURIComponent(each.value));
  const query = new URLSearchParams();
  for (const each of controls(form, "query")) if (each.value) query.append(each.name, each.value);
  return location.origin + path + (query.size ? `?${query}` : "");
}

function bodyOf(form: HTMLFormElement): [BodyInit, string] | undefined {
  const [file] = controls(form, "file");
  const chosen = file?.files?.[0];
  if (chosen) return [chosen, chosen.type];
  const [body] = controls(form, "body");
  return body?.value.trim() ? [body.value, "application/json"] : undefined;
}

async function send(form: HTMLFormElement): Promise<void> {
  const result = form.querySelector<HTMLElement>("[data-result]");
  if (!result) return;
  try {
    const response = await fetch(addressOf(form), await requestOf(form));
    const text = await response.text();
    showResponse(result, response, text);
    if (response.ok) remember(form, text);
  } catch (error) {
    showError(result, error instanceof Error ? error.message : String(error));
  } finally {
    form.ariaBusy = null;
  }
}

/** No cookie is sent: the signature is the only credential, so that no other page can use it. */
async function requestOf(form: HTMLFormElement): Promise<RequestInit> {
  const method = form.dataset.method ?? "GET";
  const headers: Record<string, string> = { Accept: "application/json" };
  const body = bodyOf(form);
  if (body) headers["Content-Type"] = body[1];
  if (form.dataset.credentials) {
    if (!crypto.subtle) throw new Error(UNSAFE);
    const credentials = JSON.parse(form.dataset.credentials) as Credentials;
    headers.Authorization = await authorization(method, addressOf(form), credentials);
  }
  return { method, headers, credentials: "omit", cache: "no-store", redirect: "manual", ...(body && { body: body[0] }) };
}
