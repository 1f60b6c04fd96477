/** People use the pages `/setup` and `/sign-in` until they are signed in. The pages do nothing that the API can't do. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import { DONE, field, SCRIPT, SHOW_PASSWORD, STYLE } from "./page-parts.ts";

export function mountAccountPages(fastify: FastifyInstance): void {
  fastify.get("/setup", (_request, reply) => sendPage(reply, "Set a password", SETUP, SETUP_SCRIPT));
  fastify.get("/sign-in", (_request, reply) => sendPage(reply, "Sign in", SIGN_IN, SIGN_IN_SCRIPT));
}

const email = (attributes: string) =>
  field({ name: "email", label: "E-mail address", type: "email", attributes: `required ${attributes}` });

const SETUP = `<section id="wait"><p class="soft">One moment…</p></section>
<section id="gone" hidden><h1>This link can't be used</h1><p id="why"></p>
<p class="soft">An owner of the account can make a new one, and so can the operator:<br>
<code>npm run postrider -- users reset --email …</code></p><p><a href="/sign-in">Sign in</a></p></section>
<section id="ask" hidden><h1 id="title"></h1><p class="soft" id="lead"></p>
<form method="post" novalidate>
${email('autocomplete="username" maxlength="254"')}
${field({ name: "name", label: "Your name", type: "text", attributes: 'autocomplete="name" maxlength="100"', optional: true })}
${field({
  name: "password",
  label: "Password",
  type: "password",
  attributes: 'autocomplete="new-password" required minlength="10" maxlength="200"',
  hint: "At least 10 characters. A few words are easy to remember and hard to guess.",
})}
${SHOW_PASSWORD}
<p class="alert" role="alert"></p>
<button type="submit">Set password and sign in</button>
</form></section>
${DONE}`;

// The token stays after the # until it is used, so that a reload works and no server or log sees it.
const SETUP_SCRIPT = `
const token = location.hash.slice(1);
addEventListener("hashchange", () => location.reload());
const gone = (detail) => { $("why").textContent = sentence(detail); show("gone") };
(async () => {
  if (!token) return gone("the address is not complete: copy the whole link");
  const link = await call("POST", "/v1/password_links/inspect", { token });
  if (!link.ok) return gone(link.body.errors ? "the address is not complete: copy the whole link" : link.body.detail);
  const first = link.body.user_id === null;
  const reset = link.body.purpose === "reset";
  $("title").textContent = first ? "Welcome to Postrider" : reset ? "Choose a new password" : "You are invited";
  $("lead").textContent = first ? "You will be the owner of this account."
    : reset ? "Your sessions elsewhere will end." : "Choose a password, and you are in.";
  $("email").readOnly = !first;
  $("email").value = link.body.email ?? "";
  $("name-field").hidden = reset;
  show("ask");
  $(first ? "email" : "password").focus();
})();
onSubmit(document.querySelector("form"), async ({ email = "", ...rest }) => {
  const answer = await call("POST", "/v1/password_links/redeem", { token, ...rest, ...(!$("email").readOnly && { email }) });
  if (answer.ok) history.replaceState(null, "", "/setup");
  return answer;
});
`;

const SIGN_IN = `<section id="ask"><h1>Sign in</h1>
<form method="post" novalidate>
${email('autocomplete="username" maxlength="254" autofocus')}
${field({ name: "password", label: "Password", type: "password", attributes: 'autocomplete="current-password" required maxlength="1000"' })}
${SHOW_PASSWORD}
<p class="alert" role="alert"></p>
<button type="submit">Sign in</button>
</form></section>
${DONE}`;

const SIGN_IN_SCRIPT = `
onSubmit(document.querySelector("form"), (fields) => call("POST", "/v1/session", fields));
`;

function sendPage(reply: FastifyReply, title: string, body: string, script: string): void {
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  reply.header("content-security-policy", policy.join("; "));
  reply.type("text/html; charset=utf-8").send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Postrider</title><style nonce="${nonce}">${STYLE}</style></head>
<body><p class="brand">Postrider</p><main>
<noscript><p>This page needs JavaScript: it keeps your password and the link out of the server's logs.</p></noscript>
${body}</main><script type="module" nonce="${nonce}">${SCRIPT}${script}</script></body></html>`);
}
