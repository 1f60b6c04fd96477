/**
 * These tests check the state table cell by cell through HTTP. What only the public page will do is done by calling
 * its function.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import {
  act,
  addSubscriber,
  confirmByMail,
  firstList,
  type Json,
  makeList,
  readSubscriber,
  suppress,
} from "../support/subscribers.ts";

const MINUTE = 60_000;
const clock = createTestClock();
const attested = { consent: { attested: true, source: "telephone", wording: "Yes, please." } };
let app: TestApp;
let single: string;
let double: string;
before(async () => {
  app = await createApp({ clock });
  single = await firstList(app);
  double = await makeList(app, { name: "Double", double_opt_in: true });
});
after(() => app.stop());

let turn = 0;
const newAddress = () => `person${++turn}@example.com`;
const suppressionOf = async (email: string) =>
  (await app.api("GET", `/v1/suppressions?email=${email}`)).body.data[0];
const unsuppress = async (email: string) => {
  const { status } = await app.api("DELETE", `/v1/suppressions/${(await suppressionOf(email)).id}`);
  assert.equal(status, 204);
};

/** Creates a subscriber of this status, in the way that one really gets it. */
async function someone(status: string, email = newAddress()): Promise<Json> {
  const made = await addSubscriber(app, status === "pending" ? double : single, email);
  if (status === "unsubscribed") await act(app, made["id"], "unsubscribe");
  if (status === "bounced") await suppress(app, email, "hard_bounce");
  if (status === "complained") await suppress(app, email, "complaint");
  clock.advance(6 * MINUTE);
  const now = await readSubscriber(app, made["id"]);
  assert.equal(now["status"], status);
  return now;
}

const STATUSES = ["pending", "active", "unsubscribed", "bounced", "complained"];
const assertStatus = async (id: string, status: string | undefined, sendable = status === "active") => {
  const now = await readSubscriber(app, id);
  assert.deepEqual([now["status"], now["sendable"]], [status, sendable]);
  return now;
};
function assertRefused(reply: Reply, status: string): void {
  assert.deepEqual(
    [reply.status, reply.body.code, reply.body.current_status],
    [409, "invalid_state", status],
  );
}

describe("confirming", () => {
  for (const status of STATUSES) {
    it(`makes ${status} active and sendable`, async () => {
      const { id } = await someone(status);
      await confirmByMail(app, id, clock);
      const now = await assertStatus(id, "active");
      assert.equal(now["status_reason"], null);
      assert.equal(now["unsubscribed_at"], null);
      assert.equal(now["confirmed_at"], status === "active" ? null : clock.now().toISOString());
    });
  }

  it("is kept as consent, with where it came from", async () => {
    const { id } = await someone("pending");
    await confirmByMail(app, id, clock);
    const { consent } = await readSubscriber(app, id);
    assert.deepEqual(
      [consent.action, consent.source, consent.ip, consent.at],
      ["confirmed", "confirmation mail", "192.0.2.7", clock.now().toISOString()],
    );
  });

  it("clears the opt-out of its own list alone", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, double, email);
    const there = await addSubscriber(app, single, email);
    await act(app, here["id"], "unsubscribe", { scope: "all" });
    clock.advance(MINUTE);
    await confirmByMail(app, here["id"], clock);
    await assertStatus(here["id"], "active");
    await assertStatus(there["id"], "unsubscribed");
    const third = await makeList(app);
    assert.equal((await addSubscriber(app, third, email))["status"], "unsubscribed");
  });

  it("takes back a complaint for its own list alone", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, double, email);
    const there = await addSubscriber(app, single, email);
    await suppress(app, email, "complaint");
    const third = await addSubscriber(app, await makeList(app), email);
    await confirmByMail(app, here["id"], clock);
    assert.equal(await suppressionOf(email), undefined);
    await assertStatus(here["id"], "active");
    await assertStatus(there["id"], "complained");
    await assertStatus(third["id"], "complained");
  });

  it("doesn't undo what an operator decided", async () => {
    const { id, email } = await someone("pending");
    await suppress(app, email, "manual");
    await confirmByMail(app, id, clock);
    const now = await assertStatus(id, "active", false);
    assert.equal(now["status_reason"], "suppressed_manual");
  });
});

