import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { addDomain, addDomainKey } from "../../../test/support/domains.ts";
import { loadDkimKey } from "../../mail/dkim/dkim.ts";
import { sql } from "../../platform/db/db.ts";
import { createSecrets } from "../../platform/secrets.ts";
import type { InstanceKey } from "./instance-keys.ts";
import { createSigningKeys } from "./signing.ts";

const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);

describe("signing keys", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.stop());

  /** Its time goes on with each question, so that it reads the tables anew each time, unless it stands still. */
  function signingWith({ instanceKeys = [] as readonly InstanceKey[], standsStill = false } = {}) {
    let nowMs = 0;
    const errors: unknown[] = [];
    const signing = createSigningKeys({
      db: bench.db,
      secrets,
      clock: {
        monotonicMs() {
          if (!standsStill) nowMs += 1_000;
          return nowMs;
        },
        now: () => new Date(),
      },
      log: { error: (...told: unknown[]) => void errors.push(told) },
      instanceKeys,
    });
    const selectors = async (domain: string, accountId = bench.accountId) =>
      (await signing.keysFor(accountId, domain)).map((key) => `${key.selector} ${key.domain}`);
    return { signing, selectors, errors };
  }

  const add = (name: string, more: Omit<Parameters<typeof addDomain>[2], "name"> = {}) =>
    addDomain(bench.db, bench.accountId, { name, ...more });
  const addKey = (
    domainId: string,
    selector: string,
    more: Omit<Parameters<typeof addDomainKey>[4], "selector"> = {},
  ) => addDomainKey(bench.db, secrets, bench.accountId, domainId, { selector, ...more });

  it("are those in use that were seen in the DNS, RSA first, also for names below the domain", async () => {
    const id = await add("keys.example");
    await addKey(id, "ed", { algorithm: "ed25519" });
    await addKey(id, "rsa");
    await addKey(id, "waiting", { state: "standby" });
    await addKey(id, "going", { state: "retiring" });
    const { selectors } = signingWith();
    const both = ["rsa keys.example", "ed keys.example"];
    assert.deepEqual(await selectors("keys.example"), both);
    assert.deepEqual(await selectors("eu.keys.example"), both);
    assert.deepEqual(await selectors("notkeys.example"), []);
    assert.deepEqual(await selectors("keys.example", "0199a0b1-0000-7000-8000-00000000000f"), []);
  });

  it("are none that the DNS didn't have, and none of a domain whose proof was given up", async () => {
    const id = await add("unseen.example");
    await addKey(id, "rsa", { isSeen: false });
    const gone = await add("gone.example", { status: "unverified" });
    await addKey(gone, "rsa");
    const { selectors } = signingWith();
    assert.deepEqual([await selectors("unseen.example"), await selectors("gone.example")], [[], []]);
  });

  it("change once keys_version is raised, within a second, and are opened once until then", async () => {
    const id = await add("rotated.example");
    await addKey(id, "old");
    const { signing, selectors } = signingWith();
    assert.deepEqual(await selectors("rotated.example"), ["old rotated.example"]);
    const [before] = await signing.keysFor(bench.accountId, "rotated.example");
    assert.equal((await signing.keysFor(bench.accountId, "rotated.example"))[0], before);
    await bench.db.execute(sql`update domain_keys set state = 'retiring' where domain_id = ${id}`);
    await addKey(id, "new");
    assert.deepEqual(await selectors("rotated.example"), ["old rotated.example"]);
    await bench.db.execute(sql`update domains set keys_version = keys_version + 1 where id = ${id}`);
    assert.deepEqual(await selectors("rotated.example"), ["new rotated.example"]);
  });

  it("are asked of the tables once for all that is composed within a second", async () => {
    const id = await add("busy.example");
    await addKey(id, "rsa");
    const { selectors } = signingWith({ standsStill: true });
    assert.deepEqual(await selectors("busy.example"), ["rsa busy.example"]);
    await bench.db.execute(sql`delete from domains where id = ${id}`);
    assert.deepEqual(await selectors("busy.example"), ["rsa busy.example"]);
  });

  it("of the account come before those of DKIM_KEYS for the same domain, and the nearer ones before others", async () => {
    const id = await add("both.example");
    await addKey(id, "own");
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    const instanceKeys = ["both.example", "eu.both.example", "only.example"].map((domain): InstanceKey => {
      const loaded = loadDkimKey({ domain, selector: "given", pem });
      assert.ok(loaded.ok);
      return { key: loaded.key, accounts: "all" };
    });
    const { signing, selectors } = signingWith({ instanceKeys });
    assert.deepEqual(await selectors("both.example"), ["own both.example"]);
    assert.deepEqual(await selectors("eu.both.example"), ["given eu.both.example"]);
    assert.deepEqual(await selectors("us.both.example"), ["own both.example"]);
    assert.deepEqual(await selectors("only.example"), ["given only.example"]);
    const { isProved } = await signing.readFacts(bench.db, bench.accountId, "only.example");
    assert.ok(isProved);
  });

  it("that no SECRET_KEY opens sign nothing, which is logged, and whoever composes hears of it", async () => {
    const id = await add("sealed.example");
    await addDomainKey(
      bench.db,
      createSecrets(["another secret key of 32 characters or more"]),
      bench.accountId,
      id,
      {
        selector: "rsa",
      },
    );
    const { signing, selectors, errors } = signingWith();
    assert.deepEqual(await selectors("sealed.example"), []);
    assert.equal(errors.length, 1);
    const isUnreadable = async () =>
      (await signing.identityOf(bench.accountId, "sealed.example")).isUnreadable ?? false;
    assert.ok(await isUnreadable());
    assert.equal(errors.length, 1, "it is known until the keys change");
    await addKey(id, "other", { algorithm: "ed25519" });
    await bench.db.execute(sql`update domains set keys_version = keys_version + 1 where id = ${id}`);
    assert.deepEqual(await selectors("sealed.example"), ["other sealed.example"]);
    assert.ok(!(await isUnreadable()), "another key signs");
  });

  it("come with the hosts of the nearest domain that is proved, while their records are right", async () => {
    const hosts = { return_path: "bounce.hosts.example", tracking_host: "links.hosts.example" };
    const id = await add("hosts.example", { ...hosts, return_path_ok: true, tracking_ok: true });
    await add("below.hosts.example", { status: "pending" });
    const { signing } = signingWith();
    const facts = (domain: string) => signing.readFacts(bench.db, bench.accountId, domain);
    const known = { isProved: true, returnPath: hosts.return_path, trackingHost: hosts.tracking_host };
    assert.deepEqual(await facts("hosts.example"), known);
    assert.deepEqual(await facts("x.below.hosts.example"), known);
    await bench.db.execute(
      sql`update domains set return_path_ok = false, tracking_ok = false, status = 'failing' where id = ${id}`,
    );
    assert.deepEqual(await facts("hosts.example"), { isProved: true, returnPath: null, trackingHost: null });
    await bench.db.execute(sql`update domains set status = 'unverified' where id = ${id}`);
    assert.equal((await facts("hosts.example")).isProved, false);
  });

  it("and a proof of a name below give the domain above nothing", async () => {
    const id = await add("low.parent.example");
    await addKey(id, "rsa");
    const { signing, selectors } = signingWith();
    assert.deepEqual(await selectors("parent.example"), []);
    assert.equal((await signing.readFacts(bench.db, bench.accountId, "parent.example")).isProved, false);
  });
});
