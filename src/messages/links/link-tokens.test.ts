import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createLinkTokens } from "./link-tokens.ts";

const tokens = createLinkTokens(Buffer.alloc(32, 1));
const uuid = fc.uuid();

describe("a token of nobody in particular", () => {
  it("names the account and the source, and no contact", () => {
    fc.assert(
      fc.property(uuid, uuid, (accountId, sourceId) => {
        const token = tokens.aggregateFor(accountId, sourceId);
        assert.deepEqual(tokens.readHit(token), { accountId, sourceId, contactId: null });
        assert.equal(tokens.read(token), undefined);
        assert.equal(tokens.aggregateFor(accountId, sourceId), token);
      }),
    );
  });

  it("is nothing any more once a single bit of it differs, nor at another instance", () => {
    const token = tokens.aggregateFor(ACCOUNT, SOURCE);
    const bytes = Buffer.from(token, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(tokens.readHit(flipped.toString("base64url")), undefined, `bit ${bit}`);
    }
    for (const other of [token.slice(1), `${token}A`, `${token}=`, `${token.slice(0, -1)}_`, ""])
      assert.equal(tokens.readHit(other), undefined, other);
    assert.equal(createLinkTokens(Buffer.alloc(32, 2)).readHit(token), undefined);
  });

  it("is no part of somebody's token, which is read in its place as well", () => {
    const personal = tokens.makerFor(ACCOUNT, SOURCE)(CONTACT);
    const named = { accountId: ACCOUNT, sourceId: SOURCE, contactId: CONTACT };
    assert.deepEqual(tokens.readHit(personal), named);
    const bytes = Buffer.from(personal, "base64url");
    bytes[0] = 2;
    const cut = Buffer.concat([bytes.subarray(0, 33), bytes.subarray(49)]);
    assert.equal(tokens.readHit(cut.toString("base64url")), undefined);
  });
});

const [ACCOUNT, SOURCE, CONTACT] = [
  "0199a0b1-0000-7000-8000-000000000001",
  "0199a0b1-0000-7000-8000-000000000002",
  "0199a0b1-0000-7000-8000-000000000003",
] as const;

describe("a link token", () => {
  it("names the account, the source and the contact that it was made for", () => {
    fc.assert(
      fc.property(
        uuid,
        uuid,
        fc.array(uuid, { minLength: 1, maxLength: 5 }),
        (accountId, sourceId, contacts) => {
          const make = tokens.makerFor(accountId, sourceId);
          const made = contacts.map(make);
          const read = made.map((token) => tokens.read(token));
          assert.deepEqual(
            read,
            contacts.map((contactId) => ({ accountId, sourceId, contactId })),
          );
        },
      ),
    );
  });

  it("is nothing any more once a single bit or character of it differs", () => {
    const token = tokens.makerFor(ids[0], ids[1])(ids[2]);
    for (let at = 0; at < token.length; at++) {
      for (const other of "A0-_z") {
        if (other === token[at]) continue;
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        assert.equal(tokens.read(changed), undefined, `${at} ${other}`);
      }
    }
    const bytes = Buffer.from(token, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(tokens.read(flipped.toString("base64url")), undefined, `bit ${bit}`);
    }
  });

  const ids = [
    "0199a0b1-0000-7000-8000-000000000001",
    "0199a0b1-0000-7000-8000-000000000002",
    "0199a0b1-0000-7000-8000-000000000003",
  ] as const;
  const good = tokens.makerFor(ids[0], ids[1])(ids[2]);
  const strange = [
    "",
    "test",
    "probe",
    good.slice(1),
    `${good}A`,
    `${good}=`,
    ` ${good}`,
    `${good}\n`,
    "é".repeat(87),
  ];
  for (const text of strange)
    it(`is not ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(tokens.read(text), undefined));

  it("of another instance is nothing here", () => {
    assert.equal(createLinkTokens(Buffer.alloc(32, 2)).read(good), undefined);
  });

  it("is the same each time, since a resend must carry the same bytes", () => {
    assert.equal(tokens.makerFor(ids[0], ids[1])(ids[2]), good);
    assert.equal(good.length, 87);
  });
});
