import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLinkTokens } from "../messages/messages.ts";
import { createSubscriberLinks } from "./subscriber-links.ts";

const KEY = Buffer.alloc(32, 5);
const links = createSubscriberLinks(KEY, () => "https://news.example.com");
const id = (n: number) => `0190aaaa-0000-7000-8000-00000000000${n}`;
const target = { accountId: id(1), listId: id(2), subscriberId: id(3) };
const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

describe("the links of mails to subscribers", () => {
  const confirm = tokenOf(links.confirmUrl({ ...target, confirmationId: id(4) }));
  const leave = tokenOf(links.leaveUrl({ ...target, contactId: id(4) }));

  it("name what they were made for", () => {
    assert.deepEqual(links.readConfirm(confirm), { ...target, confirmationId: id(4) });
    assert.deepEqual(links.readLeave(leave), { ...target, contactId: id(4) });
    assert.match(links.leaveUrl({ ...target, contactId: id(4) }), /^https:\/\/news\.example\.com\/leave\//);
  });

  it("are good for nothing else", () => {
    assert.equal(links.readLeave(confirm), undefined);
    assert.equal(links.readConfirm(leave), undefined);
    assert.equal(createLinkTokens(KEY).read(confirm), undefined);
    const campaign = createLinkTokens(KEY).makerFor(id(1), id(2))(id(3));
    assert.equal(links.readConfirm(campaign), undefined);
  });

  it("are nothing under another key, or with any bit turned", () => {
    const others = createSubscriberLinks(Buffer.alloc(32, 6), () => "https://news.example.com");
    assert.equal(others.readConfirm(confirm), undefined);
    const bytes = Buffer.from(confirm, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const turned = Buffer.from(bytes);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(links.readConfirm(turned.toString("base64url")), undefined, `bit ${bit}`);
    }
  });

  it("can't be made before the address of the process is known", () => {
    const early = createSubscriberLinks(KEY, () => "");
    assert.throws(() => early.confirmUrl({ ...target, confirmationId: id(4) }), /isn't known yet/);
  });
});
