/**
 * Some requests want whoever is signed in to have proved just now that it is them. The client waits here while a dialog asks, and then
 * sends its request again; requests that come meanwhile wait for the same answer.
 */
import { useSyncExternalStore } from "react";

type Asked = { readonly answer: Promise<boolean>; readonly resolve: (isConfirmed: boolean) => void };

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function change(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Resolves to true once the person has proved that it is them, and to false where they would not. */
export function askToConfirm(): Promise<boolean> {
  if (!asked) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    change({ answer: promise, resolve });
  }
  return asked?.answer ?? Promise.resolve(false);
}

export function answerConfirmation(isConfirmed: boolean): void {
  const { resolve } = asked ?? {};
  change(undefined);
  resolve?.(isConfirmed);
}

/** Tells whether a request waits for a confirmation. */
export function useIsAsked(): boolean {
  return useSyncExternalStore(subscribe, () => asked !== undefined);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
