/**
 * Opens `<dialog id="x">` by its link `<a href="#x" data-dialog>`, as a modal.
 * Without this script the link scrolls to the dialog, which `:target` then shows.
 */
export function connectDialogs(root: ParentNode): void {
  for (const opener of root.querySelectorAll<HTMLAnchorElement>("a[data-dialog]")) {
    const dialog = document.getElementById(opener.hash.slice(1));
    if (!(dialog instanceof HTMLDialogElement)) continue;
    opener.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.showModal();
    });
    for (const closer of dialog.querySelectorAll("[data-close]")) {
      closer.addEventListener("click", (event) => {
        event.preventDefault();
        dialog.close();
      });
    }
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
}
