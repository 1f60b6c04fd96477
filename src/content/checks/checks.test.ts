import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../test/support/liquid.ts";
import { checkMessage, type Message, type Severity } from "./checks.ts";
import { htmlWith, mailOf, mailWith } from "./message.fixture.ts";

async function codesOf(message: Message): Promise<string[]> {
  return (await checkMessage(message)).map(({ code }) => code);
}

const picture = '<img src="https://acme.dev/a.png" alt="An apple" width="300" height="20">';

const ADA = { name: null, email: "ada@gmail.com" };

/** Each row holds a rule's code, its severity, mails that have the fault, and mails that only come close to it. */
const table: readonly (readonly [string, Severity, readonly Message[], readonly Message[]])[] = [
  [
    "missing_from",
    "error",
    [mailWith({ from: null }), mailWith({ from: { name: "Acme", email: " " } })],
    [mailWith({ from: { name: null, email: "news@acme.dev" } })],
  ],
  [
    "free_mail_sender",
    "error",
    [
      mailWith({ from: { name: null, email: "ada@Gmail.com" } }),
      mailWith({ from: ADA, transportHost: null }),
      mailWith({ from: ADA, transportHost: "smtp-mail.outlook.com" }),
      mailWith({ from: ADA, transportHost: "smtp.gmail.com.acme.dev" }),
      mailWith({ from: ADA, transportHost: "notgmail.com" }),
    ],
    [
      mailWith({ from: { name: null, email: "gmail.com@acme.dev" } }),
      mailWith({ from: ADA, transportHost: "SMTP.gmail.com" }),
      mailWith({ from: ADA, transportHost: "smtp-relay.gmail.com." }),
      mailWith({ from: { name: null, email: "ada@hotmail.fr" }, transportHost: "smtp.office365.com" }),
      mailWith({ from: { name: null, email: "ada@me.com" }, transportHost: "smtp.mail.me.com" }),
    ],
  ],
  ["missing_subject", "error", [mailWith({ subject: "\t " })], [mailWith({ subject: "?" })]],
  [
    "long_subject",
    "warning",
    [mailWith({ subject: "x".repeat(71) }), mailWith({ subject: "é".repeat(5_000) })],
    [mailWith({ subject: "x".repeat(70) }), mailWith({ subject: "👩‍👩‍👧‍👦".repeat(40) })],
  ],
  ["missing_preheader", "info", [mailWith({ preheader: null })], [mailWith({ preheader: "Apples" })]],
  [
    "long_preheader",
    "warning",
    [mailWith({ preheader: "x".repeat(151) })],
    [mailWith({ preheader: "x".repeat(150) })],
  ],
  [
    "missing_unsubscribe_link",
    "error",
    [
      mailWith({ unsubscribeUrl: null }),
      mailWith({ html: htmlWith("").replace("/u/abc", "/u/other") }),
      mailWith({ text: "The harvest was good. 1 High Street, London N1 1AA, UK" }),
      mailWith({ html: htmlWith("").replace("Unsubscribe<", "&#8203; <") }),
      mailWith({ html: htmlWith("").replace("Unsubscribe<", '<b style="display:none">Unsubscribe</b><') }),
    ],
    [
      mailWith(),
      mailWith({ unsubscribeUrl: null, stream: "transactional" }),
      mailWith({ text: null }),
      mailWith({
        html: htmlWith("").replace("Unsubscribe<", '<img src="https://a.dev/out.png" width="80"><'),
      }),
    ],
  ],
  [
    "missing_postal_address",
    "error",
    [
      mailWith({ postalAddress: null }),
      mailWith({ postalAddress: "2 High Street, London N1 1AA, UK" }),
      mailWith({ html: htmlWith("").replace("<p><a", '<p style="display:none"><a') }),
    ],
    [mailWith(), mailWith({ postalAddress: null, stream: "transactional" })],
  ],
  [
    "empty_body",
    "error",
    [
      mailWith({ html: "", text: "" }),
      mailWith({
        html: "<p>&nbsp;&#8203;</p><img src='https://acme.dev/o.gif' width=1 height=1>",
        text: null,
      }),
    ],
    [mailWith({ html: "", text: "Hello" }), mailWith({ html: picture, text: null })],
  ],
  [
    "gmail_clip",
    "warning",
    [mailWith({ html: htmlWith("é".repeat(55_000)) }), mailWith({ htmlBytes: 104_449 })],
    [mailWith({ html: htmlWith("e".repeat(55_000)) }), mailWith({ htmlBytes: 104_448 })],
  ],
  [
    "missing_text_part",
    "warning",
    [mailWith({ text: null }), mailWith({ text: "\n" })],
    [mailWith(), mailWith({ html: "", text: null })],
  ],
  [
    "image_only",
    "warning",
    [mailWith({ html: `<p>${picture}</p><p style="font-size:0">${"Hidden words. ".repeat(9)}</p>` })],
    [mailWith({ html: `<p>${picture}</p><p>Twenty letters are enough for us.</p>` }), mailWith()],
  ],
  [
    "missing_lang",
    "info",
    [mailWith({ html: "<p>Hello</p>" }), mailWith({ html: '<html lang=" "><p>Hello</p>' })],
    [mailWith(), mailWith({ html: "" })],
  ],
  [
    "missing_charset",
    "info",
    [mailWith({ html: '<html lang="en"><p>Hello' })],
    [
      mailWith(),
      mailWith({ html: '<META http-equiv="Content-Type" content="text/html; charset=utf-8"><p>Hello' }),
    ],
  ],
  [
    "missing_viewport",
    "info",
    [mailWith({ html: '<meta charset="utf-8"><p>Hello' })],
    [mailWith(), mailWith({ html: '<meta NAME=Viewport content="width=device-width"><p>Hello' })],
  ],
  [
    "unresolved_variable",
    "error",
    [mailWith({ unresolved: [{ part: "html", name: "fields.toun" }] })],
    [mailWith({ unresolved: [] })],
  ],
  [
    "leftover_merge_tag",
    "warning",
    [
      mailWith({ subject: "News for {{ first_name }}" }),
      mailWith({ preheader: "{% if x %}" }),
      mailOf("<p>Hi *|FNAME|*</p>"),
      mailOf("<p>Hi %%First Name%%</p>"),
      mailOf('<a href="https://acme.dev/<%= id %>">x</a>'),
      mailWith({ text: `${mailWith().text}{{x}}` }),
    ],
    [
      mailOf("<p>100%% sure, 5*|x|*, {one} {{", "<style>@media screen{a{color:red}}</style>"),
      mailOf("<p>50% off, 20% on top, 10%!</p>"),
    ],
  ],
  [
    "empty_greeting",
    "warning",
    [
      mailOf("<p>Dear ,</p>"),
      mailOf("<p>Hi&nbsp;<b></b>,</p>"),
      mailWith({ subject: ", your order" }),
      mailOf("<p>Hello undefined!</p>"),
      mailWith({ text: `Liebe ,\n${mailWith().text}` }),
    ],
    [mailOf("<p>Dear Ada, hi, hello there, no</p>"), mailOf("<p>Bonjour !</p><p>Delhi , Mumbai</p>")],
  ],
  [
    "empty_link",
    "warning",
    [mailOf("<a>More</a>"), mailOf('<a href="">More</a>'), mailOf('<a href="#">More</a>')],
    [mailOf('<a name="top"></a><a href="#top">Up</a>'), mailOf('<a href="mailto:ada@acme.dev">Write</a>')],
  ],
  [
    "unsafe_link",
    "error",
    [
      mailOf('<a href=" JavaScript:void(0)">More</a>'),
      mailOf('<a href="data:text/html,x">More</a>'),
      mailOf('<a href="https://ada:secret@acme.dev/">More</a>'),
      mailOf('<a href="https://acme.dev/\u202Egnp.exe">More</a>'),
      mailOf('<a href="https://acme.dev/&#13;&#10;Set-Cookie: a">More</a>'),
    ],
    [
      mailOf('<a href="https://acme.dev/@ada?to=b@c.dev">More</a>'),
      mailOf('<a href="mailto:ada@acme.dev">Write</a>'),
    ],
  ],
  [
    "placeholder_link",
    "warning",
    [
      mailOf('<a href="http://">More</a>'),
      mailOf('<a href="https://www.example.com/offer">More</a>'),
      mailOf('<a href="URL">More</a>'),
      mailOf('<a href="http://localhost:3000/">More</a>'),
      mailOf('<a href="https://192.168.1.4/">More</a>'),
    ],
    [
      mailOf('<a href="https://myexample.com/">More</a>'),
      mailWith({
        unsubscribeUrl: "http://localhost:4000/u/1",
        html: htmlWith(
          '<a href="http://localhost:4000/u/1">Out</a><a href="http://localhost:4000/v">View</a>',
        ),
      }),
    ],
  ],
  [
    "relative_link",
    "warning",
    [mailOf('<a href="/offer">More</a>'), mailOf('<a href="www.acme.dev">More</a>')],
    [mailOf('<a href="tel:+44123">Ring</a><a href="https://acme.dev">More</a><a href="#x">Up</a>')],
  ],
  [
    "insecure_link",
    "warning",
    [mailOf('<a href="HTTP://acme.dev/">More</a>')],
    [mailOf('<a href="https://acme.dev/?u=http://acme.dev">More</a>')],
  ],
  [
    "short_link",
    "warning",
    [mailOf('<a href="https://bit.ly/3x">More</a>'), mailOf('<a href="https://www.tinyurl.com/x">More</a>')],
    [mailOf('<a href="https://orbit.ly/3x">More</a>')],
  ],
  [
    "misleading_link",
    "warning",
    [
      mailOf('<a href="https://evil.dev/">https://bank.com/login</a>'),
      mailOf('<a href="https://evil.dev/"> <b>www.bank.co.uk</b> </a>'),
      mailOf('<a href="https://evil.co.uk/">bank.com</a>'),
      mailOf('<a href="https://a.co.uk/">http://b.co.uk</a>'),
    ],
    [
      mailOf('<a href="https://shop.acme.com/x">acme.com</a>'),
      mailOf('<a href="https://acme.dev/">Node.js and readme.md</a>'),
      mailOf('<a href="https://evil.dev/">Our bank.com account</a>'),
      mailOf('<a href="mailto:ada@bank.com">www.bank.com</a>'),
    ],
  ],
  [
    "link_without_text",
    "warning",
    [mailOf('<a href="https://acme.dev/"><img src="https://acme.dev/a.png" alt="" width="9"></a>')],
    [
      mailOf(`<a href="https://acme.dev/">${picture}</a><a href="https://acme.dev" aria-label="Home"></a>`),
      mailOf('<a href="https://acme.dev/">→</a><a href="https://acme.dev/">山</a>'),
    ],
  ],
  [
    "missing_alt",
    "warning",
    [mailOf('<img src="https://acme.dev/a.png" width="9">')],
    [
      mailOf('<img src="https://acme.dev/a.png" width="9" alt="">'),
      mailOf('<img src="https://acme.dev/o.gif" width="1" height="1">'),
    ],
  ],
  [
    "missing_image_width",
    "warning",
    [mailOf('<img src="https://acme.dev/a.png" alt="">')],
    [mailOf('<img src="https://acme.dev/a.png" alt="" style="width:100%">'), mailOf(picture)],
  ],
  [
    "missing_image_source",
    "warning",
    [mailOf('<img alt="" width="9">')],
    [mailOf(picture), mailOf('<img alt="" width="9" src="cid:a@b">')],
  ],
  [
    "unreachable_image",
    "warning",
    [
      mailOf('<img alt="" width="9" src="images/a.png">'),
      mailOf('<img alt="" width="9" src="file:///C:/a.png">'),
    ],
    [mailOf('<img alt="" width="9" src="cid:a@b">'), mailOf(picture)],
  ],
  [
    "insecure_image",
    "warning",
    [mailOf('<img alt="" width="9" src="http://acme.dev/a.png">')],
    [mailOf(picture)],
  ],
  ["many_images", "info", [mailOf(picture.repeat(31))], [mailOf(picture.repeat(30))]],
  [
    "image_heavy",
    "info",
    [mailOf('<img src="https://acme.dev/a.png" alt="" width="600" height="800">')],
    [mailOf(picture), mailOf('<img src="https://acme.dev/a.png" alt="" width="600">')],
  ],
  [
    "low_contrast",
    "warning",
    [
      mailOf('<p style="color:#999;background:#fff">Faint</p>'),
      mailOf('<table bgcolor="black"><tr><td><font color="#333333">Faint</font></td></tr></table>'),
      mailOf('<div style="background-color:rgb(255, 255, 255)"><b style="color:silver">Faint</b></div>'),
    ],
    [
      mailOf('<p style="color:#767676;background:#fff">Clear enough</p>'),
      mailOf('<p style="color:#949494;background:#fff;font-size:24px">Large</p>'),
      mailOf('<p style="color:#fff">Background unknown</p>'),
      mailOf('<p style="color:#fff;background:#fff url(https://acme.dev/a.png)">On a picture</p>'),
      mailOf('<p style="color:#00f;background:#008"><a href="https://acme.dev">The client’s own</a></p>'),
      mailOf('<p style="color:#fff;background:#fff;display:none">Hidden</p>'),
    ],
  ],
  [
    "shouting_subject",
    "warning",
    [mailWith({ subject: "ACT NOW FRIENDS" }), mailWith({ subject: "ПОСЛЕДНИЙ ШАНС" })],
    [mailWith({ subject: "NASA, ESA and me" }), mailWith({ subject: "今週のニュース" })],
  ],
  [
    "many_exclamation_marks",
    "warning",
    [mailWith({ subject: "Now!!" }), mailWith({ subject: "Ha! Ha! Ha!" })],
    [mailWith({ subject: "¡Hola! Apples!" })],
  ],
  [
    "false_reply",
    "warning",
    [mailWith({ subject: "Re: your order" }), mailWith({ subject: "FWD: apples" })],
    [
      mailWith({ subject: "Re: your order", stream: "transactional" }),
      mailWith({ subject: "Reading: apples" }),
    ],
  ],
  [
    "hidden_text",
    "warning",
    [
      mailOf(`<div style="display:none">${"viagra ".repeat(60)}</div>`),
      mailOf(`<i style="FONT-SIZE: 0px">${"viagra ".repeat(60)}</i>`),
      mailOf(`<p hidden>${"viagra ".repeat(60)}`),
      mailOf(`<div style="font-size:0"><b style="font-size:2em">${"viagra ".repeat(60)}</b></div>`),
      mailOf(`<div style="display:none"><b style="font-size:9px">${"viagra ".repeat(60)}</b></div>`),
    ],
    [
      mailOf(
        `<div style="display:none">Apples, pears, and a recipe${"&#847;&zwnj;&nbsp;".repeat(150)}</div>`,
      ),
      mailOf(`<div style="opacity:0.9;font-size:0.9em">${"apples ".repeat(60)}</div>`),
      mailOf(`<div style="font-size:0px"><p style="font-size:16px">${"apples ".repeat(60)}</p></div>`),
      mailOf("", `<title>${"apples ".repeat(60)}</title><style>/*${"apples ".repeat(60)}*/</style>`),
    ],
  ],
  [
    "active_content",
    "warning",
    [
      mailOf("<script>alert(1)</script>"),
      mailOf("<form action='https://acme.dev'></form>"),
      mailOf("<IFRAME src='https://acme.dev'></IFRAME>"),
    ],
    [mailOf("<p>&lt;script&gt;</p><!-- <form> -->")],
  ],
  [
    "executable_attachment",
    "error",
    [mailWith({ attachments: [{ filename: "a.pdf" }, { filename: "Invoice.pdf.EXE . " }] })],
    [mailWith({ attachments: [{ filename: "exe.pdf" }, { filename: "exe" }] })],
  ],
  [
    "unsupported_feature",
    "warning",
    [
      mailOf('<div style="display:flex">x</div>'),
      mailOf("<video></video>"),
      mailOf('<svg><path d="M0 0"/></svg>'),
      mailOf("", "<style>p{width:calc(100% - 2px)}</style>"),
      mailOf('<img src="https://acme.dev/a.webp" alt="" width="9">'),
      mailOf('<img src="data:image/png;base64,AA" alt="" width="9">'),
      mailOf('<p style="color:var(--x)">x</p>'),
    ],
    [
      mailOf("<table><tr><td>x</td></tr></table>"),
      mailOf("<p style=\"font-family:'flex video'\">calc(1)</p><!-- <video> -->"),
      mailOf('<p style="color:#123;padding:1px 2px">x</p>'),
    ],
  ],
];

