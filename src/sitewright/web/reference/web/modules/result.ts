/** Shows status, headers and body of a response below the form. */
const MAX_SHOWN = 200_000;

export function showResponse(place: HTMLElement, response: Response, text: string): void {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const status = response.type === "opaqueredirect" ? "A redirect, which is not followed" : `${response.status} ${response.statusText}`;
  place.replaceChildren(
    line(status, response.ok ? "badge good" : "badge bad"),
    folded("Headers", code("Headers of the response", headers)),
    text ? code("Body of the response", pretty(text)) : line("No body.", "type"),
  );
}

export function showError(place: HTMLElement, message: string): void {
  place.replaceChildren(line(message, "alert bad"));
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.slice(0, MAX_SHOWN);
  }
}

function line(text: string, className: string): HTMLElement {
  const paragraph = document.createElement("p");
  const inner = document.createElement("span");
  inner.className = className;
  inner.textContent = text;
  paragraph.append(inner);
  return paragraph;
}

function code(label: string, text: string): HTMLElement {
  const block = document.createElement("pre");
  block.className = "code";
  block.tabIndex = 0;
  block.setAttribute("role", "region");
  block.ariaLabel = label;
  block.textContent = text;
  return block;
}

function folded(title: string, content: HTMLElement): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = title;
  details.append(summary, content);
  return details;
}
