/** The parts of the dashboard's segment builder that need no browser, held against the API's own reader of rules. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import i18next from "i18next";
import { en } from "../../dashboard/src/i18n/en.ts";
import {
  canNest,
  duplicate,
  focusAfterRemoval,
  move,
  remove,
} from "../../dashboard/src/pages/segments/rules/edit-tree.ts";
import { asksForNone, sentenceOf, textOf } from "../../dashboard/src/pages/segments/rules/sentence.ts";
import {
  kindOf,
  OPS,
  type OwnField,
  SUBJECTS,
  shapeOf,
} from "../../dashboard/src/pages/segments/rules/subjects.ts";
import {
  conditionsIn,
  faultsByNode,
  type Group,
  isFinished,
  type Rules,
  readTree,
  writeTree,
} from "../../dashboard/src/pages/segments/rules/tree.ts";
import { STARTS } from "../../dashboard/src/pages/segments/starting-points.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import type { FieldRow } from "../../src/subscribers/fields/fields.ts";
import { BUILT_IN, readRules } from "../../src/subscribers/segments/rules.ts";

const OWN: readonly OwnField[] = [
  { key: "city", name: "City", type: "text" },
  { key: "orders", name: "Orders", type: "number" },
  { key: "member", name: "Member", type: "boolean" },
  { key: "born", name: "Born", type: "date" },
  { key: "site", name: "Site", type: "url" },
];
const rows = OWN.map((field, at) => ({ ...field, id: newId(systemClock), slot: at + 1 }) as FieldRow);
const CAMPAIGN = toPublicId("cmp", newId(systemClock));
const LIST = toPublicId("lst", newId(systemClock));
const FIELDS = [
  ...Object.values(SUBJECTS).flatMap((group) => Object.keys(group)),
  ...OWN.map(({ key }) => `fields.${key}`),
];

/** A value that the API takes for the shape of it that the builder has. */
function valueFor(field: string, op: string): unknown {
  const kind = kindOf(field, OWN);
  if (!kind) throw new Error(`${field} is of no kind`);
  const one = { number: 7, date: "2026-11-14", time: "2026-11-14T09:00:00Z" }[kind as "number"] ?? "some";
  switch (shapeOf(kind, op)) {
    case "none":
      return undefined;
    case "days":
    case "campaigns":
      return 30;
    case "mails":
      return { mails: 5, days: 180 };
    case "between":
      return [one, one];
    case "texts":
      return ["Leeds", "Otley"];
    case "statuses":
      return ["active"];
    case "status":
      return "active";
    case "boolean":
      return true;
    case "dormancy":
      return "warned";
    case "list":
      return LIST;
    case "campaign":
      return CAMPAIGN;
    case "event":
      return { name: "order.placed", days: 30, count: 2, where: { plan: "pro" } };
    case "link":
      return { campaign_id: CAMPAIGN, url: "https://example.com/" };
    default:
      return one;
  }
}

const conditions: Rules[] = FIELDS.flatMap((field) => {
  const kind = kindOf(field, OWN);
  return (kind ? OPS[kind] : []).map((op) => {
    const value = valueFor(field, op);
    return { field, op, ...(value !== undefined && { value }) };
  });
});

const PLAIN = { noNullPrototype: true };
const anyTree = fc.letrec<{ tree: Rules }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(...conditions, { field: "opened", op: "in_last_days", value: 9, machines: true }),
    fc.record({ all: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }) }, PLAIN),
    fc.record({ any: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }) }, PLAIN),
    fc.record({ not: tie("tree") }, PLAIN),
  ),
})).tree;

const everything = (root: Group) => writeTree(root, () => true);
const words = i18next.createInstance();
await words.init({
  lng: "en",
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
});
const say = {
  t: words.t,
  names: { fields: OWN, byId: { [CAMPAIGN]: "May", [LIST]: "Letters" } },
  formatNumber: String,
  formatDay: (day: string) => day,
};
const said = (rules: Rules, list: string | null = null) => textOf(sentenceOf(readTree(rules), list, say));

describe("the builder's knowledge of rules", () => {
  it("has every field and every op of the API, and values that it takes", () => {
    const builtIn = [...Object.keys(BUILT_IN), "sent", "opened", "clicked", "event"].sort();
    assert.deepEqual(FIELDS.filter((one) => !one.startsWith("fields.")).sort(), builtIn);
    for (const rules of conditions)
      assert.ok("rule" in readRules(rules, rows, "/rules"), JSON.stringify(rules));
    for (const field of FIELDS) {
      const read = readRules({ field, op: "?", value: 1 }, rows, "/rules");
      const known = "faults" in read ? read.faults[0]?.detail.replace("must be one of ", "").split(", ") : [];
      const kind = kindOf(field, OWN);
      assert.deepEqual(kind && [...OPS[kind]].sort(), known?.sort(), field);
    }
  });

  it("begins with rules that the API takes", () => {
    for (const rules of Object.values(STARTS)) assert.ok("rule" in readRules(rules, rows, "/rules"));
  });
});

