/** Progressive enhancement of every page: each of these works without it, less conveniently. */
import { connectDialogs } from "./modules/dialogs";
import { localizeTimes } from "./modules/times";
import { dismissToasts } from "./modules/toasts";
import { preventDoubleSubmit } from "./modules/forms";

localizeTimes(document);
connectDialogs(document);
dismissToasts(document);
preventDoubleSubmit(document);
