/** What was changed, so that it can be undone and done again. */
import { useRef, useState } from "react";
import type { Json } from "../graph/draft.ts";

const MOST = 100;
/** Letters that are typed within this time of each other are undone together. */
const TOGETHER_MS = 1_500;

export type History = {
  readonly change: (draft: Json, kind?: string) => void;
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
};

export function useHistory(present: Json, write: (draft: Json) => void): History {
  const [past, setPast] = useState<readonly Json[]>([]);
  const [future, setFuture] = useState<readonly Json[]>([]);
  const last = useRef<{ kind: string | undefined; at: number }>({ kind: undefined, at: 0 });
  const change = (draft: Json, kind?: string) => {
    const now = performance.now();
    const isSame = kind !== undefined && kind === last.current.kind && now - last.current.at < TOGETHER_MS;
    last.current = { kind, at: now };
    if (!isSame) setPast((before) => [...before.slice(1 - MOST), present]);
    setFuture([]);
    write(draft);
  };
  const step = (from: readonly Json[], setFrom: typeof setPast, setTo: typeof setPast) => {
    const wanted = from.at(-1);
    if (wanted === undefined) return undefined;
    return () => {
      last.current = { kind: undefined, at: 0 };
      setFrom(from.slice(0, -1));
      setTo((before) => [...before, present]);
      write(wanted);
    };
  };
  return { change, undo: step(past, setPast, setFuture), redo: step(future, setFuture, setPast) };
}
