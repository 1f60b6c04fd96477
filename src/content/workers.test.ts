import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { prepareContent, renderValues, startContentWorkers } from "./content.ts";
import { bare, joinParts, recipientWith } from "./support.fixture.ts";

const limits = { threads: 1, compileTimeoutMs: 60_000, renderTimeoutMs: 60_000, memoryMb: 64 };
const workers = startContentWorkers(limits);
after(() => workers.close());

const zoe = recipientWith({ tags: ["a", "<b>"] });

async function compile(html: string) {
  const result = await workers.compile({ ...bare, html, text: "" });
  assert.ok(result.ok, JSON.stringify(result));
  return result.compiled;
}

test("a content compiled in a thread renders here and there alike", async () => {
  const compiled = await compile("<p>{{ first_name | upcase }}</p>");
  const here = renderValues(prepareContent(compiled), zoe);
  assert.deepEqual(await workers.render(compiled, zoe), here);
  assert.ok(here.ok);
  assert.equal(joinParts(compiled, here.values).html, "<p>ZOË</p>");
});

test("a loop is rendered in a thread, escaped all the same", async () => {
  const compiled = await compile("{% for tag in fields.tags %}<i>{{ tag }}</i>{% endfor %}");
  const result = await workers.render(compiled, zoe);
  assert.ok(result.ok);
  assert.equal(compiled.isFast, false);
  assert.equal(joinParts(compiled, result.values).html, "<i>a</i><i>&lt;b&gt;</i>");
});

test("one recipient's counters aren't the next one's", async () => {
  const compiled = await compile(
    "{% increment n %}{% increment n %}{% for i in (1..2) %}{% cycle 'x', 'y' %}{% endfor %}",
  );
  for (let time = 0; time < 2; time++) {
    const result = await workers.render(compiled, zoe);
    assert.ok(result.ok);
    assert.equal(joinParts(compiled, result.values).html, "01xy");
  }
});

test("more contents than a thread keeps are rendered in turn", async () => {
  const contents = await Promise.all(Array.from({ length: 25 }, (_, at) => compile(`${at}{% cycle "a" %}`)));
  for (const compiled of [...contents, ...contents]) {
    const result = await workers.render(compiled, zoe);
    assert.ok(result.ok);
    assert.equal(joinParts(compiled, result.values).html, `${contents.indexOf(compiled)}a`);
  }
});

describe("a template that runs away", () => {
  const endless =
    "{% for a in (1..1000000) %}{% for b in (1..1000000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}";

  test("is killed, and the next task finds a fresh thread", async () => {
    // Far below LiquidJS's own limit of 10 s, so that it is the thread that is ended.
    const eager = startContentWorkers({ ...limits, renderTimeoutMs: 1_000 });
    try {
      const [bad, good] = [await compile(endless), await compile("{% cycle first_name %}")];
      const [killed, next] = await Promise.all([eager.render(bad, zoe), eager.render(good, zoe)]);
      assert.equal(!killed.ok && killed.fault.code, "too_slow");
      assert.ok(next.ok);
      assert.equal(joinParts(good, next.values).html, "Zoë");
    } finally {
      await eager.close();
    }
  });

  test("and takes all memory is killed too", async () => {
    const result = await workers.render(
      await compile("{% for a in (1..19000000) %}{{ a }}{% endfor %}"),
      zoe,
    );
    assert.equal(!result.ok && result.fault.code, "too_much_memory");
    assert.equal((await workers.render(await compile("{% cycle 'x' %}"), zoe)).ok, true);
  });

  test("by doubling a text is stopped", async () => {
    const doubling =
      "{% assign a = 'xx' %}{% for i in (1..99) %}{% assign a = a | append: a %}{% endfor %}{{ a }}";
    const result = await workers.render(await compile(doubling), zoe);
    assert.equal(!result.ok && result.fault.code, "liquid_failed");
  });
});

describe("hostile HTML gives a clear result in bounded time", () => {
  const cases: readonly [name: string, html: string, code: string | null][] = [
    ["5 MB", "<p>x</p>".repeat(650_000), "too_large"],
    [
      "10,000 links",
      Array.from({ length: 10_000 }, (_, at) => `<a href="https://a.example/${at}">a</a>`).join(""),
      null,
    ],
    ["10,000 nested tags", "<div>".repeat(10_000), "nested_too_deeply"],
    [
      "10,000 nested conditions",
      `${"{% if a %}".repeat(20_000)}${"{% endif %}".repeat(20_000)}`,
      "liquid_syntax",
    ],
    ["3,000 expressions", "<p>{{ first_name }}</p>".repeat(3_000), null],
    ["unclosed attributes", '<a href="'.repeat(20_000), null],
    ["unclosed comments", "<!--[if mso]>".repeat(20_000), null],
    ["nothing but brackets", "<".repeat(200_000), null],
    ["nothing but ampersands", "&".repeat(200_000), null],
    ["unclosed Liquid", "{{".repeat(50_000), "liquid_syntax"],
    ["an unclosed style sheet", `<style>${"p{".repeat(500)}`, null],
    ["nothing", "", null],
  ];
  for (const [name, html, code] of cases) {
    test(name, async () => {
      const tracking = { opens: true, clicks: true };
      const result = await workers.compile({ ...bare, html, tracking });
      assert.equal(result.ok ? null : result.faults[0]?.code, code);
    });
  }
});

test("what waits when the service stops is answered", async () => {
  const closing = startContentWorkers(limits);
  const waiting = [closing.compile({ ...bare, text: "a" }), closing.compile({ ...bare, text: "b" })];
  await closing.close();
  for (const result of await Promise.all(waiting))
    assert.equal(!result.ok && result.faults[0]?.code, "worker_failed");
  const late = await closing.compile({ ...bare, text: "c" });
  assert.equal(!late.ok && late.faults[0]?.code, "worker_failed");
});
