/**
 * Serves `/openapi.json`, the reference page at `/docs`, and a page for each error code. None makes an outside request.
 */
import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError, notFound, type Problem } from "../../problems.ts";
import type { Route } from "../route.ts";
import { type DocumentedMessage, openApiDocument, problemsOf } from "./openapi.ts";

// The reference page has one script of ours and its styles; 'self' everywhere else keeps it from loading anything from
// outside.
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

// The icon is an envelope and part of the page, so that no browser asks for /favicon.ico.
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect y="2" width="16" height="12" rx="2" fill="#0b5bd3"/><path d="m2 5 6 4 6-4" fill="none" stroke="#fff" stroke-width="1.5"/></svg>`,
)}`;

export async function mountDocs(
  fastify: FastifyInstance,
  options: {
    routes: readonly Route[];
    messages: readonly DocumentedMessage[];
    /** What a request may be answered with before it comes to its route. */
    problems: readonly Problem[];
    baseUrl: () => string;
    version: string;
  },
): Promise<void> {
  const problems = problemsOf(options.routes, options.problems);
  let document: string | undefined;

  fastify.get("/openapi.json", (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(options.routes, { ...options, baseUrl: options.baseUrl() }));
    reply.header("access-control-allow-origin", "*").header("cross-origin-resource-policy", "cross-origin");
    reply.type("application/json; charset=utf-8").send(document);
  });

  fastify.get("/docs/errors", (_request, reply) => {
    const items = [...problems.values()].map(
      (one) =>
        `<dt><a href="/docs/errors/${one.code}"><code>${one.code}</code></a> HTTP ${one.status}</dt>` +
        `<dd>${withCode(one.meaning)}</dd>`,
    );
    const intro = `<p>What stands in <code>code</code> of an error. <a href="/docs/">API reference</a></p>`;
    sendPage(reply, "Error codes", `${intro}<dl>${items.join("")}</dl>`);
  });

  fastify.get<{ Params: { code: string } }>("/docs/errors/:code", (request, reply) => {
    const problem = problems.get(request.params.code);
    if (!problem) throw new AppError(notFound, "there is no such error code");
    sendPage(reply, problem.title, describeProblem(problem));
  });

  await fastify.register(async (scope) => {
    scope.addHook("onRequest", async (_request, reply) => {
      reply.header("content-security-policy", DOCS_POLICY);
    });
    let reference: Promise<FastifyInstance> | undefined;
    scope.get("/docs", (_request, reply) => reply.redirect("/docs/", 301));
    for (const path of ["/docs/", "/docs/js/scalar.js"]) {
      scope.get(path, async (_request, reply) => {
        reference ??= loadReference();
        const { headers, rawPayload } = await (await reference).inject(path);
        return reply.type(String(headers["content-type"])).send(rawPayload);
      });
    }
  });
}

/** Loads the reference page at its first request: its program is 4 MB, which would cost every start 0.15 s and 35 MB. */
async function loadReference(): Promise<FastifyInstance> {
  const [{ fastify }, { default: scalar }] = await Promise.all([
    import("fastify"),
    import("@scalar/fastify-api-reference"),
  ]);
  const reference = fastify();
  await reference.register(scalar, {
    routePrefix: "/docs",
    configuration: {
      url: "/openapi.json",
      pageTitle: "Postrider API",
      favicon: ICON,
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
      hideClientButton: true,
      defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    },
  });
  return reference;
}

function describeProblem(problem: Problem): string {
  return `<p><code>${problem.code}</code> · HTTP ${problem.status}</p><p>${withCode(problem.meaning)}</p>
<p><a href="/docs/errors">All error codes</a> · <a href="/docs/">API reference</a></p>`;
}

/** The text is our own, so nothing in it needs escaping but what looks like a tag. */
function withCode(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function sendPage(reply: FastifyReply, title: string, body: string): void {
  reply.header(
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  reply.type("text/html; charset=utf-8").send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Postrider</title><link rel="icon" href="${ICON}"><style>
:root { color-scheme: light dark }
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1.25rem }
dt { margin-top: 1.25rem }
dd { margin: .25rem 0 0 }
code { background: color-mix(in srgb, currentColor 10%, transparent); padding: .1em .35em; border-radius: .3em }
a { color: light-dark(#0b5bd3, #8ab8ff) }
</style></head><body><h1>${title}</h1>${body}</body></html>`);
}
