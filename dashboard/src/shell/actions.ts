/**
 * The actions that can be done now. A page registers its own while it is shown; the keyboard, the palette and the list of
 * keys all read this one list, so that none of them lacks what another has.
 */
import type { LucideIcon } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { type Scope, useMay } from "../api/may.ts";
import { presentPreferences } from "./preferences.ts";

export type Action = {
  readonly id: string;
  readonly label: string;
  readonly icon?: LucideIcon;
  /** One key, or two in a row with a blank between them, or `mod+k`. */
  readonly keys?: string;
  /** Whoever lacks this scope doesn't have it. */
  readonly needs?: Scope | undefined;
  /** Gets the key press where it was one, for what Shift adds. */
  readonly run: (event?: KeyboardEvent) => void;
};

let actions: readonly Action[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Action[]): void {
  actions = next;
  for (const listener of listeners) listener();
}

export function useActions(): readonly Action[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => actions,
  );
}

/** Registers actions for as long as the component is there. What they do may change from one render to the next. */
export function useRegisterActions(mine: readonly Action[]): void {
  const may = useMay();
  const allowed = mine.filter(({ needs }) => may(needs));
  const latest = useRef(allowed);
  latest.current = allowed;
  const signature = JSON.stringify(allowed.map(({ id, label, keys }) => [id, label, keys]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the actions.
  useEffect(() => {
    const stable = latest.current.map((action) => ({
      ...action,
      run: (event?: KeyboardEvent) => latest.current.find(({ id }) => id === action.id)?.run(event),
    }));
    change([...actions, ...stable]);
    return () => change(actions.filter((one) => !stable.includes(one)));
  }, [signature]);
}

/** A second key has to follow the first within this time. */
const SEQUENCE_MS = 1_200;

/** What this opens would lie over a dialog or under a small window, and focus would go to what is behind both when that closes. */
const UNDER_NOTHING = "mod+Enter";

/** Listens to the keyboard. Single keys work only outside of fields and dialogs. */
export function listenToKeys(): () => void {
  let first = { key: "", at: 0 };
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const pressed = nameOf(event);
    // In a field, mod+a selects its text.
    const isSingle = !pressed.startsWith("mod+") || pressed === "mod+a";
    if (isSingle && (!presentPreferences().singleKeys || isTyping(event) || isDialogOpen())) return;
    const sequence = performance.now() - first.at < SEQUENCE_MS ? `${first.key} ${pressed}` : pressed;
    const found = findLast(sequence) ?? findLast(pressed);
    first = { key: pressed, at: performance.now() };
    if (!found) return;
    event.preventDefault();
    first = { key: "", at: 0 };
    if (pressed === UNDER_NOTHING && isDialogOpen()) return;
    found.run(event);
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/** The page's own action of a key comes before the shell's. */
const findLast = (keys: string) => actions.findLast((action) => action.keys === keys);

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.metaKey || event.ctrlKey ? `mod+${key}` : key;
}

/** The editor of a mail stands in a shadow root, of which `target` names only the host. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A toast is a dialog to screen readers, but stands in nobody's way. */
function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not(.toast), [role="menu"]') !== null;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys as they are written on them. */
export function keyCaps(keys: string): readonly string[] {
  return keys.split(/[ +]/).map((key) => {
    if (key === "mod") return isApple ? "⌘" : "Ctrl";
    return key.length === 1 ? key.toUpperCase() : key;
  });
}
