/**
 * Providers where anybody gets an address. Their DMARC policies, or their own filters, refuse mail in their name that they didn't sign
 * themselves, so only their own servers may send it.
 */
type Provider = {
  readonly domains: readonly string[];
  /** The domains that its servers for submission are in. */
  readonly servers: readonly string[];
};

const list = (words: string) => words.split(" ");

const providers: readonly Provider[] = [
  { domains: list("gmail.com googlemail.com"), servers: list("gmail.com googlemail.com google.com") },
  {
    domains: list(
      "outlook.com outlook.de outlook.fr hotmail.com hotmail.co.uk hotmail.fr hotmail.de live.com msn.com",
    ),
    servers: list("outlook.com office365.com hotmail.com live.com"),
  },
  {
    domains: list("yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es ymail.com rocketmail.com"),
    servers: list("yahoo.com"),
  },
  { domains: list("yahoo.co.jp"), servers: list("yahoo.co.jp") },
  { domains: list("aol.com"), servers: list("aol.com") },
  { domains: list("icloud.com me.com mac.com"), servers: list("me.com icloud.com") },
  { domains: list("gmx.de gmx.net gmx.at gmx.ch gmx.com"), servers: list("gmx.net gmx.com gmx.de") },
  { domains: list("web.de"), servers: list("web.de") },
  { domains: list("t-online.de"), servers: list("t-online.de") },
  { domains: list("mail.ru"), servers: list("mail.ru") },
  { domains: list("yandex.ru yandex.com"), servers: list("yandex.ru yandex.com yandex.net") },
  { domains: list("qq.com"), servers: list("qq.com") },
  { domains: list("163.com"), servers: list("163.com") },
  { domains: list("proton.me protonmail.com"), servers: list("protonmail.ch proton.me protonmail.com") },
  { domains: list("zoho.com"), servers: list("zoho.com zoho.eu") },
];

export function providerOf(domain: string): Provider | undefined {
  return providers.find(({ domains }) => domains.includes(domain));
}

export function isFreeMail(domain: string): boolean {
  return providerOf(domain) !== undefined;
}

export function isOwnServerOf({ servers }: Provider, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return servers.some((server) => name === server || name.endsWith(`.${server}`));
}
