import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Bench, FACTS, KEY, startBench } from "./support.fixture.ts";

const NAME = "pr1._domainkey.shop.example";
const P = KEY.slice(KEY.indexOf("p=") + 2);

describe("the record of a key", () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench();
  });
  beforeEach(() => bench.publish());
  after(() => bench.server.close());

  const judged = async () => {
    const { records, keysSeen } = await bench.inspect();
    const record = records.find(({ name }) => name === NAME);
    return {
      status: record?.status,
      seen: keysSeen.get("pr1"),
      advice: record?.advice ?? "",
      hint: record?.provider_hint ?? "",
    };
  };

  test("is shown whole and in strings of 255 characters", async () => {
    const record = await bench.record("dkim");
    assert.equal(record.expected, KEY);
    assert.equal(record.strings.join(""), KEY);
    assert.deepEqual(
      record.strings.map(({ length }) => length),
      [255, KEY.length - 255],
    );
    assert.ok(KEY.length >= 400);
  });

  const ways: readonly [string, string | readonly string[], string, string][] = [
    [
      "in other strings",
      ["v=DKIM1; ", "k=rsa; ", `p=${P.slice(0, 100)}`, P.slice(100, 300), P.slice(300)],
      "ok",
      "present",
    ],
    ["in another order, without its version", `p=${P};k=rsa`, "ok", "present"],
    ["with blanks in it", `v=DKIM1 ;  k = rsa ; p= ${P.slice(0, 50)} \t ${P.slice(50)} ;`, "ok", "present"],
    ["without its type, which is rsa then", `v=DKIM1; p=${P}`, "ok", "present"],
    ["with a note", `v=DKIM1; n=by me; p=${P}`, "ok", "present"],
    ["under test", `v=DKIM1; t=y; p=${P}`, "ok", "present"],
    ["cut off", KEY.slice(0, 255), "wrong", "absent"],
    ["of another type", `v=DKIM1; k=ed25519; p=${P}`, "wrong", "absent"],
    ["revoked", "v=DKIM1; p=", "wrong", "absent"],
    ["of another version", `v=DKIM2; p=${P}`, "wrong", "absent"],
    ["for SHA-1 alone", `v=DKIM1; h=sha1; p=${P}`, "wrong", "absent"],
    ["for no mail", `v=DKIM1; s=tlsrpt; p=${P}`, "wrong", "absent"],
    ["that is none", "hello", "wrong", "absent"],
  ];
  for (const [way, value, status, seen] of ways)
    test(`${way} is ${status}`, async () => {
      bench.server.set(NAME, "TXT", [value]);
      const found = await judged();
      assert.deepEqual([found.status, found.seen], [status, seen]);
      if (status !== "ok" || way === "under test") assert.notEqual(found.advice, "");
    });

  test("is found behind aliases into other zones, and in a delegated _domainkey", async () => {
    bench.server.remove(NAME);
    bench.server.set(NAME, "CNAME", ["pr1.keys.provider.example"]);
    bench.server.set("pr1.keys.provider.example", "CNAME", ["pr1.elsewhere.example"]);
    bench.server.set("pr1.elsewhere.example", "TXT", [KEY]);
    assert.equal((await judged()).status, "ok");
    bench.server.set("pr1.elsewhere.example", "TXT", ["v=DKIM1; p=AAAA"]);
    assert.match((await judged()).hint, /alias of pr1\.keys\.provider\.example/);
    bench.server.remove(NAME);
    bench.server.set("_domainkey.shop.example", "NS", ["ns1.keys.example"]);
    bench.server.set(NAME, "TXT", [KEY]);
    assert.equal((await judged()).status, "ok");
    bench.server.remove(NAME);
    const { records } = await bench.inspect();
    const [key] = records;
    assert.equal(key?.status, "missing");
    assert.equal(key?.host_label, "pr1");
    assert.match(key?.provider_hint ?? "", /kept by other name servers/);
  });

  test("is read over TCP where it was cut, and is unknown where aliases go round", async () => {
    bench.server.misbehave(NAME, "truncate");
    assert.equal((await judged()).status, "ok");
    bench.server.misbehave(NAME, null);
    bench.server.remove(NAME);
    bench.server.set(NAME, "CNAME", [NAME]);
    const found = await judged();
    assert.deepEqual([found.status, found.seen], ["unknown", "unknown"]);
  });

  test("beside another key proves nothing, and beside another text is only in the way", async () => {
    bench.server.set(NAME, "TXT", [KEY, "v=DKIM1; p=AAAA"]);
    let found = await judged();
    assert.deepEqual([found.status, found.seen], ["duplicate", "absent"]);
    bench.server.set(NAME, "TXT", [KEY, "something else"]);
    found = await judged();
    assert.deepEqual([found.status, found.seen], ["duplicate", "present"]);
  });

  test("is looked for where panels put it by mistake", async () => {
    bench.server.remove(NAME);
    bench.server.set(`${NAME}.shop.example`, "TXT", [KEY]);
    assert.match((await judged()).hint, /added it once more\. Type only pr1\._domainkey\./);
    bench.server.remove(`${NAME}.shop.example`);
    bench.server.set("pr1.domainkey.shop.example", "TXT", [KEY]);
    assert.match((await judged()).hint, /underscores were lost/);
    bench.server.set("pr1.domainkey.shop.example", "TXT", ["what a wildcard answers"]);
    assert.equal((await judged()).hint, "");
    bench.server.set(NAME, "TXT", [`"${KEY}"`]);
    assert.match((await judged()).hint, /without quotes/);
    bench.server.set(NAME, "TXT", [KEY.replaceAll(";", "\\;")]);
    assert.match((await judged()).hint, /backslashes/);
  });

  test("may be removed once the key is retired", async () => {
    const keys = FACTS.keys.map((key) => ({ ...key, state: "retired" as const }));
    const present = await bench.record("dkim", { keys });
    assert.deepEqual([present.status, present.required], ["ok", false]);
    assert.match(present.advice, /may be removed/);
    bench.server.remove(NAME);
    assert.equal((await bench.record("dkim", { keys })).advice, "");
  });
});
