// Shows sets of colors and fonts before they are saved. The page's style has every set of the template, by attribute of
// the root element: what is shown is exactly what the set looks like once it is chosen.

type Choices = { colors: number | null; fonts: number | null };

const NONE: Choices = { colors: null, fonts: null };
const ATTRIBUTES = [["colors", "data-colours"], ["fonts", "data-fonts"]] as const;
let previewed = NONE;
/** What the rendered page has where a preview shows something else. */
const rendered = new Map<string, string | null>();

export function previewDesign(choices: Choices): void {
  restore();
  previewed = choices;
  showPreview();
}

/** The set counts as rendered: the rendering of the saved choice follows. */
export function chooseDesign(choices: Choices): void {
  restore();
  previewed = choices;
  showPreview();
  previewed = NONE;
  rendered.clear();
}

/** Also after a new rendering, which brings the saved choice. */
export function showPreview(): void {
  for (const [kind, attribute] of ATTRIBUTES) {
    const ref = previewed[kind];
    if (ref === null) continue;
    rendered.set(attribute, document.documentElement.getAttribute(attribute));
    document.documentElement.setAttribute(attribute, String(ref));
  }
}

function restore(): void {
  for (const [attribute, value] of rendered) {
    if (value === null) document.documentElement.removeAttribute(attribute);
    else document.documentElement.setAttribute(attribute, value);
  }
  rendered.clear();
}
