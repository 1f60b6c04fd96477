/** An import as it stands, while it moves: by the service's stream, and by asking where that is silent. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ofAccount } from "../../api/account.ts";
import { isMoving } from "../../api/import-status.ts";
import type { Import } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";

const ASK_EVERY_MS = 2_000;
/** Numbers that change faster than this can't be read. */
const SHOW_EVERY_MS = 500;
/** What an import changes. */
const CHANGED = ["imports", "subscribers", "lists", "tags", "suppressions"];

export function useImport(id: string | undefined) {
  const queries = useQueryClient();
  const options = query("GET /v1/imports/{id}", { path: { id: id ?? "" } });
  const [isHeard, setHeard] = useState(false);
  const found = useQuery({
    ...options,
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) && !isHeard ? ASK_EVERY_MS : false),
  });
  const moves = found.data !== undefined && isMoving(found.data);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key of the query is the id.
  useEffect(() => {
    if (!id || !moves) return;
    const source = new EventSource(ofAccount(`/v1/imports/${encodeURIComponent(id)}/progress`));
    let latest: Import | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      if (latest) queries.setQueryData(options.queryKey, latest);
      latest = undefined;
    };
    source.addEventListener("progress", ({ data }) => {
      latest = JSON.parse(data) as Import;
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    });
    source.addEventListener("done", ({ data }) => {
      source.close();
      latest = JSON.parse(data) as Import;
      show();
    });
    source.addEventListener("open", () => setHeard(true));
    source.addEventListener("error", () => setHeard(false));
    return () => {
      source.close();
      clearTimeout(timer);
      setHeard(false);
    };
  }, [id, moves]);

  const wasMoving = useRef(false);
  useEffect(() => {
    if (wasMoving.current && !moves) {
      for (const thing of CHANGED) void queries.invalidateQueries({ queryKey: [thing] });
    }
    wasMoving.current = moves;
  }, [moves, queries]);
  return found;
}
