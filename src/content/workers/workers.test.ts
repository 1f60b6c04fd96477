import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { checkMessage } from "../checks/checks.ts";
import { mailWith } from "../checks/message.fixture.ts";
import { type ContentWorkers, prepareContent, renderValues, startContentWorkers } from "../content.ts";
import { bare, joinParts, recipientWith } from "../support.fixture.ts";

const limits = { threads: 1, compileTimeoutMs: 60_000, renderTimeoutMs: 60_000, memoryMb: 64 };
const workers = startContentWorkers(limits);
/** This is far below LiquidJS's own limit of 10 s, so that the thread is killed first. */
const EAGER_MS = 400;
const eager = startContentWorkers({ ...limits, renderTimeoutMs: EAGER_MS, compileTimeoutMs: EAGER_MS / 2 });
after(() => Promise.all([workers.close(), eager.close()]));

const ACCOUNT = "one";
const zoe = recipientWith({ tags: ["a", "<b>"] });

async function compile(html: string) {
  const result = await workers.compile({ ...bare, html, text: "" }, ACCOUNT);
  assert.ok(result.ok, JSON.stringify(result));
  return result.compiled;
}

test("a content compiled in a thread renders here and there alike", async () => {
  const compiled = await compile("<p>{{ first_name | upcase }}</p>");
  const here = renderValues(prepareContent(compiled), zoe);
  assert.deepEqual(await workers.render(compiled, zoe, ACCOUNT), here);
  assert.ok(here.ok);
  assert.equal(joinParts(compiled, here.values).html, "<p>ZOË</p>");
});

test("a loop is rendered in a thread, escaped all the same", async () => {
  const compiled = await compile("{% for tag in fields.tags %}<i>{{ tag }}</i>{% endfor %}");
  const result = await workers.render(compiled, zoe, ACCOUNT);
  assert.ok(result.ok);
  assert.equal(compiled.isBounded, false);
  assert.equal(joinParts(compiled, result.values).html, "<i>a</i><i>&lt;b&gt;</i>");
});

test("a mail is checked in a thread as it would be here", async () => {
  const message = mailWith({ html: "<p><a href='http://127.0.0.1/'>look</a><img src='x'></p>", from: null });
  const findings = await checkMessage(message);
  assert.ok(findings.length > 2);
  assert.deepEqual(await workers.check(message, ACCOUNT), { ok: true, findings });
});

test("one recipient's counters aren't the next one's", async () => {
  const compiled = await compile(
    "{% increment n %}{% increment n %}{% for i in (1..2) %}{% cycle 'x', 'y' %}{% endfor %}",
  );
  for (let time = 0; time < 2; time++) {
    const result = await workers.render(compiled, zoe, ACCOUNT);
    assert.ok(result.ok);
    assert.equal(joinParts(compiled, result.values).html, "01xy");
  }
});

test("more contents than a thread keeps are rendered in turn", async () => {
  const contents = await Promise.all(Array.from({ length: 25 }, (_, at) => compile(`${at}{% cycle "a" %}`)));
  for (const compiled of [...contents, ...contents]) {
    const result = await workers.render(compiled, zoe, ACCOUNT);
    assert.ok(result.ok);
    assert.equal(joinParts(compiled, result.values).html, `${contents.indexOf(compiled)}a`);
  }
});

test("an answer that came while this thread was busy counts, though its time is over", async () => {
  const compiled = await compile("{% cycle first_name %}");
  await warmUp(eager);
  // After this phase of the event loop, timers come next.
  await nextTurn();
  const rendered = eager.render(compiled, zoe, ACCOUNT);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * EAGER_MS);
  assert.deepEqual(await rendered, renderValues(prepareContent(compiled), zoe));
});

/** Waits until a thread is ready, which isn't counted as a task's time. */
async function warmUp(given: ContentWorkers): Promise<void> {
  await given.render(await compile("{% cycle 'x' %}"), zoe, ACCOUNT);
}

