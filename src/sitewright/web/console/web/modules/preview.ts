const TYPING_MS = 400;

/** A new frame begins without history, so that the browser's back button leaves the page. */
function renewFrame(form: HTMLFormElement): void {
  const frame = form.querySelector("iframe");
  if (frame === null) return;
  const renewed = frame.cloneNode() as HTMLIFrameElement;
  renewed.removeAttribute("src");
  frame.replaceWith(renewed);
}

/** Shows what is typed, without saving it, a moment after each change. */
function connectForm(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>("[data-preview-button]");
  if (button === null) return;
  let timer = 0;
  form.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => form.requestSubmit(button), TYPING_MS);
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter === button) renewFrame(form);
    else window.clearTimeout(timer);
  });
}

export function connectPreviews(root: Document): void {
  root.querySelectorAll<HTMLFormElement>("form[data-preview]").forEach(connectForm);
}
