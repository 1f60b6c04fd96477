import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAILBOX_PROVIDERS } from "../mailbox-providers/mailbox-providers.ts";
import { checkAddress, type DomainState, domainToLookUp } from "./address-checks.ts";

const say = (address: string, state: DomainState = "mx") => {
  const { verdict, reasons, suggestion } = checkAddress(address, state);
  return [verdict, ...reasons, ...(suggestion ? [`→ ${suggestion}`] : [])].join(" ");
};

describe("an address", () => {
  test("is judged by its form, its domain and lists", () => {
    const cases: readonly (readonly [string, DomainState, string])[] = [
      ["ada@lovelace.net", "mx", "ok"],
      ["ada.lovelace", "mx", "bad syntax"],
      ["", "mx", "bad syntax"],
      ["ada@lovelace.net", "no_such_domain", "bad no_such_domain"],
      ["ada@lovelace.net", "null_mx", "bad null_mx"],
      ["ada@lovelace.net", "no_mail_server", "bad no_mail_server"],
      ["ada@lovelace.net", "internal_mail_server", "bad internal_mail_server"],
      ["ada@lovelace.net", "no_mx", "risky no_mx"],
      ["ada@lovelace.net", "unknown", "unknown dns_failed"],
      ["INFO@lovelace.net", "mx", "risky role"],
      ["info+news@lovelace.net", "mx", "risky role"],
      ["info@lovelace.net", "unknown", "risky dns_failed role"],
      ["ada@mailinator.com", "mx", "risky disposable"],
      ["ada@box.mailinator.com", "mx", "risky disposable"],
      ["ada@example.com", "mx", "bad reserved_domain"],
      ["ada@somewhere.test", "mx", "bad reserved_domain"],
      ["ада@почта.рф", "mx", "ok"],
    ];
    for (const [address, state, expected] of cases) assert.equal(say(address, state), expected, address);
  });

  test("at a slip of a well-known domain gets a suggestion", () => {
    const slips = {
      "gmial.com": "gmail.com",
      "gmai.com": "gmail.com",
      "gmaill.com": "gmail.com",
      "gnail.com": "gmail.com",
      "gmail.con": "gmail.com",
      "aol.con": "aol.com",
      "live.con": "live.com",
      "gmx.con": "gmx.com",
      "msn.cmo": "msn.com",
      "gmail.co": "gmail.com",
      "gmai.con": "gmail.com",
      "hotmial.com": "hotmail.com",
      "yaho.com": "yahoo.com",
      "outlok.com": "outlook.com",
      "iclod.com": "icloud.com",
      "t-onlin.de": "t-online.de",
      "orage.fr": "orange.fr",
    };
    for (const [written, meant] of Object.entries(slips))
      assert.equal(checkAddress(`Ada.L@${written}`, "mx").suggestion, `Ada.L@${meant}`, written);
    assert.equal(say("ada@gnail.com"), "risky typo → ada@gmail.com");
    assert.equal(say("ada@gnail.com", "no_such_domain"), "bad no_such_domain typo → ada@gmail.com");
  });

  test("at a domain of a provider, or far from any, gets none", () => {
    const domains = [
      ...MAILBOX_PROVIDERS.flatMap(({ domains: own }) => own),
      "mail.com",
      "lovelace.net",
      "gm.com",
    ];
    for (const domain of domains) assert.equal(say(`ada@${domain}`), "ok", domain);
  });
});

test("a domain is looked up as the DNS writes it, and none that nobody can have", () => {
  assert.equal(domainToLookUp("ada@Bücher.example.de"), "xn--bcher-kva.example.de");
  for (const address of ["ada", "ada@example.com", "ada@localhost", "ada@a.invalid"])
    assert.equal(domainToLookUp(address), undefined, address);
});
