/** Says which addresses no link may lead to. Checks refuse them, and whoever follows a link isn't led there either. */

/** C0 and C1 controls, and the characters that make text run backwards, hide where a link leads. */
const hidden = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

/** Returns a sentence that says what is dangerous about an address, or null. */
export function dangerOf(href: string): string | null {
  if (/^\s*(?:javascript|vbscript|data):/i.test(href))
    return "The link is a script or data, which no mail client opens.";
  if (hidden.test(href)) return "The link holds characters that can't be seen, which hide where it leads.";
  const url = /^https?:/i.test(href) ? URL.parse(href) : null;
  return url && (url.username !== "" || url.password !== "")
    ? "The link holds a user's name or password, which everybody would get."
    : null;
}

/** Returns an address as a Location carries it, in ASCII; undefined where it is no http(s) address, or a dangerous one. */
export function toLocation(address: string): string | undefined {
  const url = /^https?:\/\//i.test(address) && dangerOf(address) === null ? URL.parse(address) : null;
  return url?.href;
}
