/** Remembers for this tab where somebody was when they went to the provider. No server sees it, and nobody else can set it. */
const KEY = "postrider.sso-from";

export function keepPlace(path: string): void {
  try {
    sessionStorage.setItem(KEY, path);
  } catch {
    // Without storage they come to the first page.
  }
}

/** Only an address of ours is gone back to. A browser drops tabs and line ends, so that it is asked. */
export function ownAddress(from: unknown): string | undefined {
  if (typeof from !== "string" || !from.startsWith("/")) return undefined;
  const url = URL.parse(from, window.location.origin);
  return url?.origin === window.location.origin ? url.pathname + url.search + url.hash : undefined;
}

/** Returns where somebody is now. */
export function presentPlace(): string {
  const { pathname, search, hash } = window.location;
  return pathname + search + hash;
}

export function takePlace(): string {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return ownAddress(kept) ?? "/";
  } catch {
    return "/";
  }
}
