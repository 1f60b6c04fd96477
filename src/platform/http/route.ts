/**
 * A route is data: what it takes, what it answers, which scope it wants. The same object validates, types, documents and
 * restricts access, so none of these can drift from the others.
 */
import type { Readable } from "node:stream";
import type { Static, TObject, TSchema } from "typebox";
import type { ActCtx, Actor, Ctx, TxCtx } from "../context.ts";
import { confirmationRequired, type Fault, idempotencyOutcomeUnknown, type Problem } from "../problems.ts";
import type { AuditDeclaration, Audited, AuditedPerson } from "./audit.ts";
import { NoParameters } from "./schemas.ts";

/** Describes who is calling, as the key check found it. */
export type Principal = {
  readonly accountId: string;
  readonly actor: Actor;
  readonly scopes: readonly string[];
  /** True for callers without a rate limit. */
  readonly unlimited: boolean;
  /** Is set for a person who is signed in. */
  readonly sessionId?: string;
  /** Until when a person counts as having proved just now that it is them; absent where they haven't. */
  readonly confirmedUntil?: Date;
  /** When the caller's key expires; absent where it never does. */
  readonly expiresAt?: Date;
  /** The networks that the caller's key is bound to; absent where it is bound to none. */
  readonly allowedNetworks?: readonly string[];
  /** Is set for a key: the hash of the secret that was given, because a key that was rotated has two for a while. */
  readonly secretHash?: Buffer;
  /** Is set for a key that is somebody's: the user who knows the secret that was given. */
  readonly makerId?: string;
  /** Is set for whoever looks after the instance, and by a key is no person. Its account is none (`INSTANCE` in `audit.ts`). */
  readonly operator?: { readonly id: string; readonly personId: string | null };
  /** By which refusal changes are answered while the account only may be read; absent where it may be changed. */
  readonly writesRefused?: { readonly problem: Problem; readonly detail: string };
};

/** Describes the other end of the connection, for routes that deal with browsers. */
export type Client = {
  readonly ip: string;
  readonly host: string;
  readonly isHttps: boolean;
  readonly origin: string | undefined;
  readonly cookies: string | undefined;
  /** What the client calls itself. */
  readonly userAgent: string | undefined;
  /** The id under which the request stands in the log, and which its answer names. */
  readonly requestId: string;
};

export type Call<P, Q, B, C> = {
  readonly ctx: C;
  readonly principal: Principal;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /**
   * The keyset position inside `cursor`, checked to belong to this account, path, filter and sort. A stream of events takes it from
   * `Last-Event-ID` first, which a browser that opens it anew sends beside the old query.
   */
  readonly after: readonly string[] | undefined;
  /** The `If-Match` header, for `requireMatch`. */
  readonly ifMatch: string | undefined;
  readonly client: Client;
  /** Fires when the client has gone or the server is stopping; a handler that streams its answer must end it then. */
  readonly signal: AbortSignal;
  /** The URL at which the API is reached, for `Location` and `Link`. */
  readonly baseUrl: string;
  /** Signs a keyset position into an opaque cursor bound to this very list. */
  readonly signCursor: (position: readonly string[]) => string;
  /** Returns the URL of this list with another cursor. */
  readonly urlWithCursor: (cursor: string) => string;
};

export type Answer<R> = {
  readonly status: number;
  readonly body?: R;
  /** Replaces `body` on routes whose success has a `contentType`. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string;
  /** The ids of those whose personal data the body holds, so that an erasure finds the stored copy. */
  readonly subjects?: readonly string[];
  /** Is set where a route that changes things was asked only to say what it would change, or found it so already: then nothing is recorded. */
  readonly changedNothing?: true;
  /** The account that an operator's change is about, and what of it; the account itself where that is null. */
  readonly about?: { readonly accountId: string; readonly targetId: string | null };
  /** Whom it is about in each of their accounts, on routes whose audit declaration is of `people`. */
  readonly people?: readonly AuditedPerson[];
};

type Common<P extends TObject, Q extends TObject, R extends TSchema> = {
  readonly path: string;
  /** The scope that a key must have; null opens the route to anyone. */
  readonly scope: string | null;
  /** Is set where it is about the whole instance: for operators alone, and to all others as a path that isn't there. */
  readonly ofInstance?: true;
  /** Is set where it is about the person who is signed in, so that whoever belongs to several accounts need not name one. */
  readonly isPersonal?: true;
  /** Is set where whoever is signed in must have proved just now that it is them. A key isn't asked. */
  readonly needsConfirmation?: true;
  /** Is set where the time of an answer could tell what the answer itself doesn't, such as whether an address is known. */
  readonly hidesTime?: true;
  /** Is set where it changes nothing of the account though it isn't a GET, or must work though the account takes no changes. */
  readonly worksWhileHeld?: true;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  /** The success status and its body; null means that there is no body. */
  readonly success: {
    readonly status: number;
    readonly schema: R | null;
    readonly description: string;
    /** The media type of an answer that is streamed and isn't JSON. */
    readonly contentType?: string;
  };
  /** Further success statuses with the same body. */
  readonly alsoAnswers?: readonly number[];
  /** Another success, with a body of its own. */
  readonly otherSuccess?: { readonly status: number; readonly schema: TSchema; readonly description: string };
  /** The list whose cursors this route takes and gives, with what that list's query has beside this route's own. */
  readonly cursorsOf?: { readonly path: string; readonly query: Readonly<Record<string, unknown>> };
  /** Lists problems beside those that any route may answer with. */
  readonly problems?: readonly Problem[];
};

