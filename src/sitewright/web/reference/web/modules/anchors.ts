/** The reference used to be one page: `/docs#createUser` is now an entry of the list, which links to the page. */
export function followOldAnchor(root: Document, address: Location): void {
  if (address.pathname !== "/docs" || !address.hash) return;
  const entry = root.getElementById(decodeURIComponent(address.hash.slice(1)));
  const link = entry?.querySelector<HTMLAnchorElement>(":scope > a");
  if (link) address.replace(link.href);
}
