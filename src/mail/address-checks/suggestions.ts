/** Finds the well-known domain that somebody may have meant who wrote another. */

/** The domains at which most private mailboxes are, long enough that one wrong letter isn't another well-known name. */
const MEANT =
  "gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr hotmail.com hotmail.co.uk hotmail.fr outlook.com outlook.fr icloud.com proton.me protonmail.com comcast.net verizon.net t-online.de orange.fr wanadoo.fr laposte.net btinternet.com sbcglobal.net bellsouth.net libero.it".split(
    " ",
  );

/** Names that are one letter away from one of the others, and other people's own. */
const OTHERS = new Set(
  "mail.com email.com ymail.com fmail.com gmail.co.uk yahoo.de yahoo.ca yahoo.es hotmail.de hotmail.it hotmail.es outlook.de outlook.es outlook.it yahoo.it yahoo.in live.com orange.de orange.es".split(
    " ",
  ),
);

const WRONG_ENDINGS = /\.(?:con|cmo|ocm|comm|coom|cpm|xom|vom|clm|co|cm|om|c0m|ccom|comn)$/;

/** Undefined where nothing better is known. `isKnown` says whether the domain is one at which addresses are given out. */
export function suggestDomain(domain: string, isKnown: (domain: string) => boolean): string | undefined {
  if (MEANT.includes(domain) || OTHERS.has(domain) || isKnown(domain)) return undefined;
  const ended = domain.replace(WRONG_ENDINGS, ".com");
  if (ended !== domain && (MEANT.includes(ended) || isKnown(ended))) return ended;
  return MEANT.find((one) => isOneSlipFrom(domain, one)) ?? MEANT.find((one) => isOneSlipFrom(ended, one));
}

/** One letter left out, added, exchanged for another, or two that changed places. */
function isOneSlipFrom(written: string, meant: string): boolean {
  if (Math.abs(written.length - meant.length) > 1) return false;
  let at = 0;
  while (at < meant.length && written[at] === meant[at]) at++;
  const rest = (text: string, from: number) => text.slice(from);
  if (written.length > meant.length) return rest(written, at + 1) === rest(meant, at);
  if (written.length < meant.length) return rest(written, at) === rest(meant, at + 1);
  if (at === meant.length) return false;
  const isExchanged = rest(written, at + 1) === rest(meant, at + 1);
  const isSwapped =
    written[at] === meant[at + 1] &&
    written[at + 1] === meant[at] &&
    rest(written, at + 2) === rest(meant, at + 2);
  return isExchanged || isSwapped;
}
