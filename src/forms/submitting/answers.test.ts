import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FieldRow } from "../../subscribers/subscribers.ts";
import type { AskedField } from "../open-form.ts";
import { readAnswers } from "./answers.ts";

const now = new Date(0);
const custom = (key: string, type: FieldRow["type"], isRequired = false): AskedField => ({
  name: `fields.${key}`,
  label: null,
  isRequired,
  custom: { account_id: "", id: key, slot: 1, key, name: key, type, created_at: now, updated_at: now },
});
const plain = (name: string, isRequired = false): AskedField => ({
  name,
  label: null,
  isRequired,
  custom: undefined,
});
const EMAIL = plain("email", true);
const read = (fields: readonly AskedField[], sent: Record<string, string>) =>
  readAnswers(
    [EMAIL, ...fields],
    false,
    new Map(Object.entries({ email: "ada@example.com", "agree-to-mail": "yes", ...sent })),
  );
const faultsOf = (fields: readonly AskedField[], sent: Record<string, string>) =>
  Object.fromEntries(read(fields, sent).faults ?? []);

describe("what is filled in", () => {
  const table: [type: FieldRow["type"], text: string, value: unknown][] = [
    ["text", " Acme ", "Acme"],
    ["number", "3.5", 3.5],
    ["number", "3,5", 3.5],
    ["date", "2026-11-14", "2026-11-14"],
    ["url", "https://example.com/a", "https://example.com/a"],
    ["boolean", "yes", true],
    ["boolean", "", false],
    ["boolean", "off", false],
  ];
  for (const [type, text, value] of table) {
    it(`as a ${type} ${JSON.stringify(text)} is ${JSON.stringify(value)}`, () => {
      const { answers } = read([custom("x", type)], { "fields.x": text }) as { answers: { fields: object } };
      assert.deepEqual(answers.fields, { x: value });
    });
  }

  it("and left empty is nothing, where it isn't required", () => {
    const { answers } = read([custom("x", "number"), plain("first_name")], { "fields.x": "  " }) as {
      answers: { fields: object; firstName: string | null };
    };
    assert.deepEqual([answers.fields, answers.firstName], [{}, null]);
  });

  const wrong: [AskedField, text: string, kind: string][] = [
    [custom("x", "number"), "many", "number"],
    [custom("x", "number"), "Infinity", "number"],
    [custom("x", "date"), "2026-02-30", "date"],
    [custom("x", "url"), "javascript:alert(1)", "url"],
    [custom("x", "text", true), " ", "required"],
    [custom("x", "boolean", true), "", "required"],
    [custom("x", "text"), "a".repeat(1_001), "long"],
    [plain("first_name"), "a".repeat(201), "long"],
    [plain("last_name"), "a\r\nb", "character"],
    [plain("last_name"), "\uD800", "character"],
  ];
  for (const [field, text, kind] of wrong) {
    it(`for ${field.name} as ${JSON.stringify(text.slice(0, 20))} is refused: ${kind}`, () => {
      assert.deepEqual(faultsOf([field], { [field.name]: text }), { [field.name]: kind });
    });
  }

  it("says of an address whether only its end is missing", () => {
    assert.deepEqual(faultsOf([], { email: "ada@posteo" }), { email: "noTop" });
    assert.deepEqual(faultsOf([], { email: "ada" }), { email: "email" });
    assert.deepEqual(faultsOf([], { email: "" }), { email: "required" });
  });

  it("is nothing without the box for mail, and tracking is asked about only where it is", () => {
    assert.deepEqual(faultsOf([], { "agree-to-mail": "" }), { "agree-to-mail": "agree" });
    const sent = new Map([
      ["email", "ada@example.com"],
      ["agree-to-mail", "on"],
      ["agree-to-tracking", "yes"],
    ]);
    const answer = (asks: boolean) =>
      (readAnswers([EMAIL], asks, sent) as { answers: { tracking: unknown } }).answers.tracking;
    assert.deepEqual([answer(true), answer(false)], [true, null]);
  });
});
