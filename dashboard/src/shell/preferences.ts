/** What a person chose for this browser: colours, density, keys, columns, news put away. */
import { useSyncExternalStore } from "react";

export type Preferences = {
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  /** Keys of a single letter can get in the way of other tools (WCAG 2.1.4), so they can be switched off. */
  readonly singleKeys: boolean;
  readonly columns: readonly string[] | null;
  /** What was news on Home and has been seen, by id. */
  readonly putAway: readonly string[];
  /** How automations are shown where there is room for both. */
  readonly automationView: "canvas" | "outline";
};

const KEY = "postrider.preferences";
const DEFAULTS: Preferences = {
  theme: "system",
  density: "comfortable",
  singleKeys: true,
  columns: null,
  putAway: [],
  automationView: "canvas",
};

let preferences = read();
const listeners = new Set<() => void>();

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}

/** Puts colours and density on the document. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  if (preferences.theme === "system") delete dataset["theme"];
  else dataset["theme"] = preferences.theme;
  dataset["density"] = preferences.density;
}

export function setPreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Where the browser keeps nothing, the choice lasts as long as the page.
  }
  applyPreferences();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => preferences);
}

export const presentPreferences = () => preferences;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
