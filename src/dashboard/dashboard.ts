/**
 * Serves the dashboard, which is built from `dashboard/` and sees only the HTTP API. From a clone it is built in a child
 * process while everything else runs already; a release brings it built.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../platform/log.ts";
import { AppError, notFound } from "../platform/problems.ts";
import { type Build, buildWhenStale } from "./build.ts";
import { type Asset, type Bundle, openBundle } from "./bundle.ts";
import { waitingPage } from "./waiting-page.ts";

export type DashboardOptions = {
  readonly log: Log;
  /** `never` serves what `npm run build` has made, even where the sources have changed since. */
  readonly build: "auto" | "never";
};

// Nothing is inline, so neither a nonce nor a hash is needed.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  // What authors wrote stands in frames; each answer of ours that is made for one has a policy under which nothing runs.
  "frame-src 'self'",
  "base-uri 'none'",
  // A mail that isn't saved yet is posted into a frame, because only an answer can bring a policy of its own.
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const A_YEAR = "public, max-age=31536000, immutable";

export function mountDashboard(
  fastify: FastifyInstance,
  options: DashboardOptions,
): { stop(): Promise<void> } {
  const build: Build = options.build === "auto" ? buildWhenStale(options.log) : { state: () => "done", stop };
  let bundle: Bundle | undefined;

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const state = build.state();
    if (state === "done") bundle ??= await openBundle();
    const [path = ""] = request.url.split("?", 1);
    const file = bundle?.files.get(path);
    if (file) return sendAsset(request, reply, file);
    // Only people ask for pages; a program that mistyped a path is told so, and whoever asks the API.
    const isPage = request.headers.accept?.includes("text/html") && !path.startsWith("/v1/");
    if (!isPage) throw new AppError(notFound, "there is no such path");
    reply.header("content-security-policy", POLICY);
    // By the Fetch standard (3.2) a form of a page that tells nobody where it is comes without an origin.
    reply.header("referrer-policy", "same-origin");
    if (bundle) return sendAsset(request, reply, bundle.page);
    const page = waitingPage(state);
    reply.header("content-security-policy", page.policy).code(503).header("retry-after", "1");
    return reply.type("text/html; charset=utf-8").send(page.html);
  };
  fastify.get("/", answer);
  fastify.get("/*", answer);
  return { stop: () => build.stop() };
}

async function stop(): Promise<void> {}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<FastifyReply> {
  const accepted = String(request.headers["accept-encoding"] ?? "");
  const { body, encoding } = await asset.bodyFor(accepted);
  reply.header("vary", "accept-encoding").type(asset.type);
  if (asset.isHashed) reply.header("cache-control", A_YEAR);
  if (encoding) reply.header("content-encoding", encoding);
  return reply.send(body);
}
