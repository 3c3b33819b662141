/** A button on each piece of code that copies it. Browsers allow that on secure pages only. */
const SHOWN_MS = 1500;

export function addCopyButtons(root: ParentNode): void {
  if (!navigator.clipboard) return;
  for (const code of root.querySelectorAll<HTMLElement>("pre.code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button plain";
    button.textContent = "Copy";
    button.ariaLabel = `Copy: ${code.ariaLabel ?? "code"}`;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), SHOWN_MS);
    });
    const frame = document.createElement("div");
    frame.className = `copied ${code.className.replace("code", "")}`;
    code.replaceWith(frame);
    frame.append(code, button);
  }
}
