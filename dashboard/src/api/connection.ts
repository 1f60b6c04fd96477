/** What all pages share about the line to the service: whether it answers, and whether the session still is one. */
import { useSyncExternalStore } from "react";

export type Connection = "ok" | "offline" | "unavailable";

type State = { readonly connection: Connection; readonly isSignedOut: boolean };

let state: State = { connection: "ok", isSignedOut: false };
const listeners = new Set<() => void>();

function change(next: Partial<State>): void {
  const changed = { ...state, ...next };
  if (changed.connection === state.connection && changed.isSignedOut === state.isSignedOut) return;
  state = changed;
  for (const listener of listeners) listener();
}

export const reportConnection = (connection: Connection) => change({ connection });
export const reportSignedOut = () => change({ isSignedOut: true });
export const reportSignedIn = () => change({ isSignedOut: false });

/** While the service doesn't answer, the line at the top asks for it, and nobody else need. */
export const isConnected = () => state.connection === "ok";

export function useConnection(): State {
  return useSyncExternalStore(subscribe, () => state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
