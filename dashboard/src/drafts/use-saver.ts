/** Opens a draft: reads it, saves it while it is typed, and hears what others make of it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useConnection } from "../api/connection.ts";
import { type News, onNews } from "../api/live.ts";
import { asApiError } from "../api/problem.ts";
import type { Answered, Editable, Snapshot } from "./draft-state.ts";
import type { Saver } from "./saver.ts";

export type Opened<T extends Editable, F extends keyof T & string> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: Error; readonly retry: () => void }
  | { readonly kind: "open"; readonly snapshot: Snapshot<T, F>; readonly saver: Saver<T, F> };

type Source<T extends Editable, F extends keyof T & string> = {
  readonly id: string;
  readonly read: (id: string) => Promise<Answered<T>>;
  readonly makeSaver: (found: Answered<T>) => Saver<T, F>;
  /** Whether an event is a reason to look at the draft. */
  readonly isAbout: (news: Exclude<News, "many">) => boolean;
};

/** Once it is known that somebody else edits it too, it is read this often for a while. */
const LOOK_EVERY_MS = 5_000;
const LOOK_FOR_MS = 5 * 60_000;

/** The functions of `source` must be the same at each render. */
export function useSaver<T extends Editable, F extends keyof T & string>(source: Source<T, F>): Opened<T, F> {
  const { id, read, makeSaver } = source;
  // It is read for each opening, and not again behind what is typed.
  const {
    data: found,
    error,
    refetch,
  } = useQuery({
    queryKey: ["draft", id],
    queryFn: () => read(id),
    staleTime: Infinity,
    gcTime: 0,
  });
  const isFound = found !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first answer begins a draft; later ones are heard.
  const saver = useMemo(() => found && makeSaver(found), [id, isFound, makeSaver]);
  useEffect(() => {
    if (found) saver?.hear(found);
  }, [found, saver]);
  useEffect(() => () => saver?.stop(), [saver]);
  const snapshot = useSyncExternalStore(saver?.subscribe ?? subscribeToNothing, () => saver?.snapshot());
  useNews(source, saver);
  useReturn(saver);
  if (saver && snapshot) return { kind: "open", snapshot, saver };
  return error ? { kind: "failed", error, retry: () => void refetch() } : { kind: "loading" };
}

const subscribeToNothing = () => () => {};

/** An event about it is a reason to look at it. One person's edits are one event in five minutes. */
function useNews<T extends Editable, F extends keyof T & string>(
  { id, read, isAbout }: Source<T, F>,
  saver: Saver<T, F> | undefined,
): void {
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
      if (news !== "many" && !isAbout(news)) return;
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
  }, [id, read, isAbout, saver]);
}

/** The service answers again, or somebody has signed in again. */
function useReturn(saver: { readonly retry: () => void } | undefined): void {
  const { connection, isSignedOut } = useConnection();
  useEffect(() => {
    if (connection === "ok" && !isSignedOut) saver?.retry();
  }, [connection, isSignedOut, saver]);
}
