import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Bench, FACTS, startBench } from "./support.fixture.ts";

const NAME = "_dmarc.shop.example";
const OURS = `mailto:${FACTS.rua}`;

describe("the DMARC record of a domain", () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench();
  });
  beforeEach(() => bench.publish());
  after(() => bench.server.close());

  test("that exists is kept, and our address is added to it", async () => {
    bench.server.set(NAME, "TXT", ["v=DMARC1;p=reject;  rua=mailto:me@shop.example!10m; fo=1"]);
    const found = await bench.record("dmarc");
    assert.equal(found.expected, `v=DMARC1;p=reject;  rua=mailto:me@shop.example!10m,${OURS}; fo=1`);
    assert.equal(found.status, "ok");
    assert.match(found.advice, /Add our address/);
    assert.deepEqual(found.details, {
      policy: "reject",
      policy_from: NAME,
      organizational_domain: "shop.example",
    });
  });

  test("of the organization covers a domain below it", async () => {
    bench.server.set(NAME, "TXT", [`v=DMARC1; p=reject; sp=quarantine; rua=${OURS}`]);
    const found = await bench.record("dmarc", { name: "a.news.shop.example" });
    assert.deepEqual([found.status, found.name, found.details?.policy], ["ok", NAME, "quarantine"]);
  });

  test("of a public suffix is nobody's, so that one is asked for", async () => {
    bench.server.remove(NAME);
    bench.server.set("_dmarc.example", "TXT", ["v=DMARC1; p=reject; psd=y"]);
    const found = await bench.record("dmarc");
    bench.server.remove("_dmarc.example");
    assert.deepEqual([found.status, found.name], ["missing", NAME]);
    assert.equal(found.expected, `v=DMARC1; p=none; rua=${OURS}`);
  });

  test("that is there twice is none, also above the domain", async () => {
    bench.server.set(NAME, "TXT", ["v=DMARC1; p=none", "v=DMARC1; p=reject"]);
    for (const name of ["shop.example", "news.shop.example"]) {
      const found = await bench.record("dmarc", { name });
      assert.deepEqual([found.status, found.name, found.found.length], ["duplicate", NAME, 2]);
      assert.equal(found.expected?.endsWith(`; rua=${OURS}`), true);
    }
  });

  test("that can't be read is wrong, and one in quotes says why", async () => {
    bench.server.set(NAME, "TXT", ['"v=DMARC1; p=none"']);
    const found = await bench.record("dmarc");
    assert.equal(found.status, "wrong");
    assert.match(found.provider_hint ?? "", /without quotes/);
    bench.server.remove(NAME);
    bench.server.set(`${NAME}.shop.example`, "TXT", ["v=DMARC1; p=none"]);
    assert.match((await bench.record("dmarc")).provider_hint ?? "", /Type only _dmarc\./);
  });

  test("needs the consent of the host that reports go to", async () => {
    assert.equal((await bench.record("dmarc")).advice, "");
    bench.server.remove("*._report._dmarc.in.provider.example");
    assert.match((await bench.record("dmarc")).advice, /\*\._report\._dmarc\.in\.provider\.example/);
  });

  test("is kept as it is where no reports come in", async () => {
    bench.server.set(NAME, "TXT", ["v=DMARC1; p=none"]);
    const found = await bench.record("dmarc", { rua: null });
    assert.deepEqual([found.status, found.expected, found.advice], ["ok", "v=DMARC1; p=none", ""]);
  });

  test("says what receivers can't read in it", async () => {
    bench.server.set(NAME, "TXT", [`v=DMARC1; p=rejct; aspf=s; t=y; rua=${OURS}`]);
    const found = await bench.record("dmarc");
    assert.equal(found.details?.policy, "none");
    assert.match(found.advice, /p=rejct/);
    assert.match(found.advice, /aspf=s/);
    assert.match(found.advice, /t=y/);
  });
});
