// Styles of the editor on the content. They live in a shadow root, apart from the template's; only what must show on
// elements of the page itself (empty places, the text being edited) is a style of the page.

const TOKENS = "--accent:#1d5fd6;--on-accent:#fff;--surface:#fff;--text:#1b1f24;--line:#c9d0d9;--soft:#e8effc;";
const DARK = "--accent:#7fb0ff;--on-accent:#0b1b33;--surface:#22262d;--text:#f1f3f6;--line:#4a525e;--soft:#2c3a52;";

export const CHROME_STYLE = `
:host{all:initial;position:absolute;top:0;left:0;width:0;height:0;z-index:2147483000;
font:500 14px/1.4 system-ui,sans-serif;color-scheme:light dark;${TOKENS}}
@media (prefers-color-scheme:dark){:host{${DARK}}}
*{box-sizing:border-box}
[hidden]{display:none!important}
.outline,.hover,.marker{position:absolute;pointer-events:none;border-radius:3px}
.outline{outline:2px solid var(--accent);outline-offset:2px;box-shadow:0 0 0 2px #fff}
.hover{outline:1px dashed var(--accent);outline-offset:2px}
.marker{background:var(--accent);height:4px;box-shadow:0 0 0 2px #fff}
.bar{position:absolute;display:flex;flex-wrap:wrap;width:max-content;max-width:min(calc(100vw - 8px),720px);padding:2px;
background:var(--surface);color:var(--text);border:1px solid var(--line);border-radius:10px;
box-shadow:0 4px 16px rgb(0 0 0/.22)}
button{all:unset;box-sizing:border-box;display:inline-flex;align-items:center;justify-content:center;min-width:44px;
height:44px;border-radius:8px;cursor:pointer;color:inherit;font:inherit;-webkit-tap-highlight-color:transparent}
button:hover,button[aria-pressed=true]{background:var(--soft)}
button:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
button:disabled{opacity:.4;cursor:default}
svg{width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.drag{cursor:grab;touch-action:none}
.drag svg{stroke-width:3}
.add{position:absolute;width:44px;min-width:44px;transform:translate(-50%,-50%)}
.add::before{content:"";position:absolute;inset:8px;border-radius:50%;background:var(--accent);
box-shadow:0 0 0 2px #fff}
.add svg{position:relative;color:var(--on-accent);width:16px;height:16px}
.add:hover{background:none}
.ghost{position:absolute;width:max-content;padding:8px 14px;border-radius:10px;background:var(--accent);color:var(--on-accent);
box-shadow:0 6px 20px rgb(0 0 0/.3);pointer-events:none;transform:translate(12px,12px)}
select,input{all:unset;box-sizing:border-box;height:44px;padding:0 10px;font:inherit;color:inherit;border-radius:8px}
select{cursor:pointer;background:var(--surface);padding:11px 14px 11px 10px;appearance:auto}
input{flex:1 1 12rem;min-width:8rem;border:1px solid var(--line);margin:2px;height:40px;background:var(--surface)}
select:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
.text-button{padding:0 12px;white-space:nowrap}
.row{display:flex;flex-wrap:wrap;flex:1 0 100%;align-items:center}
.strip{display:flex;flex-wrap:wrap;min-width:0;max-width:100%}
.strip>*{flex:none}
@media (max-width:600px){.strip{flex-wrap:nowrap;overflow-x:auto;overscroll-behavior-x:contain;scrollbar-width:none}}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.grabbing,.grabbing *{cursor:grabbing!important}
`;

export const PAGE_STYLE = `
html{padding-bottom:var(--editor-covered,0)!important}
[data-static]{cursor:pointer}
[data-value][contenteditable]{outline:none;cursor:text}
[data-value][contenteditable]:empty::before,[data-editor-only][data-value]:empty::before,.ProseMirror>.only-empty::before{
content:attr(data-placeholder);opacity:.55;font-style:italic;pointer-events:none}
.ProseMirror>.only-empty::before{float:left;height:0}
.ProseMirror{position:relative;word-wrap:break-word;white-space:pre-wrap;white-space:break-spaces;
font-variant-ligatures:none;outline:none}
.ProseMirror pre{white-space:pre-wrap}
.ProseMirror img.ProseMirror-separator{display:inline!important;border:none!important;margin:0!important;width:0!important;height:0!important}
.ProseMirror .ProseMirror-selectednode{outline:2px solid #1d5fd6;outline-offset:2px}
.ProseMirror-hideselection *::selection{background:transparent}
[data-editor-empty]{display:flex;align-items:center;justify-content:center;min-height:72px;padding:12px;text-align:center;
border:1px dashed currentColor;border-radius:6px;opacity:.7;font:500 14px/1.4 system-ui,sans-serif}
[data-zone-empty]{min-height:64px;outline:1px dashed currentColor;outline-offset:-1px;border-radius:6px}
[data-zone-end]{display:flex;justify-content:center;padding:16px}
[data-zone-end]>button{all:unset;box-sizing:border-box;min-height:44px;padding:10px 20px;border-radius:10px;cursor:pointer;
border:1px dashed currentColor;font:500 14px/1.4 system-ui,sans-serif;color:inherit}
[data-zone-end]>button:focus-visible{outline:2px solid #1d5fd6;outline-offset:2px}
.raw[data-html]:empty{min-height:48px}
.raw iframe,.raw object,.raw embed{pointer-events:none}
`;

export function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}