describe("a mail in order", () => {
  test("has no findings at all", async () => assert.deepEqual(await checkMessage(mailWith()), []));
});

test("docs/content.md lists every check under its severity", () => {
  const page = readFileSync(new URL("../../../docs/content.md", import.meta.url), "utf8");
  const rows = page.matchAll(/^\| (error|warning|info)(?:: [a-z ]+)? \| (`.*) \|$/gm);
  const listed = [...rows].flatMap(([, severity, codes = ""]) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${code} ${severity}`),
  );
  const known = table.map(([code, severity]) => `${code} ${severity}`);
  // This code occurs with both severities, so the page gives it a row of its own.
  const simple = known.filter((one) => !one.startsWith("unsupported_feature"));
  assert.deepEqual(listed.sort(), [...simple, "too_large error"].sort());
});

for (const [code, severity, faulty, sound] of table) {
  describe(code, () => {
    for (const [index, message] of faulty.entries()) {
      test(`is found in mail ${index + 1} that has it`, async () => {
        const found = (await checkMessage(message)).filter((finding) => finding.code === code);
        assert.equal(found[0]?.severity, severity);
        for (const { message: sentence, remedy } of found)
          assert.match(`${sentence} ${remedy}`, /^[\p{L}\d<:@].*\.$/u);
      });
    }
    for (const [index, message] of sound.entries()) {
      test(`isn't found in mail ${index + 1} that only comes close`, async () => {
        assert.ok(!(await codesOf(message)).includes(code));
      });
    }
  });
}

