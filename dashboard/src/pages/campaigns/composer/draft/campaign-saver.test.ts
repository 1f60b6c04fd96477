import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { Campaign, CampaignPatch } from "../../../../api/openapi.ts";
import { ApiError } from "../../../../api/problem.ts";
import type { Answered as AnsweredOf } from "../../../../drafts/draft-state.ts";
import { createCampaignSaver as createSaver } from "./campaign-saver.ts";

type Answered = AnsweredOf<Campaign>;

const FIRST = {
  id: "cmp_1",
  name: "News",
  list_id: "lst_1",
  segment_id: null,
  topic_id: null,
  subject: "News",
  preview_text: null,
  html: "<p>News</p>",
  mjml: null,
  tracking: { opens: true, clicks: true },
  utm: null,
  allowed_actions: ["update"],
  updated_at: "2026-11-16T09:00:00.000Z",
  updated_by: null,
} as unknown as Campaign;

/** A service that holds one campaign, answers each change when it is told to, and knows its ETag. */
function service() {
  let body = FIRST;
  let version = 1;
  const asked: CampaignPatch[] = [];
  const answers: (() => void)[] = [];
  const now = (): Answered => ({ body, etag: `"${version}"` });
  const apply = (patch: object) => {
    version++;
    const updated_at = new Date(Date.parse(FIRST.updated_at) + version * 1_000).toISOString();
    body = { ...body, ...(patch as Partial<Campaign>), updated_at };
  };
  let refusal: ((patch: CampaignPatch) => ApiError | undefined) | undefined;
  return {
    asked,
    now,
    /** Somebody else changes it. */
    apply,
    refuseBy: (next: typeof refusal) => {
      refusal = next;
    },
    answer: async () => {
      answers.shift()?.();
      await settled();
    },
    tools: {
      read: async () => now(),
      write: (patch: CampaignPatch, ifMatch: string | undefined) => {
        asked.push(patch);
        const { promise, resolve, reject } = Promise.withResolvers<Answered>();
        answers.push(() => {
          const refused = refusal?.(patch);
          if (refused) return reject(refused);
          if (ifMatch !== now().etag) return reject(new ApiError({ status: 412, detail: "changed" }));
          apply(patch);
          resolve(now());
        });
        return promise;
      },
    },
  };
}

