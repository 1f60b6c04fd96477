import { hash } from "node:crypto";
import { AppError, preconditionFailed } from "../problems.ts";

/** The tag covers only what a client may edit, so that counts and progress don't make it stale. */
export function etagOf(editable: Readonly<Record<string, unknown>>): string {
  return `"${hash("sha256", JSON.stringify(editable), "base64url").slice(0, 22)}"`;
}

/** Call this with the row locked, so that nobody can change the row between the check and the write. */
export function requireMatch(ifMatch: string | undefined, current: string): void {
  if (ifMatch !== undefined && !listed(ifMatch, current)) {
    throw new AppError(preconditionFailed, "the object was changed since you read it", {
      headers: { etag: current },
    });
  }
}

/** The comparison is weak (RFC 9110 §13.1.2), because a proxy that compresses marks our tags as weak. */
export function isUnchanged(ifNoneMatch: string | undefined, current: string): boolean {
  return ifNoneMatch !== undefined && listed(ifNoneMatch.replaceAll("W/", ""), current);
}

function listed(header: string, current: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim() === current);
}
