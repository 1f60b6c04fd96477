/** The client of the HTTP API: one function, whose types come from the OpenAPI document. */

import { chooseAccount, presentAccount } from "./account.ts";
import { askToConfirm } from "./confirmation.ts";
import { reportConnection, reportSignedOut } from "./connection.ts";
import type { Operations } from "./openapi.ts";
import { type ApiError, offline, readProblem } from "./problem.ts";
import { sendWithProgress } from "./upload.ts";

export type Operation = keyof Operations;
export type Answer<K extends Operation> = Operations[K]["answer"];

type Part<K extends Operation, P extends "path" | "query" | "body"> = undefined extends Operations[K][P]
  ? Operations[K][P] extends undefined
    ? { readonly [key in P]?: never }
    : { readonly [key in P]?: Operations[K][P] }
  : P extends "query"
    ? Partial<Record<never, never>> & { readonly [key in P]?: Operations[K][P] }
    : { readonly [key in P]: Operations[K][P] };

export type Input<K extends Operation> = Part<K, "path"> &
  Part<K, "query"> &
  Part<K, "body"> & {
    /** The ETag that was read: a change of something that changed since is refused with 412. */
    readonly ifMatch?: string | undefined;
    /** A request that is sent again with the same key has its effect once. */
    readonly idempotencyKey?: string | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Hears the share of an upload that has gone, from 0 to 1. */
    readonly onSent?: ((share: number) => void) | undefined;
  };

export type Reply<K extends Operation> = { readonly body: Answer<K>; readonly etag: string | undefined };

/** A request that was refused for its rate alone is sent again by itself, this often. */
const QUIET_TRIES = 2;
const MOST_WAIT_SECONDS = 15;

export async function call<K extends Operation>(operation: K, input: Input<K>): Promise<Answer<K>> {
  return (await request(operation, input)).body;
}

export async function request<K extends Operation>(operation: K, input: Input<K>): Promise<Reply<K>> {
  for (let tries = 0; ; tries++) {
    const response = await send(operation, input);
    if (response.ok) {
      const text = await response.text();
      const body = (text === "" ? undefined : JSON.parse(text)) as Answer<K>;
      return { body, etag: response.headers.get("etag") ?? undefined };
    }
    const problem = await readProblem(response);
    if (problem.code === "confirmation_required" && (await askToConfirm())) continue;
    if (problem.code !== "rate_limited" || tries === QUIET_TRIES) throw refused(problem);
    await new Promise((resolve) =>
      setTimeout(resolve, 1_000 * Math.min(problem.retryAfter, MOST_WAIT_SECONDS)),
    );
  }
}

/** Tells the rest of the page what only the answer's status says: the session ended, or the database is away. */
function refused(problem: ApiError): ApiError {
  if (problem.code === "account_unknown") leaveAccount();
  if (problem.code === "two_factor_required") goToSecurity();
  if (problem.code === "unauthorized") reportSignedOut();
  if (problem.status === 503 && problem.code === "database_unavailable") reportConnection("unavailable");
  return problem;
}

/** Whoever was removed from the account, or signed in as somebody else, begins anew with what they belong to. */
function leaveAccount(): void {
  chooseAccount(undefined);
  window.location.assign("/");
}

const SECURITY_PAGE = "/settings/security";

/** An account that wants a second factor shows nothing else to whoever has none; that page says why. */
function goToSecurity(): void {
  if (window.location.pathname !== SECURITY_PAGE) window.location.assign(SECURITY_PAGE);
}

async function send(operation: Operation, input: Input<Operation>): Promise<Response> {
  const [method = "GET", pattern = ""] = operation.split(" ");
  const { path, query, body, ifMatch, idempotencyKey, signal, onSent } = input as LooseInput;
  const headers = new Headers();
  if (body !== undefined && !(body instanceof FormData)) headers.set("content-type", "application/json");
  if (ifMatch) headers.set("if-match", ifMatch);
  if (idempotencyKey) headers.set("idempotency-key", idempotencyKey);
  const account = presentAccount();
  if (account) headers.set("postrider-account", account);
  const address = fill(pattern, path) + queryText(query);
  try {
    const response =
      onSent && body instanceof FormData
        ? await sendWithProgress(address, { method, headers, body, signal, onSent })
        : await fetch(address, {
            method,
            headers,
            signal: signal ?? null,
            ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
          });
    if (response.status !== 503) reportConnection("ok");
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    reportConnection("offline");
    throw offline();
  }
}

type Value = string | number | boolean | undefined | readonly string[];
type LooseInput = {
  path?: Record<string, string>;
  query?: Record<string, Value>;
  body?: unknown;
  ifMatch?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
  onSent?: (share: number) => void;
};

function fill(pattern: string, path: Record<string, string> = {}): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
}

function queryText(query: Record<string, Value> = {}): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) found.append(name, String(one));
  }
  const text = found.toString();
  return text === "" ? "" : `?${text}`;
}
