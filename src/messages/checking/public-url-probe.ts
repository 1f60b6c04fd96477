/**
 * The probe: a POST to an address under `/u/`, as a mail program's one-click unsubscribe would be (RFC 8058 §3.2), through
 * the address that recipients are given. Protection against robots lets GET pass and stops POST, so a GET says nothing. The answer
 * is a MAC of the question under SECRET_KEY: nobody else can give it.
 */
import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { createRateLimit } from "../../platform/http/limits/rate-limit.ts";
import { defineJob, type Job } from "../../platform/jobs/jobs.ts";
import { AppError, malformedRequest, rateLimited } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { storeProbed } from "./probe-store.ts";

const PATH = "/u/probe";
const FORM = "application/x-www-form-urlencoded";
const ONE_CLICK = ["List-Unsubscribe", "One-Click"] as const;
const NONCE = /^[\w-]{20,64}$/;
const MOST_BYTES = 1_024;
const PER_MINUTE = 60;

/** Answers the probe. It changes nothing, and says nothing but that it is us. */
export function mountProbe(
  fastify: FastifyInstance,
  { secrets, clock }: { readonly secrets: Pick<Secrets, "mac">; readonly clock: Clock },
): void {
  const rateLimit = createRateLimit(PER_MINUTE, clock);
  fastify.register(async (scope) => {
    const options = { parseAs: "string", bodyLimit: MOST_BYTES } as const;
    scope.addContentTypeParser(FORM, options, (_request, body, done) => done(null, body));
    scope.post(PATH, { bodyLimit: MOST_BYTES }, async (request, reply) => {
      const taken = rateLimit.take(request.ip);
      if (!taken.allowed) {
        const headers = { "retry-after": String(taken.resetSeconds) };
        throw new AppError(rateLimited, `${PER_MINUTE} probes a minute are used up`, { headers });
      }
      const form = new URLSearchParams(typeof request.body === "string" ? request.body : "");
      const nonce = form.get("nonce") ?? "";
      if (form.get(ONE_CLICK[0]) !== ONE_CLICK[1] || !NONCE.test(nonce))
        throw new AppError(malformedRequest, "this is for Postrider's own look at itself");
      reply.header("cache-control", "no-store").type("text/plain; charset=utf-8");
      return secrets.mac("public-probe", nonce).toString("base64url");
    });
  });
}

export type ProbeAnswer =
  | { readonly kind: "ours" }
  /** Somebody else answers. `location` is where a redirect leads; it isn't followed, since that would lose the POST. */
  | { readonly kind: "other"; readonly status: number; readonly location: string | null }
  | { readonly kind: "none"; readonly reason: string };

/** Asks wherever the operator says, also inside the network: PUBLIC_URL is a setting of theirs. */
export async function askProbe(
  url: string,
  secrets: Pick<Secrets, "verify">,
  timeoutMs: number,
): Promise<ProbeAnswer> {
  const nonce = randomBytes(24).toString("base64url");
  try {
    const response = await fetch(`${url}${PATH}`, {
      method: "POST",
      body: new URLSearchParams([[...ONE_CLICK], ["nonce", nonce]]).toString(),
      headers: { "content-type": FORM, connection: "close" },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const proof = Buffer.from(await readSome(response), "base64url");
    if (response.status === 200 && secrets.verify("public-probe", proof, nonce)) return { kind: "ours" };
    const isMoved = response.status >= 300 && response.status < 400;
    return {
      kind: "other",
      status: response.status,
      location: isMoved ? response.headers.get("location") : null,
    };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error, timeoutMs) };
  }
}

async function readSome({ body }: Response): Promise<string> {
  let text = "";
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString("latin1");
    if (text.length >= MOST_BYTES) break;
  }
  return text.slice(0, MOST_BYTES);
}

/** `fetch` hides what happened in `cause`; its code names what is wrong with a certificate, too. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === "TimeoutError") return `no answer within ${timeoutMs / 1_000} s`;
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? (error as Error).message;
}

/** Says what is wrong; null where all is well. */
export function whyNot(answer: ProbeAnswer): string | null {
  if (answer.kind === "ours") return null;
  if (answer.kind === "none") return answer.reason;
  return answer.location === null
    ? `another answered, with ${answer.status}`
    : `it was sent on to ${answer.location.slice(0, 200)}, and a redirect loses the POST`;
}

const TIMEOUT_MS = 10_000;

/** This job probes once a day, and soon after the first start. */
export function probingJob(
  secrets: Pick<Secrets, "verify">,
  publicUrl: () => string,
): Job<Record<string, never>> {
  return defineJob<Record<string, never>>({
    name: "probe_public_url",
    run: ({ db, clock }) => probePublicUrl(db, clock, secrets, publicUrl()),
  });
}

async function probePublicUrl(
  db: Db,
  clock: Clock,
  secrets: Pick<Secrets, "verify">,
  url: string,
): Promise<void> {
  if (url === "") return;
  const reason = whyNot(await askProbe(url, secrets, TIMEOUT_MS));
  await storeProbed(db, { url, probed_at: clock.now(), ok: reason === null, reason });
}
