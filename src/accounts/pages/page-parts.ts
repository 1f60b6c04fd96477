/** The parts that the pages for people share: one style and one script, with no request to other sites. */

export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#57606a, #a3acb6);
  --page: light-dark(#f3f4f6, #111418); --card: light-dark(#ffffff, #1a1f25); --line: light-dark(#8c959f, #6b7580);
  --accent: light-dark(#0b5bd3, #8ab8ff); --on-accent: light-dark(#ffffff, #0d1b2e); --bad: light-dark(#b3261e, #ffa198) }
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; min-height: 100vh; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
  display: flex; flex-direction: column; align-items: center; padding: clamp(1.5rem, 10vh, 7rem) 1rem 2rem }
.brand { font-weight: 700; letter-spacing: -.01em; margin: 0 0 1.25rem; color: var(--soft) }
main { width: 100%; max-width: 26rem; background: var(--card); border-radius: .75rem; padding: clamp(1.25rem, 5vw, 2rem);
  border: 1px solid color-mix(in srgb, var(--line) 35%, transparent) }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .5rem; letter-spacing: -.01em }
p { margin: 0 0 1rem } section > :last-child { margin-bottom: 0 } .soft { color: var(--soft) }
label { display: block; font-weight: 600; margin: 1rem 0 .3rem }
label .soft { font-weight: 400 }
input:not([type=checkbox]) { width: 100%; font: inherit; color: inherit; background: transparent; padding: .6rem .7rem;
  border: 1px solid var(--line); border-radius: .45rem }
input[readonly] { color: var(--soft); border-style: dashed }
input[aria-invalid=true] { border-color: var(--bad) }
.show { display: flex; align-items: center; gap: .5rem; font-weight: 400; margin: .6rem 0 0 }
.show input { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent) }
.hint, .fault { font-size: .9rem; margin: .3rem 0 0 } .hint { color: var(--soft) } .fault, .alert { color: var(--bad) }
.alert { margin: 1rem 0 0 } .alert:empty, .fault:empty { display: none }
button { width: 100%; font: inherit; font-weight: 600; margin-top: 1.5rem; padding: .7rem 1rem; border: 0; cursor: pointer;
  border-radius: .45rem; background: var(--accent); color: var(--on-accent) }
button:disabled { opacity: .6; cursor: progress }
button.plain { background: none; color: var(--accent); border: 1px solid var(--line) }
a { color: var(--accent) }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 60%, transparent); outline-offset: 2px }
`;

/** The script of both pages. It shows answers as text, never as markup. */
export const SCRIPT = `
const $ = (id) => document.getElementById(id);
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
const show = (id) => { for (const part of document.querySelectorAll("main > section")) part.hidden = part.id !== id };
async function call(method, path, body) {
  try {
    const answer = await fetch(path, { method, ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }) });
    const text = await answer.text();
    return { ok: answer.ok, status: answer.status, body: text ? JSON.parse(text) : {} };
  } catch {
    return { ok: false, status: 0, body: { detail: "the server can't be reached; try again" } };
  }
}
function showFaults(form, problem) {
  for (const input of form.querySelectorAll("input[name]")) {
    const fault = (problem.errors ?? []).find((one) => one.pointer === "/" + input.name);
    input.setAttribute("aria-invalid", String(Boolean(fault)));
    const place = $(input.name + "-fault");
    if (place) place.textContent = fault ? sentence(fault.detail) : "";
  }
  const named = (problem.errors ?? []).some((one) => form.elements.namedItem(one.pointer.slice(1)));
  form.querySelector(".alert").textContent = named || !problem.detail ? "" : sentence(problem.detail);
  form.querySelector("[aria-invalid=true]")?.focus();
}
function onSubmit(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    showFaults(form, {});
    const answer = await send(Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== "")));
    button.disabled = false;
    if (answer.ok) signedIn(answer.body); else showFaults(form, answer.body);
  });
}
function signedIn(session) {
  $("who").textContent = session.user.email;
  for (const input of document.querySelectorAll("input[name=password]")) input.value = "";
  show("done");
  $("done").querySelector("h1").focus();
}
$("show-password")?.addEventListener("change", (event) => { $("password").type = event.target.checked ? "text" : "password" });
$("sign-out").addEventListener("click", async () => { await call("DELETE", "/v1/session"); location.assign("/sign-in") });
`;

export const DONE = `<section id="done" hidden>
<h1 tabindex="-1">You are signed in</h1>
<p>as <strong id="who"></strong>.</p>
<p><a href="/docs">API reference</a></p>
<button type="button" class="plain" id="sign-out">Sign out</button>
</section>`;

export function field(options: {
  name: string;
  label: string;
  type: string;
  attributes: string;
  hint?: string;
  optional?: boolean;
}): string {
  const { name, label, type, attributes, hint, optional } = options;
  const described = `${hint ? `${name}-hint ` : ""}${name}-fault`;
  return `<div id="${name}-field">
<label for="${name}">${label}${optional ? ' <span class="soft">(optional)</span>' : ""}</label>
<input id="${name}" name="${name}" type="${type}" aria-describedby="${described}" ${attributes}>
${hint ? `<p class="hint" id="${name}-hint">${hint}</p>` : ""}<p class="fault" id="${name}-fault" aria-live="polite"></p>
</div>`;
}

export const SHOW_PASSWORD = `<label class="show"><input type="checkbox" id="show-password"> Show the password</label>`;