describe("findings", () => {
  test("say where a fault stands, in lines and columns of the source", async () => {
    const html = htmlWith('<p>é &amp; ü</p>\r\n  <img src="https://acme.dev/a.png" width="9">');
    const [found] = (await checkMessage(mailWith({ html }))).filter(({ code }) => code === "missing_alt");
    assert.deepEqual(found?.place, {
      part: "html",
      line: 5,
      column: 3,
      excerpt: '<img src="https://acme.dev/a.png" width="9"> <p><a href="https://mail.acme.dev/u…',
    });
  });

  test("point at the words behind entities and tags", async () => {
    const html = htmlWith("<p>Tom &amp; Jerry</p>\n<p><b>Dear</b>&nbsp;,</p>");
    const [found] = (await checkMessage(mailWith({ html }))).filter(({ code }) => code === "empty_greeting");
    assert.equal(found?.place?.line, 5);
    assert.match(found?.place?.excerpt ?? "", /^Dear/);
  });

  test("show ten of a kind and count the rest", async () => {
    const html = htmlWith('<a href="http://acme.dev/">x</a>'.repeat(5_000));
    const found = (await checkMessage(mailWith({ html }))).filter(({ code }) => code === "insecure_link");
    assert.equal(found.length, 11);
    assert.equal(
      found.reduce((sum, { count }) => sum + count, 0),
      5_000,
    );
    assert.deepEqual(found.at(-1)?.message, "There are 4,990 more of this kind.");
  });

  test("come with the worst first", async () => {
    const message = mailWith({ subject: "", preheader: null, html: htmlWith('<a href="#">x</a>') });
    const severities = (await checkMessage(message)).map(({ severity }) => severity);
    assert.deepEqual(severities, ["error", "warning", "info"]);
  });

  test("name the clients that lack a feature, once for each feature", async () => {
    const html = htmlWith('<div style="display:flex">a</div>'.repeat(3));
    const [found, ...others] = (await checkMessage(mailWith({ html }))).filter(({ message }) =>
      message.startsWith("display:flex"),
    );
    assert.equal(
      found?.message,
      "display:flex isn't supported by Outlook (Windows), GMX: roughly 10 % of readers.",
    );
    assert.deepEqual(others, []);
  });

  test("call a feature that is merely plainer without it information", async () => {
    const found = await checkMessage(mailOf('<p style="border-radius:4px">x</p>'));
    assert.deepEqual(
      found.map(({ code, severity }) => [code, severity]),
      [["unsupported_feature", "info"]],
    );
  });
});

