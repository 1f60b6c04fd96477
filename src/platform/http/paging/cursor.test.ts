import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../problems.ts";
import { createSecrets } from "../../secrets.ts";
import { cursorBinding, openCursor, pageAnswer, signCursor } from "./cursor.ts";

const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const POSITION = ["2026-11-14T09:30:00.000Z", "019a8000-0000-7000-8000-000000000000"];

const isInvalid = (error: unknown) => error instanceof AppError && error.problem.code === "invalid_cursor";

describe("a cursor", () => {
  it("opens to the position it was made of", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (binding, position) => {
        const cursor = signCursor(secrets, binding, position);
        assert.match(cursor, /^[\w-]+$/);
        assert.deepEqual(openCursor(secrets, binding, cursor), position);
      }),
    );
  });

  it("opens for no other binding", () => {
    const cursor = signCursor(secrets, cursorBinding("account 1", "/v1/things", {}), POSITION);
    for (const other of [
      cursorBinding("account 2", "/v1/things", {}),
      cursorBinding("account 1", "/v1/others", {}),
      cursorBinding("account 1", "/v1/things", { sort: "name" }),
    ]) {
      assert.throws(() => openCursor(secrets, other, cursor), isInvalid);
    }
  });

  it("never opens with a character changed, added or dropped", () => {
    for (const position of [POSITION, ["a"], ["ab"], ["abc"]]) {
      const cursor = signCursor(secrets, "b", position);
      for (let i = 0; i < cursor.length; i++) {
        const [before, after] = [cursor.slice(0, i), cursor.slice(i + 1)];
        for (const other of ["A", "B", "_", "=", "é", ""]) {
          if (cursor[i] === other) continue;
          assert.throws(() => openCursor(secrets, "b", before + other + after), isInvalid, `${i} ${other}`);
        }
      }
      for (const more of ["=", "A", "!", "\0"]) {
        assert.throws(() => openCursor(secrets, "b", cursor + more), isInvalid);
      }
    }
  });

  it("is refused, and throws nothing else, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.throws(() => openCursor(secrets, "b", text), isInvalid);
      }),
    );
  });

  it("is bound to the filter whatever the order of parameters, the page's size and what it includes", () => {
    const binding = cursorBinding("a", "/p", { status: "active", tag: ["x", "y"], limit: 2 });
    const same = {
      cursor: "c",
      tag: ["x", "y"],
      include_total: true,
      include_stats: true,
      limit: 50,
      status: "active",
    };
    assert.equal(cursorBinding("a", "/p", same), binding);
    assert.notEqual(cursorBinding("a", "/p", { status: "active", tag: ["x"] }), binding);
  });
});

describe("a page", () => {
  const call = {
    query: { limit: 2 },
    signCursor: (position: readonly string[]) => `after-${position[0]}`,
    urlWithCursor: (cursor: string) => `https://mail.example/v1/things?cursor=${cursor}`,
  };
  const page = (rows: string[], total?: number) =>
    pageAnswer(
      call,
      rows,
      (row) => [row],
      (row) => row.toUpperCase(),
      total,
    );

  it("leaves out the row too many and points behind the last one shown", () => {
    const { body, headers } = page(["a", "b", "c"]);
    assert.deepEqual(body, {
      object: "list",
      data: ["A", "B"],
      has_more: true,
      next_cursor: "after-b",
    });
    assert.deepEqual(headers, { link: '<https://mail.example/v1/things?cursor=after-b>; rel="next"' });
  });

  it("has no cursor and no Link where it is the last", () => {
    for (const rows of [["a", "b"], ["a"], []]) {
      const { body, headers } = page(rows);
      assert.deepEqual([body?.has_more, body?.next_cursor, headers], [false, null, undefined]);
    }
  });

  it("has a total only where one was asked for", () => {
    assert.equal(page([], 0).body?.total, 0);
    assert.ok(!("total" in (page([]).body ?? {})));
  });
});
