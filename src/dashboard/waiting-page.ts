/** The page that stands at every address of the dashboard until it is built. It reloads itself, without a script. */
import { createHash } from "node:crypto";
import type { BuildState } from "./build.ts";

const STYLE = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;
background:light-dark(#f4f6f4,#0b0f0d);color:light-dark(#121a16,#edf2ef);font:1rem/1.5 system-ui,sans-serif}
main{max-width:26rem;padding:2rem}h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:0;color:light-dark(#44514b,#b0bcb6)}
code{font-size:.9em}`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `done` without a build is an installation that can't build one. */
const TEXTS: Record<BuildState, { title: string; text: string; reloads: boolean }> = {
  building: {
    title: "The dashboard is being built",
    text: "It takes a few seconds, once. This page then opens it by itself; the API is there already.",
    reloads: true,
  },
  failed: {
    title: "The dashboard could not be built",
    text: "The log of the service says why, and so does <code>npm run build</code>. The API works all the same.",
    reloads: false,
  },
  done: {
    title: "The dashboard isn't built",
    text: "Run <code>npm ci &amp;&amp; npm run build</code>, then start again. The API works all the same.",
    reloads: false,
  },
};

export function waitingPage(state: BuildState): { html: string; policy: string } {
  const { title, text, reloads } = TEXTS[state];
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">${reloads ? `<meta http-equiv="refresh" content="1">` : ""}
<title>${title} · Postrider</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
  return { html, policy: POLICY };
}
