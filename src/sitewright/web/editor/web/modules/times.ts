/** Dates and times in the reader's language and time zone, without seconds. */
export function showTime(instant: string): string {
  return format(instant, { dateStyle: "medium", timeStyle: "short" });
}

export function showDate(instant: string): string {
  return format(instant, { dateStyle: "medium" });
}

function format(instant: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(document.documentElement.lang || undefined, options).format(new Date(instant));
}
