const SHOWN_MS = 1500;

/** Buttons that copy the text beside them. Browsers allow that on secure pages only; elsewhere the text is selected by hand. */
export function connectCopyButtons(root: ParentNode): void {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const text = button.parentElement?.querySelector("[data-copied]")?.textContent ?? "";
    const label = button.querySelector("span");
    if (!label) continue;
    const before = label.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      label.textContent = button.dataset["copy"] ?? "";
      setTimeout(() => (label.textContent = before), SHOWN_MS);
    });
  }
}
