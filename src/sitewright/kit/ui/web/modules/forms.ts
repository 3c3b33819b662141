/** Ignores a second click while a form that changes something is being sent, and shows that it is on its way. A button that
 * shows its response in a frame leaves the page as it is. */
export function preventDoubleSubmit(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>('form[method="post"]')) {
    form.addEventListener("submit", (event) => {
      if (event.submitter?.hasAttribute("formtarget")) return;
      if (form.ariaBusy === "true") event.preventDefault();
      form.ariaBusy = "true";
    });
  }
  // A page that the browser restores from its history has no request under way.
  addEventListener("pageshow", () => {
    for (const form of root.querySelectorAll("form")) form.ariaBusy = null;
  });
}
