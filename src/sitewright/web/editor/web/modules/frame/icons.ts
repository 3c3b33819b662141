// Icons of the buttons on the content: our own drawings on a grid of 24.

const PATHS: Record<string, string> = {
  drag: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  moveUp: "M12 19V5m-6 6 6-6 6 6",
  moveDown: "M12 5v14m6-6-6 6-6-6",
  duplicate: "M9 9h11v11H9zM5 15H4V4h11v1",
  delete: "M4 7h16M10 11v6m4-6v6M6 7l1 13h10l1-13M9 7V4h6v3",
  settings: "M4 8h9m5 0h2M4 16h3m5 0h8M16 8m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M10 16m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  add: "M12 5v14M5 12h14",
  bold: "M7 5h6a3.5 3.5 0 0 1 0 7H7zm0 7h7a3.5 3.5 0 0 1 0 7H7z",
  italic: "M10 5h8M6 19h8M14 5l-4 14",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  bulletList: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  numberedList: "M10 6h10M10 12h10M10 18h10M4 5l1.5-1v5M4 14.5c0-2 3-2 3 0S4 17 4 19h3",
  quotation: "M5 6v12M10 8h10M10 12h10M10 16h6",
  alignStart: "M4 6h16M4 10h10M4 14h16M4 18h10",
  alignCenter: "M4 6h16M7 10h10M4 14h16M7 18h10",
  alignEnd: "M4 6h16M10 10h10M4 14h16M10 18h10",
  undo: "M4 9h10a5 5 0 0 1 0 10h-4M4 9l4-4M4 9l4 4",
  redo: "M20 9H10a5 5 0 0 0 0 10h4m6-10-4-4m4 4-4 4",
  picture: "M4 5h16v14H4zm0 11 5-5 4 4 3-3 4 4M15.5 9h.01",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name] ?? "");
  svg.append(path);
  return svg;
}
