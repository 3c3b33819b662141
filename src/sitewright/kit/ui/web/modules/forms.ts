/** Ignores a second click while a form is being sent, and shows that it is on its way. */
export function preventDoubleSubmit(root: ParentNode): void {
  for (const form of root.querySelectorAll("form")) {
    form.addEventListener("submit", (event) => {
      if (form.ariaBusy === "true") event.preventDefault();
      form.ariaBusy = "true";
    });
  }
  // A page that the browser restores from its history has no request under way.
  addEventListener("pageshow", () => {
    for (const form of root.querySelectorAll("form")) form.ariaBusy = null;
  });
}
