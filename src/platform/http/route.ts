/**
 * A route as data: what it takes, what it answers, which scope it wants. The same object validates, types, documents
 * and guards, so none of these can drift from the others.
 */
import type { Readable } from "node:stream";
import type { Static, TObject, TSchema } from "typebox";
import type { ActCtx, Actor, Ctx, TxCtx } from "../context.ts";
import { type Fault, idempotencyOutcomeUnknown, type Problem } from "../problems.ts";
import { NoParameters } from "./schemas.ts";

/** Who is calling, as the key check found it. */
export type Principal = {
  readonly accountId: string;
  readonly actor: Actor;
  readonly scopes: readonly string[];
  /** No rate limit. */
  readonly unlimited: boolean;
  /** Of a person who is signed in. */
  readonly sessionId?: string;
  /** When its key ends; absent where it has no end. */
  readonly expiresAt?: Date;
};

/** Who is on the other end of the connection, for routes that deal with browsers. */
export type Client = {
  readonly ip: string;
  readonly host: string;
  readonly isHttps: boolean;
  readonly origin: string | undefined;
  readonly cookies: string | undefined;
};

export type Call<P, Q, B, C> = {
  readonly ctx: C;
  readonly principal: Principal;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The keyset position inside `cursor`, checked to belong to this account, path, filter and sort. */
  readonly after: readonly string[] | undefined;
  /** `If-Match`, for `requireMatch`. */
  readonly ifMatch: string | undefined;
  readonly client: Client;
  /** Fires when the client has gone or the server is stopping: what streams an answer ends it then. */
  readonly signal: AbortSignal;
  /** Where the API is reached, for `Location` and `Link`. */
  readonly baseUrl: string;
  /** Signs a keyset position into an opaque cursor bound to this very list. */
  readonly signCursor: (position: readonly string[]) => string;
  /** The address of this list with another cursor. */
  readonly urlWithCursor: (cursor: string) => string;
};

export type Answer<R> = {
  readonly status: number;
  readonly body?: R;
  /** In place of `body`, on routes whose success has a `contentType`. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string;
  /** Whose personal data the body holds (ids), so that an erasure finds what is kept of it. */
  readonly subjects?: readonly string[];
};

type Common<P extends TObject, Q extends TObject, R extends TSchema> = {
  readonly path: string;
  /** The scope a key must have; null is open to anyone. */
  readonly scope: string | null;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  /** The success status and its body; null has none. */
  readonly success: {
    readonly status: number;
    readonly schema: R | null;
    readonly description: string;
    /** Of an answer that is streamed and no JSON. */
    readonly contentType?: string;
  };
  /** Further success statuses with the same body. */
  readonly alsoAnswers?: readonly number[];
  /** Beside those that any route may answer with. */
  readonly problems?: readonly Problem[];
};

type Read<P extends TObject, Q extends TObject, R extends TSchema> = Common<P, Q, R> & {
  /** One short statement by primary key: it may share a pipelined connection. */
  readonly hot?: true;
  readonly handler: (call: Call<Static<P>, Static<Q>, undefined, Ctx>) => Promise<Answer<Static<R>>>;
};

type Write<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema, X, Y> = Common<
  P,
  Q,
  R
> & {
  readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly body?: B;
  /** An action's body may be left out. */
  readonly bodyOptional?: true;
  /** Of a body that the schema refuses: what the handler would have found besides, so that a client hears of all at once. */
  readonly alsoFaults?: (body: unknown) => readonly Fault[];
  /** Fields of the answer that are shown once: a replay under an idempotency key has null in their place. */
  readonly shownOnce?: readonly string[];
  /**
   * Before the transaction: what is slow and changes nothing, such as compiling or hashing a password. Its connection
   * only reads, because it may run for a repetition too, whose key is not claimed yet.
   */
  readonly prepare?: (call: Call<Static<P>, Static<Q>, Static<B>, Ctx>) => Promise<X>;
  /**
   * What no rollback takes back, such as sending a mail: after the idempotency key is claimed and that is committed, so
   * once for each key. A refusal (`AppError`) says that nothing was done, and frees the key.
   */
  readonly act?: (call: Call<Static<P>, Static<Q>, Static<B>, ActCtx>, prepared: X) => Promise<Y>;
  /**
   * Runs in a transaction that the platform opens and commits, together with the idempotency record. It gets what `act`
   * came to, else what was prepared; after an act it refuses nothing that it can help, for the act is done.
   */
  readonly handler: (
    call: Call<Static<P>, Static<Q>, Static<B>, TxCtx>,
    prepared: Y,
  ) => Promise<Answer<Static<R>>>;
};

export type UploadedFile = {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
};

/**
 * A POST as multipart/form-data: a JSON part `options`, which is the call's body, then a part `file`, which is streamed.
 * What was received is handed to the handler; when its transaction didn't take it, it is discarded.
 */
type Upload<P extends TObject, B extends TSchema, R extends TSchema, X> = Common<P, NoParameters, R> & {
  readonly body: B;
  readonly mostBytes: number;
  readonly receive: (
    call: Call<Static<P>, unknown, Static<B>, Ctx>,
    file: UploadedFile,
  ) => Promise<{ readonly received: X /** For the idempotency key. */; readonly sha256: string }>;
  readonly discard: (received: X) => Promise<void>;
  readonly handler: (
    call: Call<Static<P>, unknown, Static<B>, TxCtx>,
    received: X,
  ) => Promise<Answer<Static<R>>>;
};

/** A route whose types have served; the platform checks values at run time. */
export type Route = Common<TObject, TObject, TSchema> & {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly params: TObject;
  readonly query: TObject;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
  readonly alsoFaults?: (body: unknown) => readonly Fault[];
  readonly hot?: true;
  readonly shownOnce?: readonly string[];
  readonly upload?: {
    readonly mostBytes: number;
    readonly receive: (
      call: Call<unknown, unknown, unknown, Ctx>,
      file: UploadedFile,
    ) => Promise<{ received: unknown; sha256: string }>;
    readonly discard: (received: unknown) => Promise<void>;
  };
  readonly prepare?: (call: Call<unknown, unknown, unknown, Ctx>) => Promise<unknown>;
  readonly act?: (call: Call<unknown, unknown, unknown, ActCtx>, prepared: unknown) => Promise<unknown>;
  readonly handler: (
    call: Call<unknown, unknown, unknown, Ctx>,
    prepared: unknown,
  ) => Promise<Answer<unknown>>;
};

export function readRoute<
  R extends TSchema,
  P extends TObject = NoParameters,
  Q extends TObject = NoParameters,
>(route: Read<P, Q, R>): Route {
  return { params: NoParameters, query: NoParameters, ...route, method: "GET" } as unknown as Route;
}

export function writeRoute<
  R extends TSchema,
  B extends TSchema = TSchema,
  P extends TObject = NoParameters,
  Q extends TObject = NoParameters,
  X = undefined,
  Y = X,
>(route: Write<P, Q, B, R, X, Y>): Route {
  const mayBeUnknown = route.act && route.scope !== null;
  const problems = [...(route.problems ?? []), ...(mayBeUnknown ? [idempotencyOutcomeUnknown] : [])];
  return { params: NoParameters, query: NoParameters, ...route, problems } as unknown as Route;
}

export function uploadRoute<R extends TSchema, B extends TSchema, X, P extends TObject = NoParameters>({
  mostBytes,
  receive,
  discard,
  ...route
}: Upload<P, B, R, X>): Route {
  return {
    params: NoParameters,
    query: NoParameters,
    ...route,
    method: "POST",
    upload: { mostBytes, receive, discard },
  } as unknown as Route;
}
