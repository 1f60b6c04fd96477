import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createReturnPaths } from "./return-paths.ts";

const paths = createReturnPaths(Buffer.alloc(32, 1));
const id = fc.uuid({ version: 7 });
const [ACCOUNT, SOURCE, CONTACT] = [
  "0199a0b1-0000-7000-8000-000000000001",
  "0199a0b1-ffff-7abc-bfff-0000000000f2",
  "0199a0b1-0f0f-7def-9000-000000000003",
] as const;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Whether a local part is taken for one of this account, as the listener asks it. */
function isTaken(localPart: string, accountId: string = ACCOUNT): boolean {
  const read = paths.read(localPart);
  return read !== undefined && paths.verify(read, accountId);
}

describe("a return path", () => {
  it("names the source and the contact, whatever happens to the case of its letters", () => {
    fc.assert(
      fc.property(id, id, id, fc.infiniteStream(fc.boolean()), (accountId, sourceId, contactId, isUpper) => {
        const made = [
          ["bounce", paths.bounceFor(accountId, sourceId, contactId)],
          ["unsubscribe", paths.unsubscribeFor(accountId, sourceId, contactId)],
        ] as const;
        for (const [kind, local] of made) {
          assert.match(local, /^[bu][0-9a-z]{62}$/);
          const mixed = [...local].map((one) => (isUpper.next().value ? one.toUpperCase() : one)).join("");
          for (const written of [local, local.toUpperCase(), mixed]) {
            const read = paths.read(written);
            assert.ok(read);
            assert.deepEqual([read.kind, read.sourceId, read.contactId], [kind, sourceId, contactId]);
            assert.ok(paths.verify(read, accountId));
          }
        }
      }),
    );
  });

  it("is the same each time, since a mail that is sent again has the same bytes", () => {
    const make = paths.makerFor(ACCOUNT, SOURCE);
    const other = make(ACCOUNT);
    const first = make(CONTACT);
    assert.notDeepEqual(other, first);
    assert.deepEqual(make(CONTACT), first);
    assert.equal(paths.bounceFor(ACCOUNT, SOURCE, CONTACT), first.bounce);
    assert.equal(paths.unsubscribeFor(ACCOUNT, SOURCE, CONTACT), first.unsubscribe);
  });

  it("makes paths of two sources by turns without mixing them up", () => {
    const [one, two] = [paths.makerFor(ACCOUNT, SOURCE), paths.makerFor(CONTACT, ACCOUNT)];
    one(CONTACT);
    assert.equal(two(SOURCE).bounce, paths.bounceFor(CONTACT, ACCOUNT, SOURCE));
    assert.equal(one(CONTACT).bounce, paths.bounceFor(ACCOUNT, SOURCE, CONTACT));
  });

  it("is nothing any more once a single bit or character of it differs", () => {
    for (const local of [
      paths.bounceFor(ACCOUNT, SOURCE, CONTACT),
      paths.unsubscribeFor(ACCOUNT, SOURCE, CONTACT),
    ]) {
      for (let at = 0; at < local.length; at++) {
        for (const other of ALPHABET) {
          if (other === local[at]) continue;
          assert.ok(!isTaken(local.slice(0, at) + other + local.slice(at + 1)), `${at} ${other}`);
        }
      }
    }
  });

  it("of the one kind is not one of the other kind, of another account or of another instance", () => {
    const [bounce, unsubscribe] = [
      paths.bounceFor(ACCOUNT, SOURCE, CONTACT),
      paths.unsubscribeFor(ACCOUNT, SOURCE, CONTACT),
    ];
    assert.ok(isTaken(bounce) && isTaken(unsubscribe));
    assert.ok(!isTaken(`u${bounce.slice(1)}`));
    assert.ok(!isTaken(`b${unsubscribe.slice(1)}`));
    assert.ok(!isTaken(bounce, CONTACT));
    assert.ok(!isTaken(createReturnPaths(Buffer.alloc(32, 2)).bounceFor(ACCOUNT, SOURCE, CONTACT)));
  });

  it("is not read from anything else", () => {
    const good = paths.bounceFor(ACCOUNT, SOURCE, CONTACT);
    // The Kelvin sign becomes a k in lower case, and the long s an S in upper case.
    const foreign = [
      `${good.slice(0, 62)}\u212a`,
      `${good.slice(0, 62)}\u017f`,
      `${good.slice(0, 62)}l`,
      `${good.slice(0, 62)}-`,
    ];
    for (const other of ["", "b", good.slice(1), `${good}0`, ` ${good}`, `${good}\n`, ...foreign])
      assert.equal(paths.read(other), undefined, JSON.stringify(other));
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => !isTaken(text)));
  });
});
