/** The draft that the composer edits: what is typed, what is saved, and how the two stand to each other. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { request } from "../../../../api/client.ts";
import { useConnection } from "../../../../api/connection.ts";
import { onNews } from "../../../../api/live.ts";
import { asApiError } from "../../../../api/problem.ts";
import { query } from "../../../../api/queries.ts";
import type { Answered, Snapshot } from "./draft-state.ts";
import { createSaver, type Saver } from "./saver.ts";

export type { Draft } from "./draft.ts";
export type { DraftState } from "./draft-state.ts";

export type Drafting = Snapshot &
  Pick<
    Saver,
    "change" | "save" | "etag" | "choose" | "resume" | "replace" | "keep" | "isUnsaved" | "dismissTaken"
  >;

export type OpenDraft =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: Error; readonly retry: () => void }
  | ({ readonly kind: "open" } & Drafting);

/** Once it is known that somebody else edits it too, it is read this often for a while. */
const LOOK_EVERY_MS = 5_000;
const LOOK_FOR_MS = 5 * 60_000;

export function useDraft(id: string): OpenDraft {
  const { data: found, error, refetch } = useFound(id);
  const saver = useSaver(id, found);
  const snapshot = useSyncExternalStore(saver?.subscribe ?? subscribeToNothing, () => saver?.snapshot());
  useNews(id, saver);
  useReturn(saver);
  if (saver && snapshot) return { kind: "open", ...snapshot, ...saver };
  return error ? { kind: "failed", error, retry: () => void refetch() } : { kind: "loading" };
}

const subscribeToNothing = () => () => {};

const read = (id: string) => request("GET /v1/campaigns/{id}", { path: { id } });

/** It is read for each opening, and not again behind what is typed. */
function useFound(id: string) {
  return useQuery({ queryKey: ["draft", id], queryFn: () => read(id), staleTime: Infinity, gcTime: 0 });
}

function useSaver(id: string, found: Answered | undefined): Saver | undefined {
  const queries = useQueryClient();
  const isFound = found !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first answer begins a draft; later ones are heard.
  const saver = useMemo(() => {
    if (!found) return undefined;
    return createSaver(found, {
      read: () => read(id),
      async write(body, ifMatch) {
        const saved = await request("PATCH /v1/campaigns/{id}", { path: { id }, body, ifMatch });
        queries.setQueryData(query("GET /v1/campaigns/{id}", { path: { id } }).queryKey, saved.body);
        return saved;
      },
    });
  }, [id, isFound, queries]);
  useEffect(() => {
    if (found) saver?.hear(found);
  }, [found, saver]);
  useEffect(() => () => saver?.stop(), [saver]);
  return saver;
}

/** An event about the campaign is a reason to look at it. One person's edits are one event in five minutes. */
function useNews(id: string, saver: Saver | undefined): void {
  useEffect(() => {
    if (!saver) return;
    let lookUntilMs = 0;
    const look = async () => {
      try {
        saver.hear(await read(id));
      } catch (thrown) {
        if (asApiError(thrown).status === 404) saver.hearOfDeletion();
      }
    };
    const silence = onNews((news) => {
      if (news !== "many" && news.data["campaign_id"] !== id) return;
      if (news !== "many" && news.type.startsWith("email.")) return;
      lookUntilMs = performance.now() + LOOK_FOR_MS;
      void look();
    });
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && performance.now() < lookUntilMs) void look();
    }, LOOK_EVERY_MS);
    const onVisible = () => void (document.visibilityState === "visible" && look());
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      silence();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [id, saver]);
}

/** The service answers again, or somebody has signed in again. */
function useReturn(saver: Saver | undefined): void {
  const { connection, isSignedOut } = useConnection();
  useEffect(() => {
    if (connection === "ok" && !isSignedOut) saver?.retry();
  }, [connection, isSignedOut, saver]);
}
