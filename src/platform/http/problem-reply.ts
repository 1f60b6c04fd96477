/** This is the one place that turns errors into `application/problem+json` (RFC 9457). */
import type { FastifyError } from "fastify";
import { DbError } from "../db/errors.ts";
import {
  AppError,
  bodyTooLarge,
  databaseBusy,
  databaseUnavailable,
  internalError,
  malformedRequest,
  notFound,
  type Problem,
  storageFull,
  unsupportedMediaType,
} from "../problems.ts";

export type ProblemReply = { status: number; headers: Record<string, string>; body: string };

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DbError) return fromDbError(error);
  return (
    fromFramework(error as FastifyError | null | undefined) ??
    new AppError(internalError, "an unexpected error; it has been logged")
  );
}

function fromDbError(error: DbError): AppError {
  const headers = { "retry-after": "2" };
  switch (error.kind) {
    case "unavailable":
      return new AppError(databaseUnavailable, "the database is away; try again in a moment", { headers });
    case "busy":
    case "conflict":
      return new AppError(databaseBusy, "the database did not finish in time; try again in a moment", {
        headers,
      });
    case "full":
      return new AppError(storageFull, "the database's disk is full; nothing was written", { headers });
    default:
      return new AppError(internalError, "an unexpected error; it has been logged");
  }
}

function fromFramework(error: FastifyError | null | undefined): AppError | undefined {
  switch (error?.code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_TYPE":
      return new AppError(unsupportedMediaType, "send the body as application/json");
    case "FST_ERR_CTP_BODY_TOO_LARGE":
    case "FST_REQ_FILE_TOO_LARGE":
      return new AppError(bodyTooLarge, "the body is over the limit of this route");
    case "FST_ERR_ROUTE_MISSING_CONTENT_TYPE":
      return new AppError(malformedRequest, "a request of this method needs a Content-Type");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new AppError(malformedRequest, "the body's length is not what Content-Length says");
    case "FST_ERR_BAD_URL":
      return new AppError(malformedRequest, "the path has a bad percent-encoding in it");
    case "FST_ERR_MAX_PARAM_LENGTH":
    case "FST_ERR_NOT_FOUND":
      return new AppError(notFound, "there is no such path");
    default:
      return undefined;
  }
}

export function renderProblem(error: AppError, baseUrl: string, requestId: string): ProblemReply {
  const { problem } = error;
  return {
    status: problem.status,
    headers: { "content-type": "application/problem+json; charset=utf-8", ...error.headers },
    body: JSON.stringify({
      type: problemUrl(baseUrl, problem),
      title: problem.title,
      status: problem.status,
      detail: error.message,
      code: problem.code,
      request_id: requestId,
      ...(error.faults.length > 0 && { errors: error.faults }),
      ...error.members,
    }),
  };
}

function problemUrl(baseUrl: string, problem: Problem): string {
  return `${baseUrl}/docs/errors/${problem.code}`;
}
