/** Hits that nobody sends in good faith: they are refused, or stored within bounds, and never an error of ours. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SECRET_KEY } from "../../bench/harness/service.ts";
import { makeLinks } from "../../bench/tracking/mail-links.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { sendRaw } from "../support/raw-http.ts";

let app: TestApp;
let paths: readonly string[];
before(async () => {
  // Nothing is counted without the role `jobs`, so that what was stored can be looked at.
  app = await createApp({ settings: { ROLES: "public", SECRET_KEY, TRUST_PROXY: "1" } });
  paths = await makeLinks(app.databaseUrl, 100);
});
after(() => app.stop());

let used = 0;
/** Returns a link that nobody has followed yet. */
const nextPath = () => paths[used++] ?? "";

const ask = (path: string, headers = "", method = "GET") =>
  sendRaw(app.baseUrl, `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`);

type Stored = { user_agent: string; address: string; hits: number; rows: number };
const readStored = () =>
  app.db.one<Stored>(sql`
    select max(user_agent) as user_agent, max(address) as address, coalesce(sum(times), 0)::int as hits, count(*)::int as rows
    from hits`);
const forget = () => app.db.execute(sql`truncate hits`);

describe("a hit", () => {
  it("with a query string of 1 MB or a User-Agent of 64 KB is refused before it is one", async () => {
    await forget();
    assert.equal((await ask(`${nextPath()}?${"x".repeat(1_024 * 1_024)}`)).status, 431);
    assert.equal((await ask(nextPath(), `user-agent: ${"x".repeat(64 * 1_024)}\r\n`)).status, 431);
    assert.equal((await ask(nextPath(), `cookie: ${"x".repeat(64 * 1_024)}\r\n`)).status, 431);
    assert.equal((await readStored()).hits, 0);
  });

  it("leads on, whatever a query adds to its path", async () => {
    for (const query of ["?", "?a=1", `?${"x".repeat(8_000)}`, "?%00%ff%zz", "?url=https://evil.example/"]) {
      const { status, headers } = await ask(`${nextPath()}${query}`);
      assert.equal(status, 302, query.slice(0, 30));
      assert.match(headers["location"] ?? "", /^https:\/\/example\.com\/\d$/);
    }
  });

  it("stores no more than 500 characters of its program", async () => {
    await forget();
    assert.equal((await ask(nextPath(), `user-agent: ${"z".repeat(12_000)}\r\n`)).status, 302);
    assert.equal((await readStored()).user_agent, "z".repeat(500));
  });

  it("believes no more of X-Forwarded-For than the trusted proxy said, and stores only what may be an address", async () => {
    const cases: [said: string, stored: string][] = [
      ["203.0.113.9", "203.0.113.9"],
      ["6.6.6.6, 203.0.113.9", "203.0.113.9"],
      [`${"6.6.6.6, ".repeat(1_000)}203.0.113.9`, "203.0.113.9"],
      ["x".repeat(10_000), ""],
      ["'; drop table hits; --", "'; drop table hits; --"],
      [", ,", "127.0.0.1"],
    ];
    for (const [said, stored] of cases) {
      await forget();
      assert.equal((await ask(nextPath(), `x-forwarded-for: ${said}\r\n`)).status, 302);
      assert.equal((await readStored()).address, stored, said.slice(0, 40));
    }
  });

  it("keeps nothing of a Referer, hostile or not", async () => {
    await forget();
    const referer = "javascript:alert(1)//\u00ff<script>";
    const path = nextPath();
    assert.equal(
      (await ask(path, `referer: ${referer}\r\nfrom: a@b\r\nsec-purpose: ${"x".repeat(5_000)}\r\n`)).status,
      302,
    );
    const rows = await app.db.many(sql`select * from hits`);
    assert.equal(rows.length, 1);
    assert.doesNotMatch(JSON.stringify(rows), /script/);
  });

  it("on one link, many times at once, becomes few rows that lose none", async () => {
    await forget();
    const path = nextPath();
    const HITS = 4_000;
    let left = HITS;
    const go = async () => {
      while (left-- > 0) {
        const answer = await fetch(`${app.baseUrl}${path}`, { redirect: "manual" });
        assert.equal(answer.status, 302);
        await answer.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: 100 }, go));
    const { hits, rows } = await readStored();
    assert.equal(hits, HITS);
    assert.ok(rows <= HITS / 5, `${rows} rows`);
  });
});
