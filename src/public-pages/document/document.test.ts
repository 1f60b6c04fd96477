import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { allPages, HOSTILE, sender } from "../../../test/support/public-pages.ts";
import { english as words } from "../locales/locales.ts";
import { archivePage, notFound, type PublicPage, testMail, tooMany, unavailable } from "../public-pages.ts";

const withLogo = (logoUrl: string) =>
  testMail({ words, sender: { ...sender, branding: { colour: null, logoUrl } } });
const policyOf = (page: PublicPage) => page.headers["content-security-policy"] ?? "";

describe("the document of every public page", () => {
  const own = [...allPages()].filter(
    ([, { headers, body }]) => /html/.test(headers["content-type"] ?? "") && /<footer/.test(body),
  );

  test("the policy allows the one style sheet, forms to ourselves, and nothing else", () => {
    assert.ok(own.length >= 31);
    for (const [path, page] of own) {
      const styles = [...page.body.matchAll(/<style>([^<]*)<\/style>/g)];
      assert.equal(styles.length, 1, path);
      const hash = createHash("sha256")
        .update(styles[0]?.[1] ?? "")
        .digest("base64");
      const frame = path === "/item" ? " frame-src 'self';" : "";
      assert.equal(
        policyOf(page),
        `default-src 'none'; style-src 'sha256-${hash}';${frame} form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
        path,
      );
    }
  });

  test("it has a language, a title and one heading, no script, no inline style, and is kept from search engines", () => {
    for (const [path, { body, headers }] of own) {
      assert.match(body, /^<!doctype html>\n<html lang="en-GB" dir="ltr">/, path);
      assert.match(body, /<title>[^<]+ · (Fernhill Books|Postrider)<\/title>/, path);
      assert.equal(body.match(/<h1>/g)?.length, 1, path);
      assert.equal(headers.vary, "accept-language", path);
      assert.doesNotMatch(body, /<script|\sstyle=|\son\w+=|<link rel="stylesheet"|javascript:/, path);
      assert.match(body, /<meta name="robots" content="noindex">/, path);
      assert.equal(headers["x-robots-tag"], "noindex", path);
    }
  });

  test("an archive that may be found says nothing to keep search engines away", () => {
    const { body, headers } = archivePage({
      words,
      sender,
      listName: "The weekly letter",
      isIndexable: true,
      timeZone: "UTC",
      rssPath: "/feed.xml",
      atomPath: "/atom.xml",
      mails: [],
      newerPath: null,
      olderPath: null,
      subscribePath: null,
    });
    assert.doesNotMatch(body + JSON.stringify(headers), /noindex/);
  });

  test("a hostile name adds no element anywhere", () => {
    const tagsOf = (body: string) =>
      body.replaceAll(/<style>[^<]*<\/style>/g, "").match(/<(?:script|img|svg onload|style)\b/g);
    for (const name of HOSTILE) {
      for (const [path, { body }] of allPages(name)) {
        if (!/<footer/.test(body)) continue;
        assert.equal(tagsOf(body), null, `${path} ${name}`);
        assert.doesNotMatch(body, /[\u202A-\u202E\u2066-\u2069\u0000]/, path);
      }
    }
  });

  test("a logo is shown from this host or by https, and the policy names only its host", () => {
    assert.match(policyOf(withLogo("/files/fil_1")), /img-src 'self';/);
    assert.match(
      policyOf(withLogo("https://Cdn.Example.com:8443/a.png?x=1")),
      /img-src https:\/\/cdn\.example\.com:8443;/,
    );
    assert.match(
      withLogo("/files/fil_1").body,
      /<img class="logo" src="\/files\/fil_1" alt="Fernhill Books">/,
    );
  });

  for (const address of [
    "javascript:alert(1)",
    "data:image/svg+xml,<svg/onload=alert(1)>",
    "http://cdn.example.com/a.png",
    "//cdn.example.com/a.png",
    "/\\cdn.example.com/a.png",
    "https://a;script-src%20*/a.png",
    "https://a;sandbox/a.png",
    "https://*/a.png",
    "https://'self'/a.png",
    "",
    "logo.png",
  ]) {
    test(`a logo at ${address || "nothing"} is left out, and the policy with it`, () => {
      assert.doesNotMatch(policyOf(withLogo(address)), /img-src|script-src|sandbox/);
      assert.doesNotMatch(withLogo(address).body, /<img/);
    });
  }
});

describe("what can't be shown", () => {
  test("each has the status that says so, and a time to come back where there is one", () => {
    assert.equal(notFound(words).status, 404);
    for (const [seconds, said, header] of [
      [0.2, "1 second", "1"],
      [42, "42 seconds", "42"],
      [600, "10 minutes", "600"],
    ] as const) {
      const page = tooMany({ words, retryAfterSeconds: seconds, retryPath: "/u/x" });
      assert.equal(page.status, 429);
      assert.equal(page.headers["retry-after"], header);
      assert.ok(page.body.includes(`in ${said}.`));
    }
    const away = unavailable({ words, retryAfterSeconds: 5, unsubscribePath: null, retryPath: "/v/x" });
    assert.deepEqual([away.status, away.headers["retry-after"]], [503, "5"]);
    assert.doesNotMatch(away.body, /<form/);
  });
});
