/** Enhancement of the console: lists without reloads, previews of what is typed, and the command palette. */
import { connectLists } from "./modules/lists";
import { connectPalette } from "./modules/palette";
import { connectPreviews } from "./modules/preview";

connectLists(document);
connectPreviews(document);
connectPalette(document);
