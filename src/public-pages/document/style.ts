/** The style sheet of the public pages: the dashboard's tokens, written for browsers without light-dark() too. */
import { type BrandColours, brandColours } from "./brand-colours.ts";

/** What the contrast of an account's colour is measured on. */
export const sheets = { light: "#ffffff", dark: "#111613" };
/** The words of the page itself. */
export const inks = { light: "#121a16", dark: "#edf2ef" };

const tokens: readonly (readonly [name: string, light: string, dark: string])[] = [
  ["canvas", "#f4f6f4", "#0b0f0d"],
  ["surface", "#ffffff", "#111613"],
  ["raised", "#ffffff", "#19201c"],
  ["hover", "#eef2ef", "#1a211d"],
  ["line", "#e3e8e5", "#232c27"],
  ["line-strong", "#cbd4cf", "#36423b"],
  ["line-control", "#808c86", "#68756e"],
  ["ink", inks.light, inks.dark],
  ["ink-2", "#44514b", "#b0bcb6"],
  ["ink-3", "#616e67", "#8c9992"],
  ["accent-soft", "#e1f1ea", "#13322a"],
  ["on-accent-soft", "#0a5740", "#86e3c1"],
  ["danger", "#c4302b", "#f5776c"],
  ["warn-soft", "#fcf0d9", "#332710"],
  ["on-warn-soft", "#7a4700", "#f0c377"],
];
/** Without a colour of the account's, the main action is ink, as everywhere in Postrider. */
export const ownColours: { readonly light: BrandColours; readonly dark: BrandColours } = {
  light: { ground: "#16201b", onGround: "#ffffff", edge: "#16201b", mark: "#0a6b4f", onMark: "#ffffff" },
  dark: { ground: "#edf2ef", onGround: "#111613", edge: "#edf2ef", mark: "#4fcb9b", onMark: "#04241a" },
};

export function styleFor(colour: string | null): string {
  const brand = brandColours(colour, sheets) ?? ownColours;
  const light = tokens.map(([name, value]) => `--${name}:${value}`).join(";");
  const dark = tokens.map(([name, , value]) => `--${name}:${value}`).join(";");
  return `:root{color-scheme:light dark;${light};${brandTokens(brand.light)}}
@media (prefers-color-scheme:dark){:root{${dark};${brandTokens(brand.dark)}}}${RULES}`;
}

function brandTokens({ ground, onGround, edge, mark, onMark }: BrandColours): string {
  return `--brand:${ground};--on-brand:${onGround};--edge:${edge};--mark:${mark};--on-mark:${onMark}`;
}

