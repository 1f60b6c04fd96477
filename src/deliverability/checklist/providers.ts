/** Says whose mailboxes a domain's are. Only those are counted that a provider's own rules are about: no domains of its customers. */
import type { Provider } from "./schema.ts";

const spread = (name: string, endings: string) => endings.split(" ").map((ending) => `${name}.${ending}`);

/** Yahoo Japan (yahoo.co.jp) is another company's. */
const DOMAINS: Readonly<Record<Provider, readonly string[]>> = {
  gmail: ["gmail.com", "googlemail.com"],
  yahoo: [
    ...spread(
      "yahoo",
      "com ca fr de it es ie at be ch cz dk fi gr hu nl no pl pt ro se in co.uk co.in co.id co.nz co.th co.za co.kr co.il com.ar " +
        "com.au com.br com.co com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.vn com.cn",
    ),
    ..."ymail.com rocketmail.com myyahoo.com aol.com aol.co.uk aol.fr aol.de aol.it aim.com netscape.net verizon.net".split(
      " ",
    ),
  ],
  microsoft: [
    ...spread(
      "outlook",
      "com fr de it es be at dk ie pt cz hu sk in co.il co.id co.th com.ar com.au com.br com.gr com.tr com.vn jp kr sa ph my sg cl lv",
    ),
    ...spread(
      "hotmail",
      "com fr de it es be nl ch se no dk fi gr ca co.uk co.jp co.kr co.il co.in co.id co.nz co.th co.za com.ar com.au com.br com.hk " +
        "com.tr com.tw com.vn com.mx cl cz hu sg my ph lv lt rs sk",
    ),
    ...spread(
      "live",
      "com fr de it be nl at ch se no dk fi ie ca cn jp in hk ru co.uk co.kr co.za com.ar com.au com.mx com.my com.pt com.ph com.sg cl",
    ),
    ..."msn.com windowslive.com passport.com".split(" "),
  ],
  apple: ["icloud.com", "me.com", "mac.com", "privaterelay.appleid.com"],
};

export const PROVIDER_DOMAINS: readonly { readonly domain: string; readonly group: Provider }[] =
  Object.entries(DOMAINS).flatMap(([group, domains]) =>
    domains.map((domain) => ({ domain, group: group as Provider })),
  );

const BY_DOMAIN = new Map(PROVIDER_DOMAINS.map(({ domain, group }) => [domain, group]));

export function providerOf(domain: string): Provider | undefined {
  return BY_DOMAIN.get(domain.toLowerCase());
}
