import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { composeMessage, type InlineImage, type MessageTemplate, UnfitValue } from "./mime.ts";

const image: InlineImage = {
  contentId: "logo@example.org",
  contentType: "image/png",
  content: Buffer.from("image"),
};
const attachment = { filename: "a.csv", contentType: "text/csv", content: Buffer.from("a,b") };

function compose(parts: Partial<MessageTemplate>): string {
  return composeMessage({
    from: { address: "ada@example.org" },
    to: [{ address: "bob@example.org" }],
    subject: "",
    boundary: "seed",
    date: new Date(0),
    messageId: "1@example.org",
    values: [],
    ...parts,
  }).toString();
}

/** Returns the media types as they are nested, such as `alternative(plain html)`. */
function outline(message: string): string {
  const [head = "", ...rest] = message.split("\r\n\r\n");
  const [, type = "", boundary] = /^Content-Type: \w+\/(\w+)(?:.*boundary="([^"]+)")?/m.exec(head) ?? [];
  if (boundary === undefined) return type;
  const [, ...parts] = `\r\n${rest.join("\r\n\r\n")}`.split(`\r\n--${boundary}`);
  return `${type}(${parts.slice(0, -1).map(outline).join(" ")})`;
}

describe("parts are nested", () => {
  const [text, html] = ["t", "h"];
  const cases: readonly [parts: Partial<MessageTemplate>, nesting: string][] = [
    [{ text }, "plain"],
    [{ html }, "html"],
    [{ text, html }, "alternative(plain html)"],
    [{ html, inlineImages: [image] }, "related(html png)"],
    [{ text, html, inlineImages: [image] }, "alternative(plain related(html png))"],
    [{ text, attachments: [attachment] }, "mixed(plain csv)"],
    [{ html, attachments: [attachment, attachment] }, "mixed(html csv csv)"],
    [{ text, html, attachments: [attachment] }, "mixed(alternative(plain html) csv)"],
    [{ html, inlineImages: [image, image], attachments: [attachment] }, "mixed(related(html png png) csv)"],
    [
      { text, html, inlineImages: [image], attachments: [attachment] },
      "mixed(alternative(plain related(html png)) csv)",
    ],
  ];
  for (const [parts, nesting] of cases) {
    test(nesting, () => assert.equal(outline(compose(parts)), nesting));
  }
});

test("a whole message, byte by byte", () => {
  const message = compose({ text: "Hi\n", html: "", inlineImages: [image], attachments: [attachment] });
  assert.equal(
    message.slice(message.indexOf("MIME-Version")),
    `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_seed_m"

--=_seed_m
Content-Type: multipart/alternative; boundary="=_seed_a"

--=_seed_a
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 7bit

Hi

--=_seed_a
Content-Type: multipart/related; type="text/html"; boundary="=_seed_r"

--=_seed_r
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: 7bit


--=_seed_r
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-ID: <logo@example.org>
Content-Disposition: inline

aW1hZ2U=
--=_seed_r--
--=_seed_a--
--=_seed_m
Content-Type: text/csv; name="a.csv"
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="a.csv"

YSxi
--=_seed_m--
`.replaceAll("\n", "\r\n"),
  );
});

describe("a file's name", () => {
  const cases: readonly [what: string, filename: string, name: string, disposition: string][] = [
    ["is quoted", "My report (2).pdf", 'name="My report (2).pdf"', 'filename="My report (2).pdf"'],
    [
      "in another script is encoded, with ASCII for old readers",
      "résumé.pdf",
      'name="resume.pdf"',
      "filename*=UTF-8''r%C3%A9sum%C3%A9.pdf",
    ],
    [
      "with quotation marks is encoded, since few readers unescape them",
      '"a\\b".pdf',
      'name="_a_b_.pdf"',
      "filename*=UTF-8''%22a%5Cb%22.pdf",
    ],
    [
      "that is long is split, between characters",
      `${"ü".repeat(20)}.pdf`,
      `name="${"u".repeat(20)}.pdf"`,
      `filename*0*=UTF-8''${"%C3%BC".repeat(9)}; filename*1*=${"%C3%BC".repeat(10)}; filename*2*=%C3%BC.pdf`,
    ],
    ["may be missing", "\r\n", "", ""],
  ];
  for (const [what, filename, name, disposition] of cases) {
    test(what, () => {
      const message = compose({ text: "", attachments: [{ ...attachment, filename }] }).replaceAll(
        "\r\n ",
        " ",
      );
      assert.equal(/^Content-Type: text\/csv(?:; )?(.*)\r$/m.exec(message)?.[1], name);
      assert.equal(/^Content-Disposition: attachment(?:; )?(.*)\r$/m.exec(message)?.[1], disposition);
    });
  }
});

describe("a message is refused", () => {
  const cases: readonly [what: string, parts: Partial<MessageTemplate>][] = [
    ["without text and HTML", { attachments: [attachment] }],
    ["with inline images that nothing can show", { text: "", inlineImages: [image] }],
    [
      "with a message in base64",
      { text: "", attachments: [{ ...attachment, contentType: "message/rfc822" }] },
    ],
    [
      "with a content id that isn't unique in the world",
      { html: "", inlineImages: [{ ...image, contentId: "a" }] },
    ],
    ["without a boundary", { text: "", boundary: "" }],
    ["with a boundary longer than RFC 2046 §5.1.1 allows", { text: "", boundary: "a".repeat(61) }],
  ];
  for (const [what, parts] of cases) {
    test(what, () => assert.throws(() => compose(parts), UnfitValue));
  }
});

test("attachments of several megabytes come through", () => {
  const content = Buffer.alloc(5_000_001, "0123456789abcdef");
  const message = compose({ text: "", attachments: [{ ...attachment, content }] });
  const encoded = message.slice(message.lastIndexOf("\r\n\r\n") + 4, message.lastIndexOf("\r\n--"));
  assert.ok(Buffer.from(encoded, "base64").equals(content));
});
