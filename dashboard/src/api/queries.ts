/** How answers are kept: each query's key is its operation and input, so that whoever changes a thing can name it. */
import { keepPreviousData, QueryClient, type QueryKey, queryOptions } from "@tanstack/react-query";
import { chooseAccount, presentAccount } from "./account.ts";
import { call, type Input, type Operation, request } from "./client.ts";
import type { Session } from "./openapi.ts";
import { asApiError } from "./problem.ts";

const FRESH_MS = 10_000;
const TRIES = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // A refusal stays one; what may pass by itself is asked again.
        retry: (failures, error) => {
          const { status } = asApiError(error);
          return (status === 0 || status >= 500) && failures < TRIES;
        },
      },
    },
  });
}

/** The first part of each key is the path's first word, such as `subscribers`: a change invalidates by that. */
function keyOf(operation: Operation, input: unknown): QueryKey {
  const [, , thing = ""] = operation.split("/");
  return [thing, operation, input];
}

export function query<K extends Operation>(operation: K, input: Input<K>) {
  return queryOptions({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => call(operation, { ...input, signal }),
  });
}

/** The same with the ETag, for what will be edited. */
export function queryWithEtag<K extends Operation>(operation: K, input: Input<K>) {
  return queryOptions({
    queryKey: [...keyOf(operation, input), "etag"],
    queryFn: ({ signal }) => request(operation, { ...input, signal }),
  });
}

/**
 * The same for a dialog that edits it. It is read for each opening, since a list's row may be old, and not again while the dialog is open: fields
 * that nobody has touched yet would change under whoever types.
 */
export function editedQuery<K extends Operation>(operation: K, input: Input<K>) {
  return { ...queryWithEtag(operation, input), staleTime: "static" as const, gcTime: 0 };
}

/** A page of a table: the old rows stay until the new ones are there. */
export function pageQuery<K extends Operation>(operation: K, input: Input<K>) {
  return { ...query(operation, input), placeholderData: keepPreviousData };
}

export const sessionQuery = query("GET /v1/session", {});

/**
 * Takes the session of somebody who has just signed in. An account that was chosen before stays chosen if they belong to it; who they
 * are there is then read anew.
 */
export function adoptSession(queries: QueryClient, session: Session): void {
  const chosen = presentAccount();
  if (chosen !== session.account_id && session.memberships.some(({ account_id }) => account_id === chosen)) {
    queries.removeQueries({ queryKey: sessionQuery.queryKey });
    return;
  }
  chooseAccount(session.account_id, session.memberships.length > 1);
  queries.setQueryData(sessionQuery.queryKey, session);
}
