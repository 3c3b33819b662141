const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  date: { dateStyle: "long" },
  minutes: { dateStyle: "long", timeStyle: "short" },
  short: { dateStyle: "medium", timeStyle: "short" },
  time: { timeStyle: "short" },
};

/** Shows `<time data-local>` in the reader's own time zone, without seconds; the server renders UTC. */
export function localizeTimes(root: ParentNode): void {
  const language = document.documentElement.lang || undefined;
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const utc = element.textContent ?? "";
    const how = FORMATS[element.dataset["local"] ?? ""] ?? FORMATS["minutes"];
    element.textContent = new Intl.DateTimeFormat(language, how).format(at);
    element.title = utc;
  }
}
