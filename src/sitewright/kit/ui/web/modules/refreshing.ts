const EVERY_MS = 5000;
const PENDING = "[data-pending]";

/**
 * Replaces the parts of a page that wait for something, until none does: the elements with `data-pending` and an id. A part that
 * has the focus stays as it is. `connect` is called for what is new.
 */
export function refreshPending(root: ParentNode, connect: (part: ParentNode) => void): void {
  if (!root.querySelector(PENDING)) return;
  setTimeout(async () => {
    if (!document.hidden) await refresh(root, connect);
    refreshPending(root, connect);
  }, EVERY_MS);
}

async function refresh(root: ParentNode, connect: (part: ParentNode) => void): Promise<void> {
  let text: string;
  try {
    const response = await fetch(location.href, { redirect: "error" });
    if (!response.ok) return;
    text = await response.text();
  } catch {
    return; // The next attempt may succeed.
  }
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of root.querySelectorAll(PENDING)) {
    const replacement = fresh.getElementById(part.id);
    if (!replacement || part.contains(document.activeElement) || replacement.isEqualNode(part)) continue;
    const imported = document.importNode(replacement, true);
    part.replaceWith(imported);
    connect(imported);
  }
}
