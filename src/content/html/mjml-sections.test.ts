import assert from "node:assert/strict";
import { describe, it } from "node:test";
import mjml2html from "mjml";
import { compileBySections } from "./mjml-sections.ts";

const section = (words: string, columns = 1) =>
  `<mj-section>${`<mj-column><mj-text>${words}</mj-text></mj-column>`.repeat(columns)}</mj-section>\n`;
const mail = (body: string, head = "") => `<mjml>${head}<mj-body>${body}</mj-body></mjml>`;

async function whole(mjml: string): Promise<string | undefined> {
  const { html, errors } = await mjml2html(mjml, {
    validationLevel: "soft",
    ignoreIncludes: true,
    fonts: {},
  });
  return errors.length > 0 ? undefined : html;
}

/** Compiles, and says what the compiler was given. */
async function sketch(
  mjml: string,
  { accountId = "one", compile = whole } = {},
): Promise<{ html: string | undefined; given: string }> {
  let given = "";
  const html = await compileBySections(accountId, mjml, (text) => {
    given = text;
    return compile(text);
  });
  return { html, given };
}

/** Without the comments for Outlook and blanks; the style sheets in any order. */
function essence(html: string | undefined) {
  const text = (html ?? "").replaceAll(/<!--[\s\S]*?-->/g, "").replaceAll(/\s+/g, " ");
  const STYLE = /<style\b[^>]*>[\s\S]*?<\/style>/g;
  const styles = [...text.matchAll(STYLE)].map(([style]) => style).sort();
  return { styles, rest: text.replaceAll(STYLE, "").replaceAll(/> </g, "><") };
}

describe("MJML by its sections", () => {
  const bodies = [
    section("One"),
    section("Two", 2),
    `<mj-wrapper>${section("In a wrapper", 3)}</mj-wrapper>`,
  ];

  it("looks as it does when it is compiled as a whole", async () => {
    const head = "<mj-head><mj-preview>Look</mj-preview><mj-style>p{color:red}</mj-style></mj-head>";
    for (const text of [mail(bodies.join("")), mail(`<!-- <mj-section> -->${bodies.join("")}`, head)]) {
      const { html } = await sketch(text);
      assert.deepEqual(essence(html), essence(await whole(text)));
    }
  });

  it("compiles only what wasn't there before", async () => {
    const first = await sketch(mail(bodies.join("")));
    assert.ok(first.html);
    const changed = [bodies[0], section("Changed", 4), bodies[2]].join("");
    const { html, given } = await sketch(mail(changed));
    assert.match(given, /Changed/);
    assert.doesNotMatch(given, /One|wrapper/);
    assert.deepEqual(essence(html).rest, essence(await whole(mail(changed))).rest);
    assert.match(html ?? "", /mj-column-per-25 \{/, "with the widths of its columns");
    assert.equal((await sketch(mail(changed))).given, "", "nothing is new");
  });

  it("knows a section again when other Liquid comes before it", async () => {
    const text = (numbers: readonly number[]) =>
      mail(numbers.map((number, at) => section(`Part ${at} \uE0F0${number}\uE0F1`)).join(""));
    await sketch(text([0, 1, 2]));
    const { html, given } = await sketch(text([4, 5, 6]));
    assert.equal(given, "");
    assert.deepEqual(html?.match(/\uE0F0\d\uE0F1/g), ["\uE0F04\uE0F1", "\uE0F05\uE0F1", "\uE0F06\uE0F1"]);
  });

  it("remembers nothing of one account for another", async () => {
    const text = mail(bodies.join(""));
    assert.ok((await sketch(text)).html);
    assert.match((await sketch(text, { accountId: "other" })).given, /One/);
    assert.equal((await sketch(text, { accountId: "other" })).given, "");
  });

  it("forgets the oldest once it holds too much, however little of it are sections", async () => {
    const typed = (turn: number) =>
      mail(bodies.join(""), `<mj-head><mj-style>/* ${turn} */${"p{}".repeat(100_000)}</mj-style></mj-head>`);
    const compile = async (text: string): Promise<string | undefined> => text;
    for (let turn = 0; turn < 40; turn++) assert.ok((await sketch(typed(turn), { compile })).html);
    assert.equal((await sketch(typed(39), { compile })).given, "");
    assert.match((await sketch(typed(0), { compile })).given, /One/);
  });

  it("leaves what it can't cut, and what has a fault, to the whole", async () => {
    const two = bodies.slice(0, 2).join("");
    for (const text of [
      mail(section("Alone")),
      mail(`${two}<mj-section>`),
      mail(`${two}</mj-section>`),
      mail(`${two}\uE0F2`),
      mail(`${two}<mj-text>Beside</mj-text>`),
      mail(`${two}<mj-section><mj-nothing /></mj-section>`),
      "<mjml></mjml>",
      "no MJML",
    ])
      assert.equal((await sketch(text)).html, undefined, text);
  });
});