const RULES = `
*,*::before,*::after{box-sizing:border-box}
html{font:400 100%/1.45 "Instrument Sans",ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--ink);background:var(--canvas);-webkit-font-smoothing:antialiased;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;font-size:.875rem;line-height:1.25rem;min-height:100vh;min-height:100dvh;display:grid;grid-template-rows:1fr auto;grid-template-columns:minmax(0,1fr);justify-items:center;padding:56px 16px 24px;gap:32px;overflow-wrap:anywhere}
h1,h2,p,ul,fieldset,legend{margin:0;padding:0;border:0;min-width:0}
ul{list-style:none}
h1{font-size:1.5rem;line-height:1.875rem;font-weight:600;letter-spacing:-.022em;text-wrap:balance}
a{color:inherit;text-decoration:underline;text-decoration-color:var(--line-control);text-underline-offset:3px}
a:hover{text-decoration-color:currentColor}
button,textarea{font:inherit;color:inherit}
:focus-visible{outline:2px solid var(--mark);outline-offset:2px;border-radius:5px}
.sheet{width:100%;max-width:468px;background:var(--surface);border:1px solid var(--line);border-radius:14px;padding:36px 36px 32px;display:grid;grid-template-columns:minmax(0,1fr);gap:20px;align-self:start}
.wide{max-width:680px}
.sender{text-align:center;padding-bottom:20px;border-bottom:1px solid var(--line);font-size:1rem;line-height:1.5rem;font-weight:500}
.caps{font:400 .9375rem/1.5rem Georgia,"Liberation Serif",serif;letter-spacing:.16em;word-spacing:.3em;text-transform:uppercase;margin-inline-end:-.16em}
.logo{display:block;max-width:100%;max-height:56px;width:auto;height:auto;margin:0 auto}
.stack{display:grid;grid-template-columns:minmax(0,1fr);gap:8px}
form{display:grid;grid-template-columns:minmax(0,1fr);gap:20px}
.mid{color:var(--ink-2)} .mid b{color:var(--ink);font-weight:500}
.sm{font-size:.8125rem;line-height:1.125rem} .dim{color:var(--ink-3)}
.label{display:block;font-size:.75rem;line-height:1rem;font-weight:500;color:var(--ink-3);letter-spacing:.01em}
fieldset.stack{display:block} legend.label{margin-bottom:8px}
.mid bdi,.choice bdi{display:inline-block;max-width:100%}
.main,.other{display:block;width:100%;min-height:44px;padding:10px 16px;border-radius:7px;font-size:.875rem;line-height:1.25rem;font-weight:500;text-align:center;text-decoration:none;cursor:pointer}
.main{background:var(--brand);color:var(--on-brand);border:1px solid var(--edge)}
.main:hover{box-shadow:0 0 0 1px var(--edge)}
.other{background:var(--raised);color:var(--ink);border:1px solid var(--line-strong)} .other:hover{background:var(--hover)}
.choices{border:1px solid var(--line-strong);border-radius:10px}
.choices>*+*{border-top:1px solid var(--line)}
.choice{display:grid;grid-template-columns:20px minmax(0,1fr);gap:12px;padding:13px 14px;cursor:pointer}
.choice b,summary b{font-weight:500}
input{appearance:none;-webkit-appearance:none;width:18px;height:18px;margin:1px 0 0;border:1px solid var(--line-control);border-radius:4px;background:var(--surface);display:grid;place-items:center;cursor:pointer}
input[type=radio]{border-radius:50%} input[type=radio]:checked{border:5.5px solid var(--mark)}
input[type=checkbox]:checked{background:var(--mark);border-color:var(--mark)}
input[type=checkbox]:checked::before{content:"";width:12px;height:12px;background:var(--on-mark);clip-path:polygon(14% 47%,4% 57%,36% 88%,96% 24%,86% 14%,36% 67%)}
input.text{display:block;width:100%;height:auto;min-height:44px;padding:9px 11px;margin:0;border-radius:7px;font:inherit;font-size:1rem;line-height:1.5rem;color:inherit;cursor:text;place-items:normal;text-align:start}
input[aria-invalid=true]{border-color:var(--danger);box-shadow:0 0 0 1px var(--danger)}
.field{display:grid;grid-template-columns:minmax(0,1fr);gap:6px} .field label{font-weight:500} .field .dim{font-weight:400}
.field .tick{display:grid;grid-template-columns:20px minmax(0,1fr);gap:10px;font-weight:400;cursor:pointer}
.err{display:flex;gap:6px;color:var(--danger);font-size:.8125rem;line-height:1.25rem} .err .i{margin-top:2px}
.xs{font-size:.75rem;line-height:1rem}
@media (forced-colors:active){input{appearance:auto;-webkit-appearance:auto} .main{border-color:ButtonText}}
summary{display:grid;grid-template-columns:20px minmax(0,1fr);gap:12px;align-items:center;padding:13px 14px;cursor:pointer;list-style:none;border-radius:9px}
summary::-webkit-details-marker{display:none}
summary .i{color:var(--ink-3);width:16px;height:16px;margin-inline-start:1px} [dir=rtl] summary .i{transform:scaleX(-1)} details[open] summary .i{transform:rotate(90deg)}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.inner{padding:10px 14px 14px;display:grid;grid-template-columns:minmax(0,1fr);gap:14px}
.inner .choice{padding:6px 0}
.inner label.label{margin-bottom:5px}
textarea{display:block;width:100%;min-height:84px;padding:8px 10px;border:1px solid var(--line-control);border-radius:7px;background:var(--surface);resize:vertical;font-size:1rem;line-height:1.5rem}
.choice .dim{display:block}
input.text{place-items:normal}
.select{position:relative} .select .i{position:absolute;inset-inline-end:11px;top:50%;margin-top:-8px;color:var(--ink-3);pointer-events:none;transform:rotate(90deg)}
select{appearance:none;-webkit-appearance:none;display:block;width:100%;min-height:44px;padding:9px 11px;padding-inline-end:34px;border:1px solid var(--line-control);border-radius:7px;background:var(--surface);font:inherit;font-size:1rem;line-height:1.5rem;color:inherit;cursor:pointer}
.acts{justify-content:center} .acts button{border:0;background:none;padding:4px 0;font-size:.8125rem;line-height:1.125rem;cursor:pointer;text-decoration:underline;text-decoration-color:var(--line-control);text-underline-offset:3px} .acts button:hover{text-decoration-color:currentColor}
.note{display:flex;gap:10px;padding:11px 13px;border-radius:10px;font-size:.8125rem;line-height:1.25rem;background:var(--accent-soft);color:var(--on-accent-soft)}
.note.warn{background:var(--warn-soft);color:var(--on-warn-soft)}
.i{width:16px;height:16px;flex:none;display:block;fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round} .note .i{margin-top:2px}
.row{display:flex;flex-wrap:wrap;gap:6px 18px;align-items:baseline} .between{justify-content:space-between}
.row a{padding:4px 0}
.by{width:100%;max-width:680px;font-size:.75rem;line-height:1rem;color:var(--ink-3);display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:6px 12px;text-align:center}
.by span{display:inline-flex;align-items:center;gap:6px;min-width:0} .by svg{width:11px;height:12px;flex:none}
.hole{fill:var(--canvas)}
.mails{border-top:1px solid var(--line)} .mails li{border-bottom:1px solid var(--line)}
.mails a{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 20px;padding:14px 0;text-decoration:none}
.mails b{font-weight:500;font-size:1rem;line-height:1.5rem} .mails a:hover b{text-decoration:underline;text-underline-offset:3px}
.mails time{color:var(--ink-3);font-size:.8125rem;line-height:1.5rem;white-space:nowrap} .mails .dim{grid-column:1}
.reader{display:flex;flex-direction:column;align-items:stretch;padding:0;gap:0}
.reader main{flex:1;display:flex;flex-direction:column;min-height:0}
.bar{background:var(--surface);border-bottom:1px solid var(--line);padding:14px 24px;display:grid;grid-template-columns:minmax(0,1fr);gap:6px}
.bar h1{font-size:1.1875rem;line-height:1.625rem}
iframe{flex:1;display:block;width:100%;min-height:70vh;border:0;background:#fff;color-scheme:light}
.reader .by{max-width:none;padding:12px 24px}
@media (max-width:519px){body{padding:0 0 20px} .sheet{border:0;border-radius:0;padding:28px 20px} .by{padding:0 20px} .bar{padding:14px 20px} .mails a{grid-template-columns:minmax(0,1fr)} .reader{padding:0}}
@media (prefers-color-scheme:dark){.logo{background:#fff;padding:6px 10px;border-radius:7px;max-height:68px}}
@media (pointer:coarse){.inner .choice{padding:12px 0} .row a,.acts button{padding:12px 0}}
@media (prefers-contrast:more){:root{--line:var(--line-control);--line-strong:var(--line-control);--ink-3:var(--ink-2)}}
@media print{body{background:#fff} .main,.other,details{display:none}}
`;
