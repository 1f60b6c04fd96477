/** A mail as it stands, by the service's stream while somebody looks at it, and by asking where that is silent. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ofAccount } from "../../../api/account.ts";
import type { EmailDetail } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { isRefusal } from "../refusal.ts";

const ASK_EVERY_MS = 3_000;

export const emailQuery = (id: string) => query("GET /v1/emails/{id}", { path: { id } });

export function useEmail(id: string) {
  const queries = useQueryClient();
  const [isHeard, setHeard] = useState(false);
  const found = useQuery({
    ...emailQuery(id),
    // What isn't there, or may not be seen, stays so however often it is asked for.
    refetchInterval: ({ state }) => (isHeard || isRefusal(state.error) ? false : ASK_EVERY_MS),
  });
  const isThere = found.data !== undefined;

  useEffect(() => {
    if (!isThere) return;
    let source: EventSource | undefined;
    const close = () => {
      source?.close();
      source = undefined;
      setHeard(false);
    };
    // A tab that nobody looks at has no stream: a person may have only so many at once.
    const look = () => {
      if (document.visibilityState !== "visible") return close();
      if (source && source.readyState !== EventSource.CLOSED) return;
      source = new EventSource(ofAccount(`/v1/emails/${encodeURIComponent(id)}/events`));
      source.addEventListener("email", ({ data }) => {
        setHeard(true);
        queries.setQueryData(emailQuery(id).queryKey, JSON.parse(data) as EmailDetail);
      });
      source.addEventListener("error", () => setHeard(false));
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      close();
    };
  }, [id, isThere, queries]);
  return found;
}
