import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSource } from "./compile.ts";
import { prepareContent, renderValues } from "./render.ts";
import { bare, joinMail, recipientWith } from "./support.fixture.ts";

test("only what differs from mail to mail is a slot", async () => {
  const html =
    '<p>Hello {{ first_name }}</p><a href="https://a.example">a</a><a href="https://b.example">b</a>{% if first_name %}!{% endif %}';
  const tracking = { opens: false, clicks: true };
  const compiled = await compileSource({ ...bare, html, text: "", tracking });
  assert.deepEqual(compiled.html, [
    "<p>Hello ",
    { slot: 0 },
    '</p><a href="',
    { slot: 1 },
    '0">a</a><a href="',
    { slot: 1 },
    '1">b</a>',
    { slot: 2 },
  ]);
  assert.deepEqual(
    compiled.slots.map(({ kind }) => kind),
    ["value", "link_base", "value"],
  );
});

test("a loop leaves the rest in pieces, and knows what was assigned and counted before it", async () => {
  const html =
    "<p>{% assign a = 'x' %}{% increment n %}</p>{% for i in (1..2) %}{{ a }}{{ n }}{% assign a = i %}{% endfor %}<p>{{ a }}</p>";
  const compiled = await compileSource({ ...bare, html, text: "{% increment n %}" });
  assert.equal(compiled.isBounded, false);
  assert.equal(compiled.html?.filter((piece) => piece === "<p>").length, 2);
  const mail = joinMail(compiled, recipientWith({}));
  assert.deepEqual([mail.html, mail.text], ["<p>0</p>x111<p>2</p>", "0"]);
});

test("what one part assigns, no other knows", async () => {
  const assigning = "{% assign first_name = 'Eve' %}{{ first_name }}";
  for (const [subject, html] of [
    [assigning, "{{ first_name }}"],
    ["{{ first_name }}", assigning],
  ] as const) {
    const compiled = await compileSource({ ...bare, subject, html, text: "{{ first_name }}" });
    assert.equal(compiled.isBounded, true);
    const mail = joinMail(compiled, recipientWith({}));
    const named = (text: string) => (text === assigning ? "Eve" : "Zoë");
    assert.deepEqual([mail.subject, mail.html, mail.text], [named(subject), named(html), "Zoë"]);
  }
});

test("values that are only looked up are written as each part asks", async () => {
  const word = "{{ fields.x }}";
  const compiled = await compileSource({ ...bare, subject: word, html: word, text: word });
  const mail = joinMail(compiled, recipientWith({ x: "<\n>" }));
  assert.deepEqual([mail.subject, mail.html, mail.text], ["< >", "&lt;\n&gt;", "<\n>"]);
});

test("a break outside a loop ends the part, as in LiquidJS", async () => {
  const compiled = await compileSource({
    ...bare,
    html: "a{% if first_name %}{% break %}{% endif %}b",
    text: "",
  });
  assert.equal(joinMail(compiled, recipientWith({})).html, "a");
  assert.equal(joinMail(compiled, recipientWith({}, null)).html, "ab");
});

test("every name of the merge data can be read", async () => {
  const names = [
    "first_name last_name email fields.x subscriber.email subscriber.fields.x list.name campaign.name",
    "postal_address unsubscribe_url preferences_url view_url",
  ];
  const text = names
    .join(" ")
    .split(" ")
    .map((name) => `{{ ${name} }}`)
    .join("|");
  const compiled = await compileSource({ ...bare, text });
  assert.equal(
    joinMail(compiled, recipientWith({ x: 1 })).text,
    "Zoë||zoe+news@example.org|1|zoe+news@example.org|1|News & more|November|1 High Street|" +
      "https://mail.example/u?m=1&t=2|https://mail.example/p/1|https://mail.example/v/1",
  );
});

test("an expression that fails for one recipient is a value with its place, and the next one is well", async () => {
  const compiled = await compileSource({ ...bare, html: "<p>\n {{ fields.x | base64_decode }}", text: "" });
  const prepared = prepareContent(compiled);
  const failed = renderValues(prepared, recipientWith({ x: "%" }));
  assert.ok(!failed.ok);
  const { code, part, line, column, detail } = failed.fault;
  assert.deepEqual([code, part, line, column], ["liquid_failed", "html", 2, 2]);
  assert.match(detail, /base64/);
  assert.equal(renderValues(prepared, recipientWith({ x: "eA==" })).ok, true);
});

test("a mail that grows without measure is refused", async () => {
  const compiled = await compileSource({ ...bare, html: "{{ fields.x }}".repeat(100), text: "" });
  const result = renderValues(prepareContent(compiled), recipientWith({ x: "x".repeat(100_000) }));
  assert.equal(!result.ok && result.fault.code, "too_large");
});

test("a content survives being stored as JSON", async () => {
  const compiled = await compileSource({ ...bare, html: "<p>{{ first_name | upcase }} 漢\u2028</p>" });
  const stored = JSON.parse(JSON.stringify(compiled));
  assert.deepEqual(joinMail(stored, recipientWith({})), joinMail(compiled, recipientWith({})));
});