describe("hostile mail", () => {
  // The limit is in processor time, which a busy machine hardly changes. Each case takes 0.3 s at most, and would
  // take minutes if a rule were quadratic.
  const MOST_CPU_MS = 5_000;
  const hostile: Readonly<Record<string, string>> = {
    "unclosed elements and unopened ends": "<b>".repeat(30_000) + "</x>".repeat(30_000),
    "tables in tables": "<table><tr><td style='background:#fff'>".repeat(5_000),
    "openings of merge tags": "{{ %% <% *|".repeat(50_000),
    "openings in a style sheet": `<style>${"a{b:(".repeat(50_000)}`,
    "a style attribute without end": `<p style="${"width:calc(".repeat(50_000)}">`,
    "attributes without end": `<p ${"a=1 ".repeat(50_000)}>`,
    "entities and halves of them": "&amp;&#x;&not".repeat(20_000),
    "signs of a tag": "<".repeat(200_000),
    "exclamation marks": "!".repeat(500_000),
    "blanks in a width": `<img src="a.png" width="1${" ".repeat(50_000)}x">`,
    "a label of many words": `<a href="https://acme.dev">${"a.".repeat(50_000)}</a>`,
  };
  for (const [name, html] of Object.entries(hostile)) {
    test(`is judged in linear time: ${name}`, async () => {
      const before = process.cpuUsage();
      assert.ok((await checkMessage(mailWith({ html }))).length > 0);
      const { user, system } = process.cpuUsage(before);
      assert.ok((user + system) / 1_000 < MOST_CPU_MS);
    });
  }

  test("of more than 1,000,000 characters is refused unread", async () => {
    const found = await checkMessage(mailWith({ html: "<a>".repeat(1_600_000) }));
    assert.deepEqual(
      found.map(({ code, severity }) => [code, severity]),
      [["too_large", "error"]],
    );
  });

  test("of any shape is judged without an exception, and each place stands in its part", async () => {
    const scraps = fc.constantFrom(
      ..."<a href=|<img |>|\"|'|<style>|</style>|{|}|:|;|(|)|/*|<!--|-->|&|&#|\\|\n|\ud800|é|x|<p style=|#|url(".split(
        "|",
      ),
    );
    const html = fc.array(scraps, { maxLength: 40 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(html, anyText, async (body, subject) => {
        for (const { place } of await checkMessage(mailWith({ html: body, subject, text: body }))) {
          const source = place?.part === "subject" ? subject : body;
          const line = place && place.part !== "preheader" ? source.split("\n")[place.line - 1] : "x";
          assert.ok(line !== undefined && (place?.column ?? 1) <= line.length + 1);
        }
      }),
      { numRuns: 150 },
    );
  });
});