describe("the tree of a builder", () => {
  it("is read and written without loss, whatever the API's tree", () => {
    fc.assert(fc.property(anyTree, (rules) => assert.deepEqual(everything(readTree(rules))?.rules, rules)));
  });

  it("finds each condition by the pointer that a fault has", () => {
    fc.assert(
      fc.property(anyTree, (rules) => {
        const root = readTree(rules);
        const places = everything(root)?.places ?? new Map();
        for (const [pointer, id] of places) {
          const found = faultsByNode([{ pointer: `${pointer}/value/1`, detail: "wrong" }], places);
          assert.deepEqual([...found], [[id, [{ part: "value/1", detail: "wrong" }]]]);
          const at = pointer
            .split("/")
            .slice(2)
            .reduce((node: unknown, key: string) => (node as Rules)[key], rules);
          assert.ok(at !== undefined, pointer);
        }
        assert.ok(conditionsIn(root).every(({ id }) => [...places.values()].includes(id)));
      }),
    );
  });

  it("keeps every condition however rules are moved, and loses only what is removed", () => {
    const idsOf = (root: Group) =>
      conditionsIn(root)
        .map(({ id }) => id)
        .sort();
    fc.assert(
      fc.property(anyTree, fc.nat(), fc.constantFrom(1 as const, -1 as const), (rules, pick, step) => {
        const root = readTree(rules);
        const all = conditionsIn(root);
        const { id } = all[pick % all.length] as { id: string };
        const moved = move(root, id, step);
        assert.deepEqual(idsOf(moved), idsOf(root));
        assert.deepEqual(
          idsOf(remove(root, id)),
          idsOf(root).filter((one) => one !== id),
        );
        assert.equal(conditionsIn(duplicate(root, id)).length, all.length + 1);
        const focus = focusAfterRemoval(root, id);
        assert.notEqual(focus, id);
        const left = remove(root, id);
        assert.ok(focus === root.id || JSON.stringify(left).includes(`"${focus}"`));
      }),
    );
  });

  it("can be walked through by moving down, into groups and out of them", () => {
    const a = { field: "tag", op: "has", value: "a" };
    const b = { field: "tag", op: "has", value: "b" };
    let root = readTree({ all: [a, { any: [b] }] });
    const id = conditionsIn(root)[0]?.id ?? "";
    const seen = [0, 1, 2, 3].map(() => {
      root = move(root, id, 1);
      return everything(root)?.rules;
    });
    assert.deepEqual(seen, [
      { all: [{ any: [a, b] }] },
      { all: [{ any: [b, a] }] },
      { all: [{ any: [b] }, a] },
      { all: [{ any: [b] }, a] },
    ]);
  });

  it("leaves out what isn't finished, and groups of nothing else", () => {
    const rules = {
      all: [{ field: "tag", op: "has" }, { any: [{ field: "fields.orders", op: "between", value: [1] }] }],
    };
    const root = readTree(rules);
    const wanted = writeTree(root, (one) => isFinished(one, one.field === "tag" ? "tag" : "between"));
    assert.deepEqual(wanted?.rules, {
      all: [{ any: [{ field: "fields.orders", op: "between", value: [1] }] }],
    });
    assert.equal(
      writeTree(root, () => false),
      undefined,
    );
  });

  it("nests as deep as the API reads", () => {
    let rules: Rules = { all: [{ field: "tag", op: "has", value: "x" }] };
    for (let depth = 2; "rule" in readRules({ any: [rules] }, rows, "/rules"); depth++) {
      const root = readTree(rules);
      assert.ok(canNest(root, root.id), `a group fits into ${depth}`);
      rules = { any: [rules] };
    }
    let innermost = readTree(rules);
    const root = innermost;
    while (innermost.members[0]?.kind === "group") innermost = innermost.members[0];
    assert.equal(canNest(root, innermost.id), false);
  });
});

describe("a sentence", () => {
  it("says every condition in words of its own", () => {
    const all = conditions.map((rules) => said(rules));
    for (const sentence of all) assert.doesNotMatch(sentence, /sentence\.|\{\{|undefined|NaN|\[object/);
    // A number of a field is the same number whatever it is of, so only the text differs.
    assert.equal(new Set(all).size, conditions.length);
  });

  it("says groups, opposites and three answers", () => {
    const rules = {
      all: [
        { field: "status", op: "is", value: "active" },
        {
          any: [
            { field: "tag", op: "has", value: "vip" },
            { field: "opened", op: "in_last_days", value: 30 },
          ],
        },
        { not: { field: "list", op: "is", value: LIST } },
        { field: "clicked", op: "none_of_last", value: 1 },
      ],
    };
    assert.equal(
      said(rules, "Weekly"),
      "Everybody on “Weekly” whose status is active and (who has the tag “vip” or who opened any mail in the last 30 days) " +
        "and who is not one who is also on the list “Letters” and who is known not to have clicked in the last campaign.",
    );
    assert.equal(
      said({
        not: {
          any: [
            { field: "tag", op: "has", value: "a" },
            { field: "fields.orders", op: "at_least", value: 2 },
          ],
        },
      }),
      "Everybody who is not one (who has the tag “a” or whose “Orders” is at least 2).",
    );
  });

  it("shows what somebody typed as it is", () => {
    const tag = "<b>{{t}}$t(do.save)</b>";
    assert.equal(said({ field: "tag", op: "has", value: tag }), `Everybody who has the tag “${tag}”.`);
    assert.match(said({ field: "fields.gone", op: "is", value: 1 }), /field that is gone/);
    assert.match(said({ field: "sent", op: "campaign", value: "cmp_gone" }), /a campaign that is gone/);
  });

  it("knows which rules leave out those of whom nobody can know", () => {
    const opened = { field: "opened", op: "in_last_days", value: 9 };
    const quiet = { ...opened, op: "not_in_last_days" };
    const asks = (rules: Rules) => asksForNone(readTree(rules));
    assert.deepEqual([opened, quiet, { not: opened }, { not: quiet }, { not: { not: opened } }].map(asks), [
      false,
      true,
      true,
      false,
      false,
    ]);
  });
});