/** All promises that can go on have gone on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const fault = (pointer: string) =>
  new ApiError({
    status: 422,
    code: "validation_failed",
    detail: "no",
    errors: [{ pointer, code: "bad", detail: "is bad" }],
  });

describe("what saves a draft", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  test("it saves 800 ms after the last key, one request at a time, and what is typed meanwhile after it", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    saver.change({ subject: "A" });
    mock.timers.tick(500);
    saver.change({ subject: "AB" });
    mock.timers.tick(799);
    assert.equal(of.asked.length, 0);
    mock.timers.tick(1);
    assert.deepEqual(of.asked, [{ subject: "AB" }]);
    saver.change({ subject: "ABC", preview_text: "And more" });
    mock.timers.tick(5_000);
    assert.equal(of.asked.length, 1);
    await of.answer();
    assert.equal(saver.snapshot().draft.subject, "ABC");
    mock.timers.tick(800);
    assert.deepEqual(of.asked[1], { subject: "ABC", preview_text: "And more" });
    await of.answer();
    assert.equal(saver.snapshot().state.kind, "saved");
    assert.equal(saver.isUnsaved(), false);
  });

  test("a field that is refused waits for another value, and the rest is saved", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    of.refuseBy((patch) =>
      "from_email" in patch && patch.from_email === "nonsense" ? fault("/from_email") : undefined,
    );
    saver.change({ subject: "A", from_email: "nonsense" });
    mock.timers.tick(800);
    await of.answer();
    assert.deepEqual(of.asked[1], { subject: "A" });
    await of.answer();
    assert.equal(saver.snapshot().state.kind, "refused");
    assert.deepEqual(saver.snapshot().faults, { from_email: "Is bad." });
    saver.change({ subject: "AB" });
    mock.timers.tick(800);
    await of.answer();
    assert.deepEqual(of.asked[2], { subject: "AB" });
    saver.change({ from_email: "ada@example.com" });
    mock.timers.tick(800);
    await of.answer();
    assert.deepEqual(saver.snapshot().state, { kind: "saved" });
    assert.deepEqual(saver.snapshot().faults, {});
  });

  test("what is typed while a field is being refused is sent by itself", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    of.refuseBy((patch) => (patch.from_email === "ada@" ? fault("/from_email") : undefined));
    saver.change({ from_email: "ada@" });
    mock.timers.tick(800);
    saver.change({ from_email: "ada@example.com" });
    await of.answer();
    assert.equal(saver.snapshot().state.kind, "unsaved");
    mock.timers.tick(800);
    await of.answer();
    assert.deepEqual(of.asked, [{ from_email: "ada@" }, { from_email: "ada@example.com" }]);
    assert.deepEqual(saver.snapshot().state, { kind: "saved" });
    assert.deepEqual(saver.snapshot().faults, {});
  });

  test("changes of other fields go together; of the same field one is chosen", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    of.apply({ name: "Theirs" });
    saver.change({ subject: "Mine" });
    mock.timers.tick(800);
    await of.answer();
    await of.answer();
    assert.deepEqual([of.now().body.name, of.now().body.subject], ["Theirs", "Mine"]);
    of.apply({ subject: "Theirs", preview_text: "Theirs" });
    saver.change({ subject: "Mine again" });
    mock.timers.tick(800);
    await of.answer();
    const { state } = saver.snapshot();
    assert.deepEqual(state.kind === "conflict" && state.contested, ["subject"]);
    mock.timers.tick(60_000);
    assert.equal(of.asked.length, 3);
    const chosen = saver.choose("mine");
    await of.answer();
    await chosen;
    assert.deepEqual([of.now().body.subject, of.now().body.preview_text], ["Mine again", "Theirs"]);
  });

  test("HTML on one side and MJML on the other are the same content", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    of.apply({ html: null, mjml: "<mjml></mjml>" });
    saver.change({ html: "<p>Mine</p>" });
    mock.timers.tick(800);
    await of.answer();
    const { state } = saver.snapshot();
    assert.deepEqual(state.kind === "conflict" && state.contested, ["html", "mjml"]);
    await saver.choose("theirs");
    assert.deepEqual([saver.snapshot().draft.html, saver.snapshot().draft.mjml], [null, "<mjml></mjml>"]);
    assert.equal(saver.isUnsaved(), false);
    of.apply({ html: "<p>Theirs</p>", mjml: null });
    saver.change({ mjml: "<mjml>Mine</mjml>" });
    mock.timers.tick(800);
    await of.answer();
    const chosen = saver.choose("mine");
    await of.answer();
    await chosen;
    assert.deepEqual([of.now().body.html, of.now().body.mjml], [null, "<mjml>Mine</mjml>"]);
  });

  test("an answer that is older than ours says nothing, and a newer one is taken in", async () => {
    const of = service();
    const before = of.now();
    const saver = createSaver(before, of.tools);
    saver.change({ subject: "Mine" });
    const saving = saver.save();
    await of.answer();
    assert.equal(await saving, true);
    saver.hear(before);
    assert.equal(saver.snapshot().draft.subject, "Mine");
    of.apply({ subject: "Theirs" });
    saver.hear(of.now());
    assert.equal(saver.snapshot().draft.subject, "Theirs");
    assert.equal(saver.snapshot().taken?.at, of.now().body.updated_at);
  });

  test("what an editor has not told yet stands against what another saved", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    const end = saver.heedTyping(() => saver.change({ html: "<p>Typed</p>" }));
    of.apply({ html: "<p>Theirs</p>" });
    saver.hear(of.now());
    const { state, draft } = saver.snapshot();
    assert.deepEqual([state.kind, draft.html], ["conflict", "<p>Typed</p>"]);
    end();
    await saver.choose("theirs");
    of.apply({ html: "<p>Theirs again</p>" });
    saver.hear(of.now());
    assert.equal(saver.snapshot().draft.html, "<p>Theirs again</p>");
  });

  test("while the service is away it is tried again, later and later, and at once when it is back", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    const offline = new ApiError({ status: 0, code: "offline", detail: "" });
    of.refuseBy(() => (of.asked.length === 1 ? offline : new ApiError({ status: 429, detail: "" })));
    saver.change({ subject: "A" });
    mock.timers.tick(800);
    await of.answer();
    assert.equal(saver.snapshot().state.kind, "waiting");
    saver.change({ subject: "AB" });
    mock.timers.tick(1_999);
    assert.equal(of.asked.length, 1);
    mock.timers.tick(1);
    await of.answer();
    mock.timers.tick(3_999);
    assert.equal(of.asked.length, 2);
    of.refuseBy(undefined);
    saver.retry();
    await of.answer();
    assert.deepEqual([of.now().body.subject, saver.snapshot().state.kind], ["AB", "saved"]);
  });

  test("a campaign that was sent meanwhile is locked, and what was typed stays", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    of.refuseBy(() => new ApiError({ status: 409, code: "campaign_locked", detail: "sent" }));
    saver.change({ subject: "Late" });
    const saving = saver.save();
    await of.answer();
    assert.equal(await saving, false);
    assert.deepEqual([saver.snapshot().state.kind, saver.snapshot().draft.subject], ["locked", "Late"]);
  });

  test("once a campaign that was about to leave is taken back, what was typed meanwhile is saved", async () => {
    const of = service();
    const saver = createSaver(of.now(), of.tools);
    of.apply({ allowed_actions: [] });
    saver.hear(of.now());
    assert.equal(saver.snapshot().state.kind, "locked");
    saver.change({ subject: "Late" });
    mock.timers.tick(5_000);
    await settled();
    assert.equal(of.asked.length, 0);
    of.apply({ allowed_actions: FIRST.allowed_actions });
    saver.hear(of.now());
    mock.timers.tick(800);
    await of.answer();
    assert.deepEqual([of.now().body.subject, saver.snapshot().state.kind], ["Late", "saved"]);
  });
});
