/** On the page with the results, searches while the reader types; everywhere, "/" leads to the field. */
const PAUSE_MS = 150;

export function searchWhileTyping(root: Document): void {
  const form = root.querySelector<HTMLFormElement>("[data-search]");
  const field = form?.querySelector<HTMLInputElement>("input[name=q]");
  if (!form || !field) return;
  root.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.select();
    }
  });
  const results = root.querySelector("[data-results]");
  if (results) field.addEventListener("input", updating(form, field, results));
}

function updating(form: HTMLFormElement, field: HTMLInputElement, results: Element): () => void {
  let waiting: number | undefined;
  let current = 0;
  const update = async (): Promise<void> => {
    const address = `${form.action}?${new URLSearchParams({ q: field.value })}`;
    const own = ++current;
    const response = await fetch(address);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.querySelector("[data-results]");
    // An earlier response may arrive after a later one.
    if (!response.ok || !found || own !== current) return;
    results.replaceChildren(...found.childNodes);
    history.replaceState(null, "", address);
  };
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void update(), PAUSE_MS);
  };
}