describe("unsubscribing", () => {
  const expected: Json = {
    pending: "unsubscribed",
    active: "unsubscribed",
    unsubscribed: "unsubscribed",
    bounced: "unsubscribed",
    complained: "complained",
  };
  for (const status of STATUSES) {
    it(`makes ${status} ${expected[status]}`, async () => {
      const { id } = await someone(status);
      const reply = await act(app, id, "unsubscribe");
      assert.deepEqual([reply.status, reply.body.status], [200, expected[status]], reply.text);
      await assertStatus(id, expected[status]);
    });
  }

  it("again changes nothing: the first time and reason are kept", async () => {
    const { id } = await someone("active");
    const first = await act(app, id, "unsubscribe", { reason: "too many mails" });
    assert.deepEqual(
      [first.body.status_reason, first.body.unsubscribed_at],
      ["too many mails", clock.now().toISOString()],
    );
    clock.advance(MINUTE);
    const again = await act(app, id, "unsubscribe", { reason: "another" });
    assert.deepEqual(again.body, first.body);
  });

  it("holds for its list, and no other", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, single, email);
    const there = await addSubscriber(app, await makeList(app), email);
    await act(app, here["id"], "unsubscribe");
    await assertStatus(there["id"], "active");
  });

  it("from all holds for every list there is and will be", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, single, email);
    const there = await addSubscriber(app, await makeList(app), email);
    const reply = await act(app, here["id"], "unsubscribe", { scope: "all" });
    assert.equal(reply.body.status, "unsubscribed");
    await assertStatus(there["id"], "unsubscribed");
    clock.advance(MINUTE);
    const later = await addSubscriber(app, await makeList(app), email);
    assert.deepEqual(
      [later["status"], later["sendable"], later["status_reason"], later["unsubscribed_at"]],
      ["unsubscribed", false, "opted_out_before", reply.body.unsubscribed_at],
    );
  });

  it("from all again keeps the first time, unless a list was joined in between", async () => {
    const email = newAddress();
    const { id } = await addSubscriber(app, single, email);
    const first = await act(app, id, "unsubscribe", { scope: "all" });
    clock.advance(MINUTE);
    await act(app, id, "unsubscribe", { scope: "all" });
    const second = await addSubscriber(app, await makeList(app), email);
    assert.equal(second["unsubscribed_at"], first.body.unsubscribed_at);

    await act(app, id, "resubscribe", attested);
    await assertStatus(id, "active");
    clock.advance(MINUTE);
    await act(app, second["id"], "unsubscribe", { scope: "all" });
    await assertStatus(id, "unsubscribed");
  });

  it("with a campaign that there isn't is 422 and does nothing", async () => {
    const { id } = await someone("active");
    const reply = await act(app, id, "unsubscribe", { campaign_id: "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq" });
    assert.deepEqual(
      [reply.status, reply.body.errors[0].pointer, reply.body.errors[0].code],
      [422, "/campaign_id", "not_found"],
    );
    await assertStatus(id, "active");
  });
});

describe("a bounce", () => {
  const expected: Json = {
    pending: "bounced",
    active: "bounced",
    unsubscribed: "unsubscribed",
    bounced: "bounced",
    complained: "complained",
  };
  for (const status of STATUSES) {
    it(`makes ${status} ${expected[status]}, and the address is suppressed`, async () => {
      const { id, email } = await someone(status);
      const { status: answer } = await app.api("POST", "/v1/suppressions", {
        body: { email, reason: "hard_bounce" },
      });
      // Who bounced is suppressed already, which is the "–" in the table. Who complained still got transactional mail until now.
      assert.equal(answer, { bounced: 409, complained: 200 }[status as string] ?? 201);
      const now = await assertStatus(id, expected[status], false);
      assert.match(now["status_reason"], /^suppressed_(hard_bounce|complaint)$/);
    });
  }

  it("shows on every list of the address", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, single, email);
    const there = await addSubscriber(app, double, email);
    await suppress(app, email, "hard_bounce");
    await assertStatus(here["id"], "bounced");
    await assertStatus(there["id"], "bounced");
  });
});

describe("a complaint", () => {
  for (const status of STATUSES) {
    it(`makes ${status} complained, and the address is suppressed`, async () => {
      const { id, email } = await someone(status);
      const { status: answer } = await app.api("POST", "/v1/suppressions", {
        body: { email, reason: "complaint" },
      });
      // A complaint outweighs a bounce; only a second complaint changes nothing.
      assert.equal(answer, status === "complained" ? 409 : status === "bounced" ? 200 : 201);
      const now = await assertStatus(id, "complained", false);
      assert.equal(now["status_reason"], "suppressed_complaint");
      assert.equal((await suppressionOf(email)).reason, "complaint");
    });
  }
});

