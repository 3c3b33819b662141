/** Conveniences of the reference; every page works without them. */
import { addCopyButtons } from "./modules/copy";
import { rememberLanguage } from "./modules/languages";
import { followOldAnchor } from "./modules/anchors";
import { searchWhileTyping } from "./modules/search";

followOldAnchor(document, location);
rememberLanguage(document);
addCopyButtons(document);
searchWhileTyping(document);
