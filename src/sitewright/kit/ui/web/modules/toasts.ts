/** Gives toasts a working close button. They do not vanish by themselves: readers differ in speed. */
export function dismissToasts(root: ParentNode): void {
  for (const toast of root.querySelectorAll<HTMLElement>("[data-toast]")) {
    const close = toast.querySelector<HTMLButtonElement>("button");
    if (close === null) continue;
    close.hidden = false;
    close.addEventListener("click", () => toast.remove());
  }
  forgetOutcome();
}

/** Removes `?done=` from the address, so that a reload does not report the same outcome again. */
function forgetOutcome(): void {
  const here = new URL(location.href);
  if (!here.searchParams.has("done")) return;
  here.searchParams.delete("done");
  history.replaceState(history.state, "", here);
}
