/** Progressive enhancement of every page: each of these works without it, less conveniently. */
import { connectCopyButtons } from "./modules/copying";
import { connectDialogs } from "./modules/dialogs";
import { refreshPending } from "./modules/refreshing";
import { localizeTimes } from "./modules/times";
import { dismissToasts } from "./modules/toasts";
import { preventDoubleSubmit } from "./modules/forms";

connect(document);
dismissToasts(document);
refreshPending(document, connect);

function connect(root: ParentNode): void {
  localizeTimes(root);
  connectDialogs(root);
  connectCopyButtons(root);
  preventDoubleSubmit(root);
}
