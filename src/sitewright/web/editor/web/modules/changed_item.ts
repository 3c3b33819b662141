/** The item that a change concerns. */
import { keyOf, type Change } from "./model";

/** What a change overwrites or deletes, and therefore names the version of. Moves and additions name none. */
export function itemOf(change: Change): string | null {
  switch (change.kind) {
    case "setValues":
    case "deleteWidget":
      return keyOf({ kind: "widget", ref: change.widgetRef });
    case "editPage":
    case "deletePage":
      return keyOf({ kind: "page", ref: change.pageRef });
    case "setGlobalValue":
      return keyOf({ kind: "globalValue", name: change.name });
    case "setStaticValue":
      return keyOf({ kind: "staticValue", id: change.id, name: change.name });
    default:
      return null;
  }
}
