import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { allPages, sender } from "../../../test/support/public-pages.ts";
import { english as words } from "../locales/locales.ts";
import { unsubscribed } from "../public-pages.ts";

const bodies = new Map([...allPages()].map(([path, { body }]) => [path, body]));
const formsOf = (path: string) => (bodies.get(path) ?? "").match(/<form method="post" action="[^"]*"/g) ?? [];

describe("the unsubscribe pages", () => {
  test("no page has the whole address, for mails get forwarded", () => {
    for (const [path, body] of bodies) {
      // Who typed it into a form sees it again beside what is wrong.
      if (path !== "/form-returned") assert.ok(!body.includes("priya"), path);
    }
    assert.match(bodies.get("/ask") ?? "", /<bdi>p…@posteo\.example<\/bdi>/);
  });

  test("nothing changes by GET: every form is sent by POST, and no link leads to where forms go", () => {
    for (const [path, body] of bodies) {
      if (path === "/view" || path === "/framed") continue;
      for (const form of body.match(/<form[^>]*>/g) ?? [])
        assert.match(
          form,
          /^<form method="post" action="\/(posted|undo)"(?: accept-charset="utf-8" novalidate)?>$/,
          path,
        );
      assert.doesNotMatch(body, /href="\/(posted|undo)/, path);
    }
  });

  test("undo and everything are offered where they mean something", () => {
    const [undo, further] = ['<form method="post" action="/undo"', '<form method="post" action="/posted"'];
    assert.deepEqual(formsOf("/list"), [undo, further]);
    assert.deepEqual(formsOf("/everything"), [undo]);
    assert.deepEqual(formsOf("/already"), [undo, further]);
    assert.deepEqual(formsOf("/list-deleted"), [undo, further]);
    assert.deepEqual(formsOf("/undone"), [further]);
    assert.deepEqual(formsOf("/nobody"), []);
    assert.deepEqual(formsOf("/topic"), [undo, further, further]);
    assert.match(bodies.get("/undone") ?? "", /name="scope" value="topic"/);
  });

  test("a mail of a topic offers its list and everything beside the topic, and names both", () => {
    for (const path of ["/ask-topic", "/topic", "/topic-already"]) {
      const body = bodies.get(path) ?? "";
      assert.match(body, /<bdi>Small presses<\/bdi>/, path);
      assert.match(body, /Nothing more of .*The weekly letter/, path);
      for (const scope of ["list", "all"]) assert.ok(body.includes(`name="scope" value="${scope}"`), path);
    }
    assert.match(bodies.get("/ask-topic") ?? "", /class="main" name="scope" value="topic"/);
    assert.doesNotMatch(bodies.get("/ask") ?? "", /value="list"/);
  });

  test("only the lists given are named, each with its own box", () => {
    assert.doesNotMatch(bodies.get("/ask") ?? "", /type="checkbox"/);
    assert.equal(bodies.get("/ask-lists")?.match(/type="checkbox" name="also" value="lst_\d"/g)?.length, 2);
  });

  test("whatever became of the subscription, the answer is 200 and has no empty place", () => {
    for (const state of ["list", "everything", "already", "undone", "nobody", "list_deleted"] as const) {
      const nameless = { ...sender, name: "" };
      const page = unsubscribed({
        words,
        state,
        sender: nameless,
        listName: null,
        topicName: null,
        address: null,
        undoPath: null,
        unsubscribePath: null,
      });
      assert.equal(page.status, 200, state);
      assert.doesNotMatch(page.body, /<form|<bdi><\/bdi>|<b><\/b>|\{(list|sender|address)\}/, state);
    }
  });
});
