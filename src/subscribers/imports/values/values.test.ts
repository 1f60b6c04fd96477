import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenAttributes } from "./attributes.ts";
import { proposeField } from "./field-guess.ts";
import {
  createHistoryReader,
  type HistoryDraft,
  type HistoryFormat,
  NO_HISTORY,
  standingOf,
} from "./history.ts";
import { createStandingReader } from "./standing.ts";
import { readTagCell } from "./tag-cell.ts";

test("tags are divided however the service writes them", () => {
  assert.deepEqual(readTagCell("a, b;c|d"), ["a", "b", "c", "d"]);
  assert.deepEqual(readTagCell('"VIP","Fair, 2019","say ""hi"""'), ["VIP", "Fair, 2019", 'say "hi"']);
  assert.deepEqual(readTagCell('["a","b"]'), ["a", "b"]);
  assert.deepEqual(readTagCell("one, two\nthree"), ["one, two", "three"]);
});

test("statuses are read in several languages, and what the client says goes before", () => {
  const read = createStandingReader({ Cleaned: "active", "my own": "skip" });
  assert.deepEqual(
    [
      "Subscribed",
      "UNSUBSCRIBED",
      "désabonné",
      "hard-bounced",
      "Cleaned",
      "My Own",
      "junk",
      "Non-Subscribed",
      "?",
    ].map(read),
    ["active", "unsubscribed", "unsubscribed", "bounced", "active", "skip", "complained", "skip", undefined],
  );
});

const format: HistoryFormat = {
  standing: "active",
  statusValues: {},
  order: "dmy",
  now: new Date("2026-11-16T00:00:00Z"),
};
type Cell = [Parameters<ReturnType<typeof createHistoryReader>>[1], string];
const readHistory = (cells: readonly Cell[], more: Partial<HistoryFormat> = {}) => {
  const draft: HistoryDraft = { own: undefined, history: NO_HISTORY };
  const faults: string[] = [];
  const read = createHistoryReader({ ...format, ...more });
  for (const [target, text] of cells) read(draft, target, text, (code) => void faults.push(code));
  const { isLeftOut, hasLeft, suppressedFor } = standingOf(draft, { ...format, ...more });
  const words = [isLeftOut && "skip", hasLeft && "left", suppressedFor].filter(Boolean).join(" and ");
  return { standing: words || "active", history: draft.history, faults };
};

test("of several statements about one person each that stands against mail holds", () => {
  assert.equal(
    readHistory([
      ["status", "active"],
      ["is_bounced", "yes"],
      ["is_complained", "0"],
    ]).standing,
    "hard_bounce",
  );
  for (const [cells, wanted] of [
    [["unsubscribed", "is_bounced"], "left and hard_bounce"],
    [["complained", "is_unsubscribed"], "left and complaint"],
    [["blocklisted", "is_bounced"], "left and hard_bounce"],
    [["cleaned", "is_complained"], "complaint"],
    [["pending", "is_unsubscribed"], "left"],
  ] as const)
    assert.equal(
      readHistory([
        ["status", cells[0]],
        [cells[1], "yes"],
      ]).standing,
      wanted,
    );
  const time: Cell = ["unsubscribed_at", "2020-01-01"];
  assert.equal(readHistory([["status", "cleaned"], time]).standing, "left and hard_bounce");
  assert.equal(readHistory([time], { standing: "bounced" }).standing, "left and hard_bounce");
  assert.equal(readHistory([["is_unsubscribed", "no"]]).standing, "active");
  assert.equal(readHistory([["is_suppressed", "2"]]).standing, "left and manual");
  assert.equal(readHistory([["unsubscribed_at", "2020-01-01"]]).standing, "left");
  assert.equal(
    readHistory([
      ["status", "subscribed"],
      ["unsubscribed_at", "2020-01-01"],
    ]).standing,
    "active",
  );
  assert.equal(readHistory([], { standing: "bounced" }).standing, "hard_bounce");
  const left = readHistory([["is_unsubscribed", "2020-01-01 10:00"]]);
  assert.deepEqual(
    [left.standing, left.history.unsubscribedAt?.toISOString()],
    ["left", "2020-01-01T10:00:00.000Z"],
  );
});

test("what can't be read is a fault of its row", () => {
  assert.deepEqual(
    readHistory([
      ["status", "sleeping"],
      ["opted_in_at", "soon"],
      ["opt_in_ip", "300.1.1.1"],
      ["confirm_ip", "2001:db8::zz"],
      ["is_bounced", "perhaps"],
    ]).faults,
    ["unknown_status", "invalid_time", "invalid_ip", "invalid_ip", "invalid_value"],
  );
  const { faults, history } = readHistory([
    ["opt_in_ip", "192.0.2.1"],
    ["confirm_ip", "2001:db8::1"],
    ["opted_in_at", "0000-00-00"],
  ]);
  assert.deepEqual(
    [faults, history.optInIp, history.confirmIp, history.optedInAt],
    [[], "192.0.2.1", "2001:db8::1", null],
  );
});

test("JSON is flattened, and anything else is none", () => {
  assert.deepEqual(
    [...(flattenAttributes('{"a":1,"b":{"c":true,"d":[1,"x",{}]},"e":null,"__proto__":{"f":2}}') ?? [])],
    [
      ["a", "1"],
      ["b.c", "true"],
      ["b.d", "1, x"],
      ["__proto__.f", "2"],
    ],
  );
  for (const text of ["[1]", '"a"', "null", "{", "1"]) assert.equal(flattenAttributes(text), undefined, text);
});

test("a field is proposed with a key that is free and a type that its cells bear out", () => {
  const propose = (heading: string, ...cells: string[]) =>
    proposeField(heading, cells, "dmy", new Set(["company"]));
  assert.deepEqual(propose("Company", "Acme"), { key: "company_2", name: "Company", type: "text" });
  assert.deepEqual(propose("Größe (cm)", "180", "175.5", ""), {
    key: "grosse_cm",
    name: "Größe (cm)",
    type: "number",
  });
  assert.equal(propose("Postcode", "01067", "10115")?.type, "text");
  assert.equal(propose("Telephone", "+441632960000")?.type, "text");
  assert.equal(propose("Birthday", "10/12/1815", "1906-12-09")?.type, "date");
  assert.equal(propose("Likes tea", "yes", "no")?.type, "boolean");
  assert.equal(propose("Empty")?.type, "text");
  assert.equal(propose("住所", "Acme"), undefined);
  assert.equal(propose("123", "Acme"), undefined);
});