describe("resubscribing", () => {
  it("asks a pending one by mail again", async () => {
    const { id } = await someone("pending");
    for (const body of [undefined, attested]) {
      const reply = await act(app, id, "resubscribe", body);
      assert.deepEqual([reply.status, reply.body.status], [202, "pending"], reply.text);
      clock.advance(6 * MINUTE);
    }
  });

  it("refuses an active one", async () => {
    const { id } = await someone("active");
    assertRefused(await act(app, id, "resubscribe", attested), "active");
  });

  it("asks an unsubscribed one by mail without evidence of consent", async () => {
    const { id } = await someone("unsubscribed");
    const reply = await act(app, id, "resubscribe");
    assert.deepEqual([reply.status, reply.body.status, reply.body.sendable], [202, "pending", false]);
    await confirmByMail(app, id, clock);
    await assertStatus(id, "active");
  });

  it("makes an unsubscribed one active with attested consent, and keeps the evidence", async () => {
    const { id } = await someone("unsubscribed");
    const reply = await act(app, id, "resubscribe", attested);
    assert.deepEqual([reply.status, reply.body.status, reply.body.sendable], [200, "active", true]);
    assert.equal(reply.body.unsubscribed_at, null);
    const { consent } = reply.body;
    assert.deepEqual(
      [consent.action, consent.attested, consent.source, consent.wording],
      ["granted", true, "telephone", "Yes, please."],
    );
  });

  it("outweighs an earlier opt-out from all, for its own list", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, single, email);
    const there = await addSubscriber(app, await makeList(app), email);
    await act(app, here["id"], "unsubscribe", { scope: "all" });
    await act(app, here["id"], "resubscribe", attested);
    await assertStatus(here["id"], "active");
    await assertStatus(there["id"], "unsubscribed");
  });

  it("refuses a bounced one until the suppression is removed", async () => {
    const { id, email } = await someone("bounced");
    assertRefused(await act(app, id, "resubscribe", attested), "bounced");
    await unsuppress(email);
    await assertStatus(id, "bounced");
    const reply = await act(app, id, "resubscribe", attested);
    assert.deepEqual([reply.status, reply.body.status, reply.body.sendable], [200, "active", true]);
  });

  it("asks a bounced one by mail once the suppression is removed", async () => {
    const { id, email } = await someone("bounced");
    await unsuppress(email);
    const reply = await act(app, id, "resubscribe");
    assert.deepEqual([reply.status, reply.body.status], [202, "pending"]);
  });

  it("refuses a complained one, whatever the evidence, also without its suppression", async () => {
    const { id, email } = await someone("complained");
    assertRefused(await act(app, id, "resubscribe", attested), "complained");
    await unsuppress(email);
    assertRefused(await act(app, id, "resubscribe", attested), "complained");
    await assertStatus(id, "complained");
  });

  it("without a good address of the evidence is 422", async () => {
    const { id } = await someone("unsubscribed");
    const reply = await act(app, id, "resubscribe", { consent: { attested: true, ip: "nowhere" } });
    assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, "/consent/ip"]);
    await assertStatus(id, "unsubscribed");
  });
});

describe("asking again to confirm", () => {
  it("by coming back waits five minutes after the one before, whatever the list", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, double, email);
    const there = await addSubscriber(app, await makeList(app, { double_opt_in: true }), email);
    await act(app, there["id"], "unsubscribe");
    clock.advance(4 * MINUTE);
    const early = await act(app, there["id"], "resubscribe");
    assert.deepEqual([early.status, early.body.code], [429, "confirmation_too_soon"]);
    assert.equal(early.headers.get("retry-after"), "60");
    clock.advance(MINUTE);
    assert.equal((await act(app, there["id"], "resubscribe")).status, 202);
    await assertStatus(here["id"], "pending");
  });

  for (const status of STATUSES.filter((one) => one !== "pending")) {
    it(`is refused for one that is ${status}`, async () => {
      const { id } = await someone(status);
      assertRefused(await act(app, id, "resend_confirmation"), status);
    });
  }

  it("asks again, five minutes after the last time at the earliest", async () => {
    const { id } = await addSubscriber(app, double, newAddress());
    clock.advance(4 * MINUTE);
    const early = await act(app, id, "resend_confirmation");
    assert.deepEqual([early.status, early.body.code], [429, "confirmation_too_soon"]);
    assert.equal(early.headers.get("retry-after"), "60");
    clock.advance(MINUTE);
    const reply = await act(app, id, "resend_confirmation");
    assert.deepEqual([reply.status, reply.body.id, reply.body.status], [202, id, "pending"]);
  });

  it("is refused while the address is suppressed", async () => {
    const { id, email } = await someone("pending");
    await suppress(app, email, "manual");
    assertRefused(await act(app, id, "resend_confirmation"), "pending");
  });
});

describe("a suppressed address", () => {
  const begins: Json = { manual: "active", hard_bounce: "bounced", complaint: "complained" };
  for (const [reason, status] of Object.entries(begins)) {
    it(`(${reason}) is taken, but not mailed, and the answer says why`, async () => {
      const email = newAddress();
      await suppress(app, email, reason);
      const made = await addSubscriber(app, single, email.toUpperCase());
      assert.deepEqual(
        [made["status"], made["sendable"], made["status_reason"]],
        [status, false, `suppressed_${reason}`],
      );
    });
  }

  it("deleted and added again is no way around a complaint", async () => {
    const { id, email } = await someone("complained");
    await app.api("DELETE", `/v1/subscribers/${id}`);
    const again = await addSubscriber(app, single, email);
    await unsuppress(email);
    await assertStatus(again["id"], "complained");
  });

  it("may be mailed again when the suppression is removed and its own status allows it", async () => {
    const { id, email } = await someone("active");
    await suppress(app, email, "manual");
    await assertStatus(id, "active", false);
    await unsuppress(email);
    await assertStatus(id, "active", true);
  });
});
