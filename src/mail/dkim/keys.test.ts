import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, test } from "node:test";
import { loadDkimKey, publicKeyRecord } from "./dkim.ts";
import { makeKey } from "./messages.fixture.ts";

const rsa = makeKey({ rsaBits: 1024 }, "r").privateKey;
const ed25519 = makeKey("ed25519", "e").privateKey;

function load(pem: string, { domain = "example.org", selector = "s1" } = {}) {
  return loadDkimKey({ domain, selector, pem });
}

function pemOf(key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1" = "pkcs8"): string {
  return key.export({ type, format: "pem" }).toString();
}

describe("a key is taken", () => {
  const taken: readonly [what: string, pem: string, algorithm: string][] = [
    ["RSA in PKCS#8", pemOf(rsa), "rsa-sha256"],
    ["RSA in PKCS#1", pemOf(rsa, "pkcs1"), "rsa-sha256"],
    ["Ed25519 in PKCS#8", pemOf(ed25519), "ed25519-sha256"],
    ["a key with CRLF and words around it", `Key:\r\n${pemOf(rsa).replaceAll("\n", "\r\n")}.`, "rsa-sha256"],
    ["a key below its certificate", `${certificate()}${pemOf(ed25519)}`, "ed25519-sha256"],
  ];
  for (const [what, pem, algorithm] of taken) {
    test(what, () => {
      const loaded = load(pem);
      assert.equal(loaded.ok && loaded.key.algorithm, algorithm);
    });
  }

  test("for an internationalised domain, in A-labels", () => {
    const loaded = load(pemOf(ed25519), { domain: "Bücher.example" });
    assert.equal(loaded.ok && loaded.key.domain, "xn--bcher-kva.example");
  });
});

describe("a key is refused", () => {
  const sealed = { cipher: "aes-256-cbc", passphrase: "secret", format: "pem" } as const;
  const pem = pemOf(rsa);
  const refused: readonly [what: string, pem: string, reason: string][] = [
    ["nothing", "", "not_pem"],
    ["base64 without its frame", rsa.export({ type: "pkcs8", format: "der" }).toString("base64"), "not_pem"],
    ["PKCS#8 with a passphrase", rsa.export({ ...sealed, type: "pkcs8" }).toString(), "encrypted"],
    ["PKCS#1 with a passphrase", rsa.export({ ...sealed, type: "pkcs1" }).toString(), "encrypted"],
    ["a public key", publicPem(), "not_private"],
    ["a certificate", certificate(), "not_private"],
    ["a key of OpenSSH", pem.replaceAll("PRIVATE KEY", "OPENSSH PRIVATE KEY"), "openssh"],
    ["half a key", pem.slice(0, pem.length / 2), "unreadable"],
    ["a frame alone", "-----BEGIN PRIVATE KEY-----", "unreadable"],
    ["ten megabytes", "-----BEGIN PRIVATE KEY-----\n".padEnd(10_000_000, "A"), "unreadable"],
    ["numbers that don't belong together", oddRsaPem(2048), "unreadable"],
    ["an elliptic curve", pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey), "wrong_type"],
    ["RSA-PSS", pemOf(generateKeyPairSync("rsa-pss", { modulusLength: 1024 }).privateKey), "wrong_type"],
    ["768 bits", pemOf(generateKeyPairSync("rsa", { modulusLength: 768 }).privateKey), "too_short"],
    ["4111 bits", oddRsaPem(4112), "too_long"],
  ];
  for (const [what, given, reason] of refused) {
    test(`${what}: ${reason}`, () => {
      const loaded = load(given);
      assert.equal(loaded.ok ? "taken" : loaded.reason, reason);
    });
  }

  const named: readonly [names: { domain?: string; selector?: string }, reason: string][] = [
    [{ domain: "" }, "bad_domain"],
    [{ domain: "localhost" }, "bad_domain"],
    [{ domain: "ada@example.org" }, "bad_domain"],
    [{ domain: "example.org; l=0" }, "bad_domain"],
    [{ domain: "example.org\r\nBcc: x@example.net" }, "bad_domain"],
    [{ selector: "" }, "bad_selector"],
    [{ selector: "a..b" }, "bad_selector"],
    [{ selector: "-a" }, "bad_selector"],
    [{ selector: "a_b" }, "bad_selector"],
    [{ selector: "s1; l=0" }, "bad_selector"],
    [{ selector: "s1\n" }, "bad_selector"],
    [{ selector: "a".repeat(64) }, "bad_selector"],
    [{ selector: "ü" }, "bad_selector"],
    [{ domain: `${"a.".repeat(120)}org` }, "name_too_long"],
  ];
  for (const [names, reason] of named) {
    test(`with ${JSON.stringify(names).slice(0, 60)}: ${reason}`, () => {
      const loaded = load(pem, names);
      assert.equal(loaded.ok ? "taken" : loaded.reason, reason);
    });
  }
});

test("the record of the Ed25519 key of RFC 8463 appendix A is the one given there", () => {
  const seed = Buffer.from("nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=", "base64");
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const loaded = load(pemOf(createPrivateKey({ key: der, format: "der", type: "pkcs8" })));
  assert.ok(loaded.ok);
  assert.equal(
    publicKeyRecord(loaded.key),
    "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
  );
});

/** Writes an RSAPrivateKey (RFC 8017 appendix A.1.2) whose numbers have the right size but don't belong together. */
function oddRsaPem(bits: number): string {
  const number = (size: number) => Buffer.alloc(size / 8, 0x6b);
  const [whole, half] = [number(bits), number(bits / 2)];
  const numbers = [Buffer.from([0]), whole, Buffer.from([1, 0, 1]), whole, half, half, half, half, half];
  const integers = numbers.map((bytes) => derOf(0x02, bytes));
  const base64 = derOf(0x30, Buffer.concat(integers)).toString("base64");
  return `-----BEGIN RSA PRIVATE KEY-----\n${base64}\n-----END RSA PRIVATE KEY-----\n`;
}

function derOf(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function publicPem(): string {
  return generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
}

function certificate(): string {
  return "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
}
