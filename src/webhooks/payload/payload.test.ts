import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventRow } from "../../events/events.ts";
import { bodyOf, NO_ADDRESSES } from "./payload.ts";

function event(data: Record<string, unknown>, n = 1): EventRow {
  return {
    account_id: "01890000-0000-7000-8000-000000000000",
    id: `01890000-0000-7000-8000-0000000000${String(n).padStart(2, "0")}`,
    xid: "12",
    type: "email.clicked",
    created_at: new Date(Date.UTC(2026, 10, 14, 9, 30, n)),
    actor_kind: "system",
    actor_id: null,
    data,
  };
}
const read = (body: Buffer) => JSON.parse(body.toString());

describe("a body", () => {
  it("has what the contract says, and nothing about who acted", () => {
    const body = read(bodyOf([event({ email_id: "msg_1" })], NO_ADDRESSES));
    assert.deepEqual(Object.keys(body), ["id", "type", "timestamp", "account_id", "data"]);
    assert.match(body.id, /^evt_/);
    assert.equal(body.timestamp, "2026-11-14T09:30:01.000Z");
    assert.deepEqual(body.data, { email_id: "msg_1" });
  });

  it("has the address of whom it is about, or null for who is gone, and nothing for what is about nobody", () => {
    const row = event({ subscriber_id: "sub_1" });
    const withAddress = (address: string | null) => read(bodyOf([row], new Map([[row.id, address]]))).data;
    assert.deepEqual(withAddress("ada@example.com"), { subscriber_id: "sub_1", email: "ada@example.com" });
    assert.deepEqual(withAddress(null), { subscriber_id: "sub_1", email: null });
    assert.deepEqual(read(bodyOf([row], NO_ADDRESSES)).data, { subscriber_id: "sub_1" });
  });

  it("stays below 20 KB, with its ids, whatever an event quotes", () => {
    for (const long of [
      "x".repeat(30_000),
      "🦊".repeat(30_000),
      '"'.repeat(30_000),
      "\u0001".repeat(30_000),
    ]) {
      const data = { email_id: "msg_1", reason: long, url: long, counts: { total: long }, changed: [long] };
      const body = bodyOf([event(data)], NO_ADDRESSES);
      assert.ok(body.length < 20_000, `${body.length} bytes`);
      const { email_id, is_shortened, reason } = read(body).data;
      assert.deepEqual([email_id, is_shortened], ["msg_1", true]);
      assert.ok(long.startsWith(reason) && reason.length > 100);
      assert.ok(!/[\uD800-\uDBFF]$/.test(reason), "a character is cut in two");
    }
  });

  it("is a batch where there are several", () => {
    const rows = [event({ email_id: "msg_1" }, 1), event({ email_id: "msg_2" }, 2)];
    const body = read(bodyOf(rows, NO_ADDRESSES));
    assert.deepEqual([body.type, body.timestamp], ["email.batch", "2026-11-14T09:30:02.000Z"]);
    assert.deepEqual(
      body.data.events.map((one: { data: object }) => one.data),
      [{ email_id: "msg_1" }, { email_id: "msg_2" }],
    );
    assert.deepEqual(body.data.events[0], read(bodyOf(rows.slice(0, 1), NO_ADDRESSES)));
  });
});