type Read<P extends TObject, Q extends TObject, R extends TSchema> = Common<P, Q, R> & {
  /** The handler runs one short statement by primary key, so it may share a pipelined connection. */
  readonly hot?: true;
  /** Is set where somebody takes many people's data away by it: that is recorded before the first byte, and a HEAD takes nothing. */
  readonly audit?: Audited;
  readonly handler: (call: Call<Static<P>, Static<Q>, undefined, Ctx>) => Promise<Answer<Static<R>>>;
};

type Write<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
  X,
  Y,
  O extends TSchema,
> = Common<P, Q, R> & {
  readonly otherSuccess?: { readonly status: number; readonly schema: O; readonly description: string };
  readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly audit: AuditDeclaration;
  readonly body?: B;
  /** The body of an action may be left out. */
  readonly bodyOptional?: true;
  /** Is set where a body may be larger than others. */
  readonly mostBodyBytes?: number;
  /** Finds further faults in a body that the schema refuses, so that a client hears of all faults at once. */
  readonly alsoFaults?: (body: unknown) => readonly Fault[];
  /** Names fields of the answer that are shown only once: a replay under an idempotency key has null in their place. */
  readonly shownOnce?: readonly string[];
  /**
   * Does, before the transaction, slow work that changes nothing, such as compiling or hashing a password. Its connection
   * only reads, because it may also run for a repeated request, whose key is not claimed yet.
   */
  readonly prepare?: (call: Call<Static<P>, Static<Q>, Static<B>, Ctx>) => Promise<X>;
  /**
   * Does what no rollback undoes, such as sending a mail. It runs after the claim of the idempotency key is committed, so
   * once for each key. A refusal (`AppError`) says that nothing was done, and frees the key.
   */
  readonly act?: (call: Call<Static<P>, Static<Q>, Static<B>, ActCtx>, prepared: X) => Promise<Y>;
  /**
   * Runs in a transaction that the platform opens and commits, together with the idempotency record. It gets the result
   * of `act`, else of `prepare`; after an act it should refuse nothing, since the act is done.
   */
  readonly handler: (
    call: Call<Static<P>, Static<Q>, Static<B>, TxCtx>,
    prepared: Y,
  ) => Promise<Answer<Static<R> | Static<O>>>;
  /** Is set where many small requests of one caller may be done in one transaction (`write-together.ts`). */
  readonly together?: {
    /** Whether a request is small enough for that, and waits for nothing. */
    readonly isFit: (prepared: Y) => boolean;
    /** Does what `handler` does, for all of them, and answers in their order. */
    readonly handler: (
      calls: readonly Call<Static<P>, Static<Q>, Static<B>, TxCtx>[],
      prepared: readonly Y[],
    ) => Promise<readonly Answer<Static<R>>[]>;
  };
};

export type UploadedFile = {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
};

/**
 * A POST as multipart/form-data: a JSON part `options`, which is the call's body, then a part `file`, which is streamed. A
 * route without a body takes the file alone. What was received is passed to the handler, and discarded when the handler's
 * transaction didn't take it.
 */
type Upload<P extends TObject, B extends TSchema, R extends TSchema, X> = Common<P, NoParameters, R> & {
  readonly audit: AuditDeclaration;
  readonly body?: B;
  /** Names fields of the answer that a replay under an idempotency key has null in the place of. */
  readonly shownOnce?: readonly string[];
  readonly mostBytes: number;
  readonly receive: (
    call: Call<Static<P>, unknown, Static<B>, Ctx>,
    file: UploadedFile,
  ) => Promise<{
    readonly received: X;
    /** The hash of the file identifies the request under its idempotency key. */
    readonly sha256: string;
  }>;
  readonly discard: (received: X) => Promise<void>;
  readonly handler: (
    call: Call<Static<P>, unknown, Static<B>, TxCtx>,
    received: X,
  ) => Promise<Answer<Static<R>>>;
};

/** A route of any types; the platform checks values against its schemas at run time. */
export type Route = Common<TObject, TObject, TSchema> & {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Is absent only from routes that read, of which few are recorded. */
  readonly audit?: AuditDeclaration;
  readonly params: TObject;
  readonly query: TObject;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
  readonly mostBodyBytes?: number;
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
  readonly together?: {
    readonly isFit: (prepared: unknown) => boolean;
    readonly handler: (
      calls: readonly Call<unknown, unknown, unknown, Ctx>[],
      prepared: readonly unknown[],
    ) => Promise<readonly Answer<unknown>[]>;
  };
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
  O extends TSchema = never,
>(route: Write<P, Q, B, R, X, Y, O>): Route {
  const mayBeUnknown = route.act && route.scope !== null;
  const problems = [
    ...(route.problems ?? []),
    ...(mayBeUnknown ? [idempotencyOutcomeUnknown] : []),
    ...(route.needsConfirmation ? [confirmationRequired] : []),
  ];
  return { params: NoParameters, query: NoParameters, ...route, problems } as unknown as Route;
}

export function uploadRoute<
  R extends TSchema,
  X,
  B extends TSchema = TSchema,
  P extends TObject = NoParameters,
>({ mostBytes, receive, discard, ...route }: Upload<P, B, R, X>): Route {
  return {
    params: NoParameters,
    query: NoParameters,
    ...route,
    method: "POST",
    upload: { mostBytes, receive, discard },
  } as unknown as Route;
}
