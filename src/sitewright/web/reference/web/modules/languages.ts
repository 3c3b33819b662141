/** Shows all examples in the language that the reader chose last. */
const KEY = "reference-language";

export function rememberLanguage(root: ParentNode): void {
  const choices = [...root.querySelectorAll<HTMLInputElement>("[data-languages] input[type=radio]")];
  const show = (language: string): void => {
    for (const each of choices) if (each.value === language) each.checked = true;
  };
  const known = localStorage.getItem(KEY);
  if (known) show(known);
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      localStorage.setItem(KEY, choice.value);
      show(choice.value);
    });
  }
}
