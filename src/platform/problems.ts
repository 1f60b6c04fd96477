/**
 * A problem is an expected refusal. It is defined once, with its status and a sentence for the documents; the code throws
 * it as an AppError, and one mapper (`http/problem-reply.ts`) turns it into an answer. Any other error is a bug.
 */
export type Problem = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Tells readers of the documents when the problem occurs, and what to do. */
  readonly meaning: string;
};

/**
 * One fault of the input: `pointer` (RFC 6901) names its place in a body, `parameter` in a query; line and column in a
 * text.
 */
export type Fault = {
  pointer?: string;
  parameter?: string;
  code: string;
  detail: string;
  line?: number;
  column?: number;
};

export class AppError extends Error {
  readonly problem: Problem;
  readonly faults: readonly Fault[];
  /** Further members of the answer, such as `subscriber_id`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    problem: Problem,
    detail: string,
    more: {
      faults?: readonly Fault[];
      members?: Record<string, unknown>;
      headers?: Record<string, string>;
    } = {},
  ) {
    super(detail);
    this.name = "AppError";
    this.problem = problem;
    this.faults = more.faults ?? [];
    this.members = more.members ?? {};
    this.headers = more.headers ?? {};
  }
}

export function defineProblem(status: number, code: string, title: string, meaning: string): Problem {
  return { status, code, title, meaning };
}

export const malformedRequest = defineProblem(
  400,
  "malformed_request",
  "Malformed request",
  "The request could not be read: broken HTTP, a bad percent-encoding in the path, or a header that isn't allowed.",
);
export const malformedJson = defineProblem(
  400,
  "malformed_json",
  "Malformed JSON",
  "The body isn't valid JSON in UTF-8, or is nested too deeply.",
);
export const invalidQuery = defineProblem(
  400,
  "invalid_query",
  "Invalid query",
  "A query parameter is unknown, malformed or out of range. Each is named in `errors`.",
);
export const invalidCursor = defineProblem(
  400,
  "invalid_cursor",
  "Invalid cursor",
  "The cursor doesn't belong to this list with this filter and sort. Start again without one.",
);
export const confirmationRequired = defineProblem(
  403,
  "confirmation_required",
  "Confirmation required",
  "This wants whoever is signed in to have proved within the last 15 minutes that it is them. Confirm with POST `/v1/session/confirm` (a password, a code or a passkey), then send the request again. API keys aren't asked.",
);
export const unauthorized = defineProblem(
  401,
  "unauthorized",
  "Not authenticated",
  "There is no API key, or it is mistyped, expired or revoked. Send `Authorization: Bearer pr_…`.",
);
export const forbidden = defineProblem(
  403,
  "missing_scope",
  "Missing scope",
  "The key is good but lacks the scope that the route needs; `required_scope` names it.",
);
export const notFound = defineProblem(
  404,
  "not_found",
  "Not found",
  "There is no such path, or no such object in this account.",
);
export const methodNotAllowed = defineProblem(
  405,
  "method_not_allowed",
  "Method not allowed",
  "The path exists, but not with this method. The `Allow` header lists those that do.",
);
export const preconditionFailed = defineProblem(
  412,
  "precondition_failed",
  "Precondition failed",
  "The object has changed since the `ETag` in `If-Match`. Read it again, then decide.",
);
export const bodyTooLarge = defineProblem(
  413,
  "body_too_large",
  "Body too large",
  "The body is over the limit of the route.",
);
export const unsupportedMediaType = defineProblem(
  415,
  "unsupported_media_type",
  "Unsupported media type",
  "Bodies are `application/json`; PATCH also takes `application/merge-patch+json`, and uploads are `multipart/form-data`.",
);
const validationFailed = defineProblem(
  422,
  "validation_failed",
  "Validation failed",
  "One or more fields are wrong. Every fault is named in `errors`, with its own code.",
);
export const idempotencyKeyReused = defineProblem(
  422,
  "idempotency_key_reused",
  "Idempotency key reused",
  "This key was used within the last 24 hours for another request. Use a new key for a new request.",
);
export const idempotencyInFlight = defineProblem(
  409,
  "idempotency_in_flight",
  "Request in flight",
  "A request with this idempotency key is being worked on. Try again in a moment.",
);
export const idempotencyOutcomeUnknown = defineProblem(
  409,
  "idempotency_outcome_unknown",
  "Outcome unknown",
  "The first request with this idempotency key began to act outside the service, and how that ended was not stored: the " +
    "process or the database stopped in between. It may have happened, so it isn't done again. Look whether it did; to do it anew, use a new key.",
);
export const rateLimited = defineProblem(
  429,
  "rate_limited",
  "Too many requests",
  "The limit of requests a minute is used up. `Retry-After` says how many seconds to wait.",
);
export const tooManyStreams = defineProblem(
  429,
  "too_many_streams",
  "Too many streams",
  "This key or person has as many streams of this kind open as one may. Close one, or ask now and then instead.",
);
export const headersTooLarge = defineProblem(
  431,
  "headers_too_large",
  "Headers too large",
  "The request line and headers together are over 16 KB.",
);
export const requestTimeout = defineProblem(
  408,
  "request_timeout",
  "Request time-out",
  "The request did not arrive in time. Send it again.",
);
export const expectationFailed = defineProblem(
  417,
  "expectation_failed",
  "Expectation failed",
  "The header `Expect` asks for something that isn't done here. Leave it out, or send `100-continue`.",
);
export const internalError = defineProblem(
  500,
  "internal_error",
  "Internal error",
  "Something went wrong on our side. It is logged under the request id.",
);
export const databaseUnavailable = defineProblem(
  503,
  "database_unavailable",
  "Database unavailable",
  "The database is away or starting. Nothing was changed for certain only if you send an idempotency key and retry.",
);
export const databaseBusy = defineProblem(
  503,
  "database_busy",
  "Database busy",
  "The database did not answer in time. Try again in a moment.",
);
export const storageFull = defineProblem(
  503,
  "storage_full",
  "Storage full",
  "The disk of the database or of uploads is full. Nothing was written. The operator must make room.",
);
export const stopping = defineProblem(
  503,
  "stopping",
  "Stopping",
  "This process is stopping. Send the request again.",
);

/** Any route may answer with these problems. */
export const commonProblems: readonly Problem[] = [
  malformedRequest,
  malformedJson,
  invalidQuery,
  invalidCursor,
  unauthorized,
  forbidden,
  notFound,
  methodNotAllowed,
  requestTimeout,
  preconditionFailed,
  bodyTooLarge,
  unsupportedMediaType,
  validationFailed,
  idempotencyKeyReused,
  idempotencyInFlight,
  rateLimited,
  headersTooLarge,
  internalError,
  databaseUnavailable,
  databaseBusy,
  storageFull,
  stopping,
];

export function missing(what: string): AppError {
  return new AppError(notFound, `there is no such ${what} in this account`);
}

export function invalid(...faults: Fault[]): AppError {
  const count = faults.length === 1 ? "one field is" : `${faults.length} fields are`;
  return new AppError(validationFailed, `${count} wrong; see errors`, { faults });
}
