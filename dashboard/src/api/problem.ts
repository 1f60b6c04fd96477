/** What the API answers instead of what was asked for (RFC 9457), as an error that pages can show. */
import type { Problem } from "./openapi.ts";

export type Fault = NonNullable<Problem["errors"]>[number];

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly faults: readonly Fault[];
  readonly retryAfter: number;
  /** Whatever else the problem says, such as how many subscribers a list has. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(problem: Partial<Problem> & { detail: string }, retryAfter = 1) {
    super(problem.detail);
    this.name = "ApiError";
    this.status = problem.status ?? 0;
    this.code = problem.code ?? "unknown";
    this.requestId = problem.request_id;
    this.faults = problem.errors ?? [];
    this.retryAfter = retryAfter;
    this.members = problem;
  }
}

/** What a proxy in front of the service answers is a page of its own, of which only the status can be read. */
const CODES_OF_PROXIES: Readonly<Record<number, string>> = {
  413: "body_too_large",
  429: "rate_limited",
  502: "offline",
  503: "offline",
  504: "offline",
};

export async function readProblem(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? 1) || 1;
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const fallback = {
    status: response.status,
    code: CODES_OF_PROXIES[response.status] ?? "unknown",
    detail: response.statusText,
    ...(requestId && { request_id: requestId }),
  };
  try {
    return new ApiError({ ...fallback, ...((await response.json()) as Problem) }, retryAfter);
  } catch {
    return new ApiError(fallback, retryAfter);
  }
}

/** The browser could not reach the service at all. */
export function offline(): ApiError {
  return new ApiError({ status: 0, code: "offline", detail: "" });
}

/** Whatever was thrown, as something that can be shown. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({ code: "unexpected", detail: error instanceof Error ? error.message : String(error) });
}
