import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hasPrivateLink } from "./private-links.ts";

const TOKEN = "Ab3_-".repeat(30);
const LINKS = [
  `https://mail.example/setup#prl_${TOKEN.slice(0, 40)}`,
  `https://mail.example/confirm/${TOKEN.slice(0, 108)}`,
  `https://mail.example/p/link/${TOKEN.slice(0, 64)}`,
];

/** Breaks every line after 40 characters, as quoted-printable does after 76. */
const quoted = (text: string) =>
  text.replaceAll("=", "=3D").replaceAll("#", "=23").replace(/.{40}/g, "$&=\r\n");
/** Breaks every line after 30 characters, as programs do that know no soft line breaks. */
const wrapped = (text: string, mark = "") => text.replace(/.{30}/g, `$&\r\n${mark}`);
const encoded = (text: string) => Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");

describe("a link that is for its recipient alone", () => {
  for (const link of LINKS) {
    const mail = `Subject: hello\r\n\r\n${"Dear Ada, ".repeat(20)}\r\nopen ${link}\r\n`;
    const forms = {
      plain: mail,
      "in quoted-printable": quoted(mail),
      "in base64": `Content-Transfer-Encoding: base64\r\n\r\n${encoded(mail)}\r\n\r\nmore`,
      "in base64 in base64": `report\r\n\r\n${encoded(`again\r\n\r\n${encoded(mail)}\r\n`)}\r\n`,
      "in lines that are broken": wrapped(mail),
      "in lines that are broken and quoted": wrapped(mail, "> > "),
      "in broken lines in base64": `report\r\n\r\n${encoded(wrapped(mail))}\r\n`,
      "in broken lines in quoted-printable": quoted(wrapped(mail)),
      "in an address of another": mail.replaceAll("/", "%2F"),
      "in JSON": JSON.stringify({ mail }).replaceAll("/", "\\/"),
    };
    for (const [form, text] of Object.entries(forms))
      test(`${link.slice(20, 30)} is found ${form}`, () => {
        assert.equal(hasPrivateLink(Buffer.from(text)), true);
      });
  }

  test("isn't found in other mail, however large", () => {
    const plain = `https://mail.example/confirm/short https://mail.example/c/${TOKEN}\r\n`;
    assert.equal(hasPrivateLink(Buffer.from(plain.repeat(1_000))), false);
    assert.equal(hasPrivateLink(Buffer.from(`${"A".repeat(76)}\r\n`.repeat(120_000))), false);
    for (const filling of ["A", " ", "\n", "= ", "> "])
      assert.equal(hasPrivateLink(Buffer.alloc(10_000_000, filling)), false);
  });
});
