/** The visual editor of a site. Entry point: opens the session for the page's root element. */
import { EditorSession } from "./modules/session";

const root = document.querySelector<HTMLElement>("[data-editor]");
if (root !== null) void EditorSession.open(root);
