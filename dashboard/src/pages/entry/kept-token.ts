/**
 * Keeps the token of a link for this tab, while somebody signs in and comes back. It stands in no address that is asked for, so no server
 * logs it.
 */
const KEY = "postrider.address-token";

/** Returns the token after the #, or the one that was kept. */
export function keptToken(): string {
  const given = window.location.hash.slice(1);
  try {
    if (given !== "") sessionStorage.setItem(KEY, given);
    return given || (sessionStorage.getItem(KEY) ?? "");
  } catch {
    return given;
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage nothing was kept.
  }
}
