/** The pictures of the site: the library, uploads, and addresses that show them. */
import { CallFailed, type Api, type Progress } from "./api";
import type { Box } from "./crop_box";
import type { Media } from "./model";
import { text } from "./texts";

const known = new Map<number, Media>();
export const ACCEPTED = "image/jpeg,image/png,image/gif,image/webp,image/avif,image/svg+xml";

export async function listMedia(api: Api, after: string | null = null): Promise<{ media: Media[]; next: string | null }> {
  const found = await api.get<{ media: Media[]; next: string | null }>(after === null ? "/media" : `/media?${after}`);
  for (const each of found.media) known.set(each.ref, each);
  return found;
}

export async function uploadPicture(api: Api, file: File, onprogress: Progress): Promise<Media> {
  const form = new FormData();
  form.append("file", file, file.name || "picture");
  const { media } = await api.upload<{ media: Media }>("/media", form, onprogress);
  known.set(media.ref, media);
  return media;
}

export async function describePicture(api: Api, ref: number, changes: Partial<Pick<Media, "alt" | "focalX" | "focalY">>): Promise<Media> {
  const { media } = await api.post<{ media: Media }>(`/media/${ref}`, changes);
  known.set(ref, media);
  return media;
}

/** A part of a picture, in shares of its width and height, as a new picture. */
export async function cropPicture(api: Api, ref: number, part: Box): Promise<Media> {
  const { media } = await api.post<{ media: Media }>(`/media/${ref}/crop`, part);
  known.set(media.ref, media);
  return media;
}

/** Drawings fit every size, and are not made of pixels. */
export function isDrawing(media: Media): boolean {
  return media.mimeType === "image/svg+xml";
}

export function mediaRef(value: string): number | null {
  const found = /^media:([1-9][0-9]*)$/.exec(value);
  return found ? Number(found[1]) : null;
}

/** The address that shows the picture of a value on the service's own host. */
export async function pictureUrl(api: Api, value: string): Promise<string | null> {
  const ref = mediaRef(value);
  if (ref === null) return null;
  if (!known.has(ref)) await listMedia(api).catch(() => undefined);
  const found = known.get(ref);
  return found ? ownUrl(found) : null;
}

/** `url` names the site's own host, whose pictures are also on the service's. */
export function ownUrl(media: Media): string {
  return `/account/media/${media.url.split("/").at(-1) ?? ""}`;
}

export function uploadFailure(file: File, error: unknown): string {
  const detail = error instanceof CallFailed && error.message ? error.message : text("upload_failed_text");
  return text("upload_failed", { name: file.name, reason: detail });
}
