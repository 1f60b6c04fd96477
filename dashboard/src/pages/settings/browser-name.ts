/** The order counts: most browsers also name those that they resemble. */
const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** Says in short what a browser calls itself at length; undefined where it says nothing that is known. */
export function nameBrowser(agent: string): string | undefined {
  const find = (known: readonly (readonly [string, string])[]) =>
    known.find(([sign]) => agent.includes(sign))?.[1];
  const found = [find(BROWSERS), find(SYSTEMS)].filter((one) => one !== undefined);
  return found.length > 0 ? found.join(" · ") : undefined;
}
