import assert from "node:assert/strict";
import { test } from "node:test";
import { oddityOf } from "./url.ts";

const odd: Record<string, RegExp> = {
  "https:///example.com/x": /whole URL/,
  "https:example.com": /whole URL/,
  "https:/example.com/x": /whole URL/,
  "https://?x": /whole URL/,
  "https://:@example.com/": /user name/,
  "https://@example.com/": /user name/,
  "https://example.com:0/": /port 0/,
  "https://example.com:00/": /port 0/,
  "https://example.com/x#": /fragment/,
  "https://example.com/x#here": /fragment/,
  "https://example.com./x": /dot/,
  "https://example.com../x": /dot/,
  "https://134744072/x": /8\.8\.8\.8/,
  "https://0x8.8.8.8/x": /8\.8\.8\.8/,
  "https://8.8.2056/x": /8\.8\.8\.8/,
  "https://ex%61mple.com/x": /example\.com/,
  "https://example.com:/x": /example\.com/,
};

for (const [url, expected] of Object.entries(odd)) {
  test(`${url} is odd`, () => assert.match(oddityOf(url) ?? "nothing is", expected));
}

const plain = [
  "https://example.com",
  "https://example.com/hooks?key=1",
  "HTTPS://EXAMPLE.COM/Hooks",
  "https://example.com:8443/hooks",
  "https://example.com:443/hooks",
  "http://127.0.0.1:9/hooks",
  "https://[2001:DB8:0::1]:8443/hooks",
  "https://bücher.example/hooks",
  "https://xn--bcher-kva.example/hooks",
  "https://example.com/a@b",
  "https://example.com/?to=a@b",
  "https://a_b.example/",
];

for (const url of plain) test(`${url} says what it means`, () => assert.equal(oddityOf(url), undefined));
