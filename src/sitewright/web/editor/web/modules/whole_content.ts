/** Loads the whole content of the site. */
import type { Api } from "./api";
import type { Content, WholeContent } from "./model";

/** Null where it cannot be loaded. Again where it is older than a change that was confirmed meanwhile. */
export async function fetchContent(api: Api, content: Content): Promise<WholeContent | null> {
  const known = content.number;
  const whole = await api.get<{ content: WholeContent }>("/content").catch(() => null);
  const isOld = whole !== null && content.number > known && content.number > whole.content.number;
  return isOld ? fetchContent(api, content) : (whole?.content ?? null);
}
