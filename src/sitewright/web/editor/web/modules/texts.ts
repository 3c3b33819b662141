/** The editor's texts in the user's language, by key. */
let texts: Record<string, string> = {};

export function setTexts(loaded: Record<string, string>): void {
  texts = loaded;
}

/** The text of a key, with `{name}` replaced by facts. A missing text shows its key, which a test would find. */
export function text(key: string, facts: Record<string, string | number> = {}): string {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) => String(facts[name] ?? whole));
}

export function hasText(key: string): boolean {
  return key in texts;
}
