/** Shows `<time data-local>` in the reader's own time zone, without seconds; the server renders UTC. */
export function localizeTimes(root: ParentNode): void {
  const language = document.documentElement.lang || undefined;
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const utc = element.textContent ?? "";
    const options: Intl.DateTimeFormatOptions =
      element.dataset["local"] === "date" ? { dateStyle: "long" } : { dateStyle: "long", timeStyle: "short" };
    element.textContent = new Intl.DateTimeFormat(language, options).format(at);
    element.title = utc;
  }
}
