/** These tests run `postrider domains …` as an operator does, beside a service and against a real DNS server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TEST_SECRET_KEY } from "../support/app.ts";
import { createDomainBench, type DomainBench, publishKeys, selectorOf } from "../support/domain-bench.ts";
import { assertOneLine, makeInstallation } from "../support/process.ts";

const installation = makeInstallation();
let bench: DomainBench;
before(async () => {
  bench = await createDomainBench();
});
after(async () => {
  await bench.stop();
  await installation.clear();
});

/** The bench has two accounts, which may be as old as each other, so this one is named. */
const domains = (...args: string[]) =>
  installation.postrider(["domains", ...args, "--account", bench.app.accountId], {
    DATABASE_URL: bench.app.databaseUrl,
    SECRET_KEY: TEST_SECRET_KEY,
    DNS_SERVERS: bench.server.address,
    PUBLIC_URL: "https://mail.postrider.example",
    INBOUND_DOMAIN: "in.postrider.example",
  });
const NAME = "command.example";

test("`domains add`, `check`, `rotate` and `zone` take a domain from its first key to its second", async () => {
  const added = await domains("add", NAME, "--return-path", `bounce.${NAME}`);
  assert.deepEqual([added.code, added.stderr], [0, ""]);
  assert.match(added.stdout, new RegExp(`^${NAME} \\(dom_\\w+\\) is pending\n`));
  assert.match(added.stdout, /\nmissing {3}dkim TXT \S+\n {4}wanted v=DKIM1/);
  const [, id = ""] = /\((dom_\w+)\)/.exec(added.stdout) ?? [];
  const read = await bench.app.api("GET", `/v1/domains/${id}`);
  assert.equal(read.status, 200, read.text);
  const made = read.body;

  const zone = await domains("zone", NAME);
  assert.equal(zone.code, 0, zone.stderr);
  assert.ok(zone.stdout.includes(`bounce.${NAME}. 3600 IN CNAME in.postrider.example.\n`));
  const unproved = await domains("check", NAME);
  assert.deepEqual([unproved.code, unproved.stderr], [1, ""], "a script can tell that it isn't verified");

  const early = await domains("rotate", NAME);
  assert.equal(early.code, 1);
  assertOneLine(early, `not in the DNS: ${selectorOf(made, "standby")}._domainkey.${NAME}; `);
  assert.match(early.stderr, /`domains zone command\.example` prints its record/);

  publishKeys(bench.server, made, "active", "standby");
  const proved = await domains("check", id, "--json");
  assert.equal(proved.code, 0, proved.stderr);
  assert.equal(JSON.parse(proved.stdout).status, "verified");
  const rotated = await domains("rotate", NAME, "--json");
  assert.equal(rotated.code, 0, rotated.stderr);
  assert.equal(selectorOf(JSON.parse(rotated.stdout), "active"), selectorOf(made, "standby"));
});

test("each says in a line what is wrong and what to do", async () => {
  for (const [args, line] of [
    [["add"], "name one domain, such as example.com"],
    [["check", "a.example", "b.example"], "name one domain, such as example.com"],
    [["add", "co.uk"], "co.uk is a suffix that many share"],
    [
      ["add", "new.example", "--tracking-host", "x.other.example"],
      "--tracking-host must be a host below new.example",
    ],
    [["add", NAME], "the account has this domain already; `domains check command.example` shows it"],
    [
      ["check", "absent.example"],
      "there is no such domain in this account; `domains add absent.example` adds the domain",
    ],
    [
      ["zone", "dom_nothing"],
      "there is no such domain in this account; `domains add dom_nothing` adds the domain",
    ],
  ] as const) {
    const ended = await domains(...args);
    assert.equal(ended.code, 1, args.join(" "));
    assert.equal(ended.stdout, "");
    assertOneLine(ended, line);
  }
});
