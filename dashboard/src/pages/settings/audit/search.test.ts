import assert from "node:assert/strict";
import { test } from "node:test";
import { filterOf, readAuditSearch } from "./search.ts";

const ID = "usr_01k9zq4t3xe8k8y0v6d3m2n1pq";

test("an address keeps what the API takes, and nothing else", () => {
  const known = { actor: ID, about: "campaign", target: ID, since: "2026-11-01", until: "2026-11-30" };
  assert.deepEqual(readAuditSearch({ ...known, cursor: "c" }), { ...known, cursor: "c" });
  assert.equal(readAuditSearch({ actor: "operator" }).actor, "operator");
  const odd = { actor: "root", about: "a.b", target: "<b>", since: "2026-13-01", until: 7, cursor: 1 };
  assert.deepEqual(
    Object.values(readAuditSearch(odd)).filter((value) => value !== undefined),
    [],
  );
});

test("days are those of the reader, and both of them count", () => {
  const { created_after: after = "", created_before: before = "" } = filterOf({
    since: "2026-11-01",
    until: "2026-11-01",
  });
  const midnight = new Date("2026-11-01T00:00").getTime();
  assert.equal(new Date(after).getTime(), midnight - 1);
  assert.equal(new Date(before).getTime(), new Date("2026-11-02T00:00").getTime());
});

test("a kind of thing is asked for as all actions on it", () => {
  assert.deepEqual(filterOf({ about: "campaign" }), { action: "campaign.*" });
});
