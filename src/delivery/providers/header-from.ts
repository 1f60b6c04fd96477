/** Finds the domain in From of a message that we composed ourselves. It is asked only where a provider is closed for some domain. */

/** The header of what we send is shorter, unless it has hundreds of addresses in To. */
const MOST_BYTES = 65_536;

/** Returns undefined where there is none. */
export function fromDomainOf(message: Buffer): string | undefined {
  const text = message.subarray(0, MOST_BYTES).toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  const header = `\r\n${end < 0 ? text : text.slice(0, end)}`;
  const field = /\r\nfrom:((?:[^\r]|\r\n[ \t])*)/i.exec(header)?.[1];
  return field && /@([^\s@<>,;"]+)>?\s*$/.exec(field)?.[1]?.toLowerCase();
}
