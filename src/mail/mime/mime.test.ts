import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import PostalMime from "postal-mime";
import {
  expectedView,
  type FileView,
  type MessageView,
  randomMessage,
} from "../../../test/support/messages.ts";
import { type CompiledMessage, compileMessage, composeMessage, joinMessage, type Pieces } from "./mime.ts";

const runs = { numRuns: 120 };

test("postal-mime reads back what was put in", () =>
  fc.assert(
    fc.asyncProperty(randomMessage, async (message) => {
      const read = await readByPostal(joinMessage(compileMessage(message.template), message.copy));
      const expected = expectedView(message);
      // This parser counts the line break before a boundary as part of the text, so the other one checks how a text ends.
      const trim = (text: string | null) => text?.replaceAll("\r\n", "\n").replace(/\n+$/, "") || null;
      assert.deepEqual(
        { ...read, text: trim(read.text), html: trim(read.html) },
        { ...expected, text: trim(expected.text), html: trim(expected.html) },
      );
    }),
    runs,
  ));

test("libmime, on the headers that mailauth finds, reads back what was put in", () =>
  fc.assert(
    fc.property(randomMessage, (message) => {
      const bytes = joinMessage(compileMessage(message.template), message.copy);
      assert.deepEqual(readByLibmime(bytes), expectedView(message));
    }),
    runs,
  ));

test("a copy reads as if its values had stood in the template", () =>
  fc.assert(
    fc.property(randomMessage, ({ template, copy }) => {
      const fill = (pieces: Pieces | undefined) =>
        typeof pieces === "object"
          ? pieces
              .map((piece) => (typeof piece === "object" ? (copy.values[piece.slot] ?? "") : piece))
              .join("")
          : pieces;
      const { text, html, ...others } = template;
      const filled = {
        ...others,
        ...copy,
        subject: fill(template.subject) ?? "",
        ...(text !== undefined && { text: fill(text) ?? "" }),
        ...(html !== undefined && { html: fill(html) ?? "" }),
      };
      const joined = joinMessage(compileMessage(template), copy);
      assert.deepEqual(readByLibmime(joined), readByLibmime(composeMessage(filled)));
    }),
    runs,
  ));

test("all lines are ASCII that nobody has a reason to touch, and the same input gives the same", () =>
  fc.assert(
    fc.property(randomMessage, ({ template, copy }) => {
      const compiled: CompiledMessage = compileMessage(template);
      const bytes = joinMessage(compiled, copy);
      const [, ...lines] = `\r\n${bytes.toString()}`.split("\r\n");
      assert.equal(lines.pop(), "");
      for (const line of lines) {
        // A long line is allowed only where it holds one long word.
        assert.ok(
          line.length <= 76 || /^ [^ ]{76,200}$/.test(line) || /^From: [^ ]+$|^To: [^ ]+$/.test(line),
          line,
        );
        assert.match(line.replaceAll("jürgen@müller", ""), /^(?!\.|From )(?:[\t -~]*[!-~])?$/);
      }
      assert.ok(joinMessage(compiled, copy).equals(bytes));
      assert.ok(joinMessage(compileMessage(template), copy).equals(bytes));
    }),
    runs,
  ));

async function readByPostal(bytes: Buffer): Promise<MessageView> {
  const read = await PostalMime.parse(bytes, { attachmentEncoding: "base64" });
  const mailboxes = (list: unknown) =>
    (list as { name: string; address: string }[]).map(({ name, address }) => ({ name, address }));
  return {
    subject: read.subject ?? "",
    from: mailboxes([read.from]),
    to: mailboxes(read.to),
    text: read.text ?? null,
    html: read.html ?? null,
    files: read.attachments.map((one) => ({
      filename: one.filename,
      contentType: one.mimeType,
      disposition: one.disposition ?? "",
      contentId: one.contentId ?? null,
      content: String(one.content),
    })),
  };
}

const load = createRequire(import.meta.resolve("mailauth"));
type Parameters = { value: string; params: Record<string, string> };
const { parseHeaders }: { parseHeaders: (head: Buffer) => { parsed: { key: string; line: Buffer }[] } } =
  load("./tools.js");
const libmime: { decodeWords: (text: string) => string; parseHeaderValue: (text: string) => Parameters } =
  load("libmime");
const libqp: { decode: (text: string) => Buffer } = createRequire(load.resolve("libmime"))("libqp");

type Leaf = { type: string; disposition: Parameters; contentId: string | null; content: Buffer };

function readByLibmime(bytes: Buffer): MessageView {
  const { fields, leaves } = readEntity(bytes);
  const textOf = (type: string) => {
    const leaf = leaves.find((one) => one.type === type && one.disposition.value === "");
    return leaf ? leaf.content.toString().replaceAll("\r\n", "\n") : null;
  };
  const files = leaves.filter(({ disposition }) => disposition.value !== "");
  return {
    subject: libmime.decodeWords(fields.get("subject") ?? ""),
    from: readMailboxes(fields.get("from") ?? ""),
    to: readMailboxes(fields.get("to") ?? ""),
    text: textOf("text/plain"),
    html: textOf("text/html"),
    files: files.map(
      ({ type, disposition, contentId, content }): FileView => ({
        filename: disposition.params["filename"] ?? null,
        contentType: type,
        disposition: disposition.value,
        contentId,
        content: content.toString("base64"),
      }),
    ),
  };
}

function readEntity(entity: Buffer): { fields: Map<string, string>; leaves: Leaf[] } {
  const end = entity.indexOf("\r\n\r\n");
  const { parsed } = parseHeaders(entity.subarray(0, end));
  const fields = new Map(
    parsed.map(({ key, line }) => [
      key,
      line
        .toString()
        .slice(key.length + 1)
        .replaceAll("\r\n", "")
        .trim(),
    ]),
  );
  const body = entity.subarray(end + 4);
  const { value: type, params } = libmime.parseHeaderValue(fields.get("content-type") ?? "");
  if (type.startsWith("multipart/")) {
    const [, ...parts] = `\r\n${body.toString("latin1")}`.split(`\r\n--${params["boundary"]}`);
    assert.equal(parts.pop()?.trim(), "--");
    return {
      fields,
      leaves: parts.flatMap((part) => readEntity(Buffer.from(part.slice(2), "latin1")).leaves),
    };
  }
  const content = decode(body, fields.get("content-transfer-encoding"));
  const disposition = libmime.parseHeaderValue(fields.get("content-disposition") ?? "");
  return { fields, leaves: [{ type, disposition, contentId: fields.get("content-id") ?? null, content }] };
}

function decode(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64");
  return encoding === "quoted-printable" ? libqp.decode(body.toString("latin1")) : body;
}

function readMailboxes(value: string): MessageView["from"] {
  const pattern = /\s*(?:"((?:\\.|[^"])*)"|([^<,]*?))\s*<([^>]*)>,?|([^\s,]+),?/g;
  return [...value.matchAll(pattern)].map(([, quoted, phrase, address, bare]) => ({
    name: quoted?.replace(/\\(.)/g, "$1") ?? libmime.decodeWords(phrase?.trim() ?? ""),
    address: address ?? bare ?? "",
  }));
}
