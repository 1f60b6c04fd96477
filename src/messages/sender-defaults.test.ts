import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountRow } from "../accounts/accounts.ts";
import type { ListRow } from "../subscribers/subscribers.ts";
import { postalAddressOf, type SenderDefaults, senderOf } from "./sender-defaults.ts";

type Given = {
  from_name?: string;
  from_email?: string;
  reply_to?: string;
  postal_address?: string;
};

function messageOf({
  from_name = null,
  from_email = null,
  reply_to = null,
}: Partial<Record<keyof Given, string | null>>) {
  return { sender: { name: from_name, email: from_email, replyTo: reply_to } };
}

function defaultsOf(list: Given, account: Given): SenderDefaults {
  const none = { from_name: null, from_email: null, reply_to: null, postal_address: null };
  return {
    list: { name: "A list", ...none, ...list } as ListRow,
    topic: undefined,
    account: { name: "Acme Ltd", ...none, ...account } as AccountRow,
    fields: [],
    ownHost: undefined,
    transportHost: "smtp.example.com",
    isSandbox: false,
  };
}

const [c, l, a] = ["c@example.com", "l@example.com", "a@example.com"];

/** Each case gives the message, the list and the account; then the name and the address that are shown. */
const cases: readonly [Given, Given, Given, string, string | null][] = [
  [{}, {}, {}, "Acme Ltd", null],
  [{}, {}, { from_email: a }, "Acme Ltd", a],
  [{}, {}, { from_email: a, from_name: "Account" }, "Account", a],
  [{}, { from_email: l, from_name: "List" }, { from_email: a, from_name: "Account" }, "List", l],
  [{ from_email: c, from_name: "Campaign" }, { from_email: l, from_name: "List" }, {}, "Campaign", c],
  // An address without a name isn't shown under a name that was given for another address.
  [{}, { from_email: l }, { from_email: a, from_name: "Account" }, "Acme Ltd", l],
  [{ from_email: c }, { from_email: l, from_name: "List" }, {}, "Acme Ltd", c],
  [{ from_email: c }, { from_name: "List" }, { from_name: "Account" }, "Acme Ltd", c],
  // A name given closer to the mail than the address was chosen for it.
  [{ from_name: "Campaign" }, { from_email: l, from_name: "List" }, {}, "Campaign", l],
  [{ from_name: "Campaign" }, {}, { from_email: a, from_name: "Account" }, "Campaign", a],
  [{}, { from_name: "List" }, { from_email: a, from_name: "Account" }, "List", a],
  // Where nobody gave an address, as in the sandbox, the closest name stands.
  [{}, { from_name: "List" }, { from_name: "Account" }, "List", null],
];

describe("the sender of a message", () => {
  for (const [campaign, list, account, name, email] of cases) {
    it(`of ${JSON.stringify([campaign, list, account])} is ${name} <${email}>`, () => {
      const sender = senderOf(messageOf(campaign), defaultsOf(list, account));
      assert.deepEqual([sender.name, sender.email], [name, email]);
    });
  }

  it("has the reply address of the closest who gave one, whoever gave the sender", () => {
    const defaults = defaultsOf({ from_email: l }, { reply_to: a });
    assert.equal(senderOf(messageOf({ from_email: c }), defaults).replyTo, a);
    assert.equal(senderOf(messageOf({ reply_to: c }), defaults).replyTo, c);
    assert.equal(senderOf(messageOf({}), defaultsOf({ reply_to: l }, { reply_to: a })).replyTo, l);
    assert.equal(senderOf(messageOf({}), defaultsOf({}, {})).replyTo, null);
  });
});

it("the postal address is the list's, else the account's", () => {
  assert.equal(postalAddressOf(defaultsOf({}, { postal_address: "Account" })), "Account");
  assert.equal(
    postalAddressOf(defaultsOf({ postal_address: "List" }, { postal_address: "Account" })),
    "List",
  );
  assert.equal(postalAddressOf(defaultsOf({}, {})), null);
});