describe("a template that runs away", () => {
  const endless =
    "{% for a in (1..1000000) %}{% for b in (1..1000000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}";

  test("is answered at its limit while others wait, and they find a fresh thread", async () => {
    const [bad, good] = [await compile(endless), await compile("{% cycle first_name %}")];
    await warmUp(eager);
    const answered: string[] = [];
    const late = setTimeout(() => answered.push("late"), 20 * EAGER_MS);
    const killed = eager.render(bad, zoe, ACCOUNT).finally(() => answered.push("killed"));
    const others = Array.from({ length: 20 }, () =>
      eager.render(good, zoe, ACCOUNT).finally(() => answered.push("other")),
    );
    const result = await killed;
    clearTimeout(late);
    assert.deepEqual(answered, ["killed"]);
    assert.equal(!result.ok && result.fault.code, "too_slow");
    for (const other of await Promise.all(others)) {
      assert.ok(other.ok);
      assert.equal(joinParts(good, other.values).html, "Zoë");
    }
  });

  test("keeps other accounts waiting for one of its recipients at the most, and then for none", async () => {
    // Each is stopped after longer than the fifty take on a busy machine, where a new thread needs a second to begin.
    const two = startContentWorkers({ ...limits, threads: 2, renderTimeoutMs: 2_000 });
    try {
      const [bad, good] = [await compile(endless), await compile("{% cycle first_name %}")];
      // After this both threads are ready, and the account has had a content stopped.
      await Promise.all([two.render(bad, zoe, "hostile"), two.render(bad, zoe, "hostile")]);
      await two.render(good, zoe, "innocent");
      const answered: string[] = [];
      const hostile = Array.from({ length: 4 }, () =>
        two.render(bad, zoe, "hostile").finally(() => answered.push("hostile")),
      );
      for (let one = 0; one < 50; one++) assert.ok((await two.render(good, zoe, "innocent")).ok);
      answered.push("innocent");
      await Promise.all(hostile);
      const before = answered.indexOf("innocent");
      assert.ok(before <= 2, `${before} of 4 that ran away came before 50 that didn't`);
    } finally {
      await two.close();
    }
  });

  test("keeps no compile waiting for longer than a compile may take", async () => {
    const bad = await compile(endless);
    await warmUp(eager);
    const [killed, waiting] = [
      eager.render(bad, zoe, ACCOUNT),
      eager.compile({ ...bare, text: "a" }, ACCOUNT),
    ];
    const first = await Promise.race([killed.then(() => null), waiting]);
    assert.match(first && !first.ok ? (first.faults[0]?.detail ?? "") : "", /too much is waiting already/);
    await killed;
  });

  test("and takes all memory is killed too", async () => {
    const result = await workers.render(
      await compile("{% for a in (1..19000000) %}{% endfor %}"),
      zoe,
      ACCOUNT,
    );
    assert.equal(!result.ok && result.fault.code, "too_much_memory");
    assert.equal((await workers.render(await compile("{% cycle 'x' %}"), zoe, ACCOUNT)).ok, true);
  });

  test("by doubling a text is stopped", async () => {
    const doubling =
      "{% assign a = 'xx' %}{% for i in (1..99) %}{% assign a = a | append: a %}{% endfor %}{{ a }}";
    const result = await workers.render(await compile(doubling), zoe, ACCOUNT);
    assert.equal(!result.ok && result.fault.code, "too_much_memory");
  });
});

describe("hostile HTML gives a clear result in bounded time", () => {
  const cases: readonly [name: string, html: string, code: string | null][] = [
    ["5 MB", "<p>x</p>".repeat(650_000), "too_large"],
    [
      "1,000 links",
      Array.from({ length: 1_000 }, (_, at) => `<a href="https://a.example/${at}">a</a>`).join(""),
      null,
    ],
    ["10,000 nested tags", "<div>".repeat(10_000), "nested_too_deeply"],
    ["10,000 nested conditions", "{% if a %}".repeat(10_000) + "{% endif %}".repeat(10_000), "liquid_syntax"],
    ["500 expressions", "<p>{{ first_name }}</p>".repeat(500), null],
    ["unclosed attributes", '<a href="'.repeat(20_000), null],
    ["unclosed comments", "<!--[if mso]>".repeat(20_000), null],
    ["nothing but brackets", "<".repeat(100_000), null],
    ["nothing but ampersands", "&".repeat(100_000), null],
    ["an address of 300,000 dots", `<p>https://${".".repeat(300_000)}x</p>`, null],
    ["unclosed Liquid", "{{".repeat(50_000), "liquid_syntax"],
    ["an unclosed style sheet", `<style>${"p{".repeat(20)}`, null],
    ["nothing", "", null],
  ];
  for (const [name, html, code] of cases) {
    test(name, async () => {
      const tracking = { opens: true, clicks: true };
      const result = await workers.compile({ ...bare, html, tracking }, ACCOUNT);
      assert.equal(result.ok ? null : result.faults[0]?.code, code);
    });
  }
});

test("what waits when the service stops is answered", async () => {
  const closing = startContentWorkers(limits);
  const waiting = [
    closing.compile({ ...bare, text: "a" }, ACCOUNT),
    closing.compile({ ...bare, text: "b" }, ACCOUNT),
  ];
  await closing.close();
  for (const result of await Promise.all(waiting))
    assert.equal(!result.ok && result.faults[0]?.code, "worker_failed");
  const late = await closing.compile({ ...bare, text: "c" }, ACCOUNT);
  assert.equal(!late.ok && late.faults[0]?.code, "worker_failed");
});
