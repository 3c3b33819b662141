/** Rich text of list entries in a form: paragraphs as plain text, with a blank line between them. */

/** Whether the text has only paragraphs and line breaks. */
export function isPlain(html: string): boolean {
  return parsed(html).querySelector("body :not(p, br)") === null;
}

export function plainOf(html: string): string {
  const body = parsed(html).body;
  for (const each of body.querySelectorAll("br")) each.replaceWith("\n");
  const paragraphs = body.querySelector("p") === null ? [body] : [...body.querySelectorAll("p")];
  return paragraphs.map((each) => each.textContent ?? "").join("\n\n");
}

export function paragraphsOf(plain: string): string {
  const parts = plain.split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean);
  return parts.map((part) => `<p>${escaped(part).replaceAll("\n", "<br>")}</p>`).join("");
}

/** In a document of its own, in which nothing is loaded or run. */
function parsed(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html");
}

function escaped(plain: string): string {
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
