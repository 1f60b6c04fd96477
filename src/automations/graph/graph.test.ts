import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../platform/clock.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import type { FieldRow } from "../../subscribers/subscribers.ts";
import { readGraph, waysOf } from "./graph.ts";

const field = (key: string, type: string) => ({ id: newId(systemClock), key, type }) as unknown as FieldRow;
const fields = [field("renews_on", "date"), field("plan", "text"), field("seats", "number")];
const listId = toPublicId("lst", newId(systemClock));
const campaignId = toPublicId("cmp", newId(systemClock));
const segmentId = toPublicId("seg", newId(systemClock));
const userId = toPublicId("usr", newId(systemClock));

// biome-ignore lint/suspicious/noExplicitAny: tests break parts of it in many ways
type Loose = any;

/** A graph without faults, in which every type of step stands. */
const good = (): Loose => ({
  format: 1,
  start: "hello",
  entry: {
    on: [{ type: "list_joined" }, { type: "tag_added", tag: "vip" }],
    filter: { field: "status", op: "is", value: "active" },
    reentry: { mode: "after", days: 90 },
  },
  exit: [
    { event: "order.placed", as: "goal" },
    { rule: { field: "tag", op: "has", value: "customer" } },
    { leaves_segment_id: segmentId },
    { on: { type: "email_clicked", node: "hello" }, as: "goal" },
  ],
  send: {
    window: { from: "09:00", to: "18:00" },
    quiet: { from: "12:00", to: "13:00" },
    weekdays: ["mon", "tue"],
  },
  nodes: {
    hello: { type: "email", title: "Hello", subject: "Hello", mjml: "<mjml></mjml>", next: "two-days" },
    "two-days": { type: "wait", for: "P2D", at: "09:00", weekdays: ["mon", "tue"], next: "date" },
    date: {
      type: "wait",
      until: { field: "fields.renews_on", offset_days: -3 },
      at: "09:00",
      next: "clicked",
    },
    clicked: {
      type: "wait_for",
      on: [
        { type: "email_clicked", node: "hello" },
        { type: "event", name: "cart.left", where: { total: 10 } },
      ],
      timeout: "P3D",
      // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
      then: "split",
      else: "branch",
    },
    branch: {
      type: "branch",
      ways: [{ if: { field: "fields.plan", op: "is", value: "pro" }, next: "tag" }],
      else: "out",
    },
    split: {
      type: "split",
      ways: [
        { percent: 33.3, next: "tag" },
        { percent: 66.7, next: "end" },
      ],
    },
    tag: { type: "tag", add: ["engaged"], remove: ["new"], next: "field" },
    field: { type: "field", field: "fields.seats", value: 3, next: "list" },
    list: { type: "list", action: "copy", list_id: listId, next: "hook" },
    hook: { type: "webhook", url: "https://example.com/hook", next: "notify" },
    notify: { type: "notify", to: [userId], subject: "Look", text: "Somebody came.", next: "goal" },
    goal: { type: "goal", name: "Came", next: "end" },
    out: { type: "unsubscribe" },
    end: { type: "end" },
  },
});

function faultsOf(change: (graph: Loose) => void): string[] {
  const graph = good();
  change(graph);
  return readGraph(graph, fields, "/draft").faults.map(({ pointer, code }) => `${pointer} ${code}`);
}

describe("a graph", () => {
  test("without faults is read whole, with what it names", () => {
    const read = readGraph(good(), fields, "/draft");
    assert.deepEqual(read.faults, []);
    assert.equal(read.graph?.nodes.size, 14);
    assert.deepEqual(read.mentions.map(({ kind, pointer }) => `${kind} ${pointer}`).sort(), [
      "list /draft/nodes/list/list_id",
      "segment /draft/exit/2/leaves_segment_id",
      "user /draft/nodes/notify/to/0",
    ]);
    const split = read.graph?.nodes.get("split");
    assert.deepEqual(split && waysOf(split).map(({ way, to }) => [way, to]), [
      ["0", "tag"],
      ["1", "end"],
    ]);
  });

  test("names every fault at once", () => {
    const faults = faultsOf((graph) => {
      graph.format = 2;
      graph.nodes.hello.next = "nowhere";
      graph.nodes.split.ways[0].percent = 33.2;
      graph.nodes.field.field = "fields.gone";
    });
    assert.deepEqual(faults.sort(), [
      "/draft/format invalid_value",
      "/draft/nodes/field/field unknown_field",
      "/draft/nodes/hello/next unknown_node",
      "/draft/nodes/split/ways percent_sum",
    ]);
  });

  test("that is no object, or has nothing in it, says so", () => {
    for (const bad of [null, [], "graph", 1, undefined])
      assert.deepEqual(
        readGraph(bad, fields, "/draft").faults.map(({ code }) => code),
        ["invalid_type"],
      );
    assert.deepEqual(
      readGraph({}, fields, "").faults.map(({ pointer, code }) => `${pointer} ${code}`),
      ["/format invalid_value", "/start required", "/entry required", "/nodes required"],
    );
  });
});

describe("ways", () => {
  test("that lead nowhere, and a start that isn't there", () => {
    assert.deepEqual(
      faultsOf((graph) => {
        graph.start = "nobody";
        graph.nodes.branch.ways[0].next = "nowhere";
        graph.nodes.clicked.on[0].node = "nothing";
      }),
      [
        "/draft/nodes/branch/ways/0/next unknown_node",
        "/draft/start unknown_node",
        "/draft/nodes/clicked/on/0/node unknown_node",
      ],
    );
  });

  test("that lead past a step", () => {
    assert.deepEqual(
      faultsOf((graph) => {
        graph.nodes.goal.next = "end";
        graph.nodes.lonely = { type: "tag", add: ["a"], next: "end" };
      }),
      ["/draft/nodes/lonely unreachable"],
    );
  });

  test("that go round need a wait of an hour: in the circle, not beside it", () => {
    const circle = (wait: Loose) => (graph: Loose) => {
      graph.nodes.goal.next = "pause";
      graph.nodes.pause = { type: "wait", ...wait, next: "tag" };
    };
    const isFast = (wait: Loose) => faultsOf(circle(wait)).some((one) => one.endsWith("cycle_without_wait"));
    for (const slow of [{ for: "PT1H" }, { for: "P1D" }, { at: "09:00" }]) assert.ok(!isFast(slow));
    for (const fast of [
      { for: "PT59M" },
      { weekdays: ["mon"] },
      { until: { field: "fields.renews_on" }, at: "09:00" },
    ])
      assert.ok(isFast(fast), JSON.stringify(fast));
    assert.deepEqual(
      faultsOf((graph) => {
        graph.nodes.tag.next = "tag";
        graph.nodes.branch.ways[0].next = "field";
      }),
      ["/draft/nodes/tag cycle_without_wait"],
    );
  });

  test("of a thousand circles are followed to their end", () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [
        `n${at}`,
        {
          type: "branch",
          ways: Array.from({ length: 10 }, (_, way) => ({
            if: { field: "tag", op: "has", value: "a" },
            next: `n${(at + way + 1) % 100}`,
          })),
          else: "n0",
        },
      ]),
    );
    const { faults } = readGraph(
      { format: 1, start: "n0", entry: { on: [{ type: "manual" }] }, nodes },
      fields,
      "",
    );
    assert.ok(faults.length > 0 && faults.every(({ code }) => code === "cycle_without_wait"));
  });
});

describe("a part", () => {
  const cases: readonly [what: string, fault: string, change: (graph: Loose) => void][] = [
    [
      "101 steps",
      "/draft/nodes too_many",
      (graph) => {
        for (let at = 0; at < 101; at++) graph.nodes[`n${at}`] = { type: "end" };
      },
    ],
    [
      "a step's bad name",
      "/draft/nodes/a b invalid_name",
      (graph) => {
        graph.nodes["a b"] = { type: "end" };
      },
    ],
    [
      "an unknown type",
      "/draft/nodes/tag/type invalid_value",
      (graph) => {
        graph.nodes.tag.type = "sms";
      },
    ],
    [
      "an unknown part",
      "/draft/nodes/end/next unknown_field",
      (graph) => {
        graph.nodes.end.next = "hello";
      },
    ],
    [
      "an empty wait",
      "/draft/nodes/two-days required",
      (graph) => {
        graph.nodes["two-days"] = { type: "wait", next: "date" };
      },
    ],
    [
      "a wait of nothing",
      "/draft/nodes/two-days/for invalid_duration",
      (graph) => {
        graph.nodes["two-days"].for = "P0D";
      },
    ],
    [
      "a wait over a year",
      "/draft/nodes/two-days/for invalid_duration",
      (graph) => {
        graph.nodes["two-days"].for = "P400D";
      },
    ],
    [
      "a bad hour",
      "/draft/nodes/two-days/at invalid_value",
      (graph) => {
        graph.nodes["two-days"].at = "25:00";
      },
    ],
    [
      "a bad weekday",
      "/draft/nodes/two-days/weekdays invalid_value",
      (graph) => {
        graph.nodes["two-days"].weekdays = ["monday"];
      },
    ],
    [
      "a date that is no date",
      "/draft/nodes/date/until/field invalid_value",
      (graph) => {
        graph.nodes.date.until.field = "fields.plan";
      },
    ],
    [
      "a date without an hour",
      "/draft/nodes/date/at required",
      (graph) => {
        delete graph.nodes.date.at;
      },
    ],
    [
      "percents of 99.9",
      "/draft/nodes/split/ways percent_sum",
      (graph) => {
        graph.nodes.split.ways[1].percent = 66.6;
      },
    ],
    [
      "percents too fine",
      "/draft/nodes/split/ways/0/percent invalid_value",
      (graph) => {
        graph.nodes.split.ways[0].percent = 33.33;
      },
    ],
    [
      "two contents",
      "/draft/nodes/hello/mjml invalid_value",
      (graph) => {
        graph.nodes.hello.html = "<p></p>";
      },
    ],
    [
      "no content",
      "/draft/nodes/hello required",
      (graph) => {
        delete graph.nodes.hello.mjml;
      },
    ],
    [
      "no subject",
      "/draft/nodes/hello/subject required",
      (graph) => {
        delete graph.nodes.hello.subject;
      },
    ],
    [
      "a hook that is no address",
      "/draft/nodes/hook/url invalid_url",
      (graph) => {
        graph.nodes.hook.url = "ftp://example.com";
      },
    ],
    [
      "a list that is no id",
      "/draft/nodes/list/list_id unknown_list",
      (graph) => {
        graph.nodes.list.list_id = "lst_1";
      },
    ],
    [
      "a user that is no id",
      "/draft/nodes/notify/to/0 unknown_user",
      (graph) => {
        graph.nodes.notify.to = ["somebody@example.com"];
      },
    ],
    [
      "a value of another type",
      "/draft/nodes/field/value invalid_value",
      (graph) => {
        graph.nodes.field.value = "three";
      },
    ],
    [
      "a date that isn't one",
      "/draft/nodes/field/value invalid_value",
      (graph) => {
        graph.nodes.field = { ...graph.nodes.field, field: "fields.renews_on", value: "2026-02-30" };
      },
    ],
    [
      "a time zone that isn't one",
      "/draft/nodes/field/value invalid_value",
      (graph) => {
        graph.nodes.field = { ...graph.nodes.field, field: "time_zone", value: "Nope/Zone" };
      },
    ],
    [
      "a language that isn't one",
      "/draft/nodes/field/value invalid_value",
      (graph) => {
        graph.nodes.field = { ...graph.nodes.field, field: "locale", value: "\u0007zz" };
      },
    ],
    [
      "a name that is too long",
      "/draft/nodes/field/value invalid_value",
      (graph) => {
        graph.nodes.field = { ...graph.nodes.field, field: "first_name", value: "x".repeat(1_000) };
      },
    ],
    [
      "11 triggers",
      "/draft/entry/on too_many",
      (graph) => {
        graph.entry.on = Array.from({ length: 11 }, () => ({ type: "manual" }));
      },
    ],
    [
      "no trigger",
      "/draft/entry/on too_few",
      (graph) => {
        graph.entry.on = [];
      },
    ],
    [
      "an unknown trigger",
      "/draft/entry/on/0/type invalid_value",
      (graph) => {
        graph.entry.on[0].type = "moon";
      },
    ],
    [
      "a date trigger without an hour",
      "/draft/entry/on/0/at required",
      (graph) => {
        graph.entry.on[0] = { type: "date", field: "fields.renews_on", repeat: "yearly" };
      },
    ],
    [
      "a key where people join lists",
      "/draft/entry/key invalid_value",
      (graph) => {
        graph.entry.key = "cart_id";
      },
    ],
    [
      "a bad rule",
      "/draft/entry/filter/field unknown_field",
      (graph) => {
        graph.entry.filter.field = "fields.none";
      },
    ],
    [
      "an event's bad name",
      "/draft/exit/0/event invalid_value",
      (graph) => {
        graph.exit[0].event = "order placed";
      },
    ],
    [
      "an exit by two things",
      "/draft/exit/0 required",
      (graph) => {
        graph.exit[0].leaves_segment_id = segmentId;
      },
    ],
    [
      "an exit by a mail and an event",
      "/draft/exit/3 required",
      (graph) => {
        graph.exit[3].event = "order.placed";
      },
    ],
    [
      "an exit by the mail of a step that sends none",
      "/draft/exit/3/on/node unknown_node",
      (graph) => {
        graph.exit[3].on.node = "tag";
      },
    ],
    [
      "an exit by the mails of a step and of a campaign",
      "/draft/exit/3/on/node invalid_value",
      (graph) => {
        graph.exit[3].on.campaign_id = campaignId;
      },
    ],
    [
      "an exit by another trigger than a mail's",
      "/draft/exit/3/on/type invalid_value",
      (graph) => {
        graph.exit[3].on = { type: "tag_added", tag: "vip" };
      },
    ],
    [
      "an exit by a mail in which it names properties",
      "/draft/exit/3/where invalid_value",
      (graph) => {
        graph.exit[3].where = { total: 10 };
      },
    ],
    [
      "hours in which nothing leaves",
      "/draft/send never_sends",
      (graph) => {
        graph.send.quiet = { from: "08:00", to: "19:00" };
      },
    ],
    [
      "a wait that listens to a date",
      "/draft/nodes/clicked/on/0/type invalid_value",
      (graph) => {
        graph.nodes.clicked.on[0] = { type: "date" };
      },
    ],
  ];
  for (const [what, fault, change] of cases)
    test(`with ${what} is a fault at its place`, () => {
      assert.ok(faultsOf(change).includes(fault), `${faultsOf(change).join(", ")} lacks ${fault}`);
    });

  test("nested a thousand deep is refused, and nothing is thrown", () => {
    let deep: Loose = { field: "status", op: "is", value: "active" };
    for (let at = 0; at < 1_000; at++) deep = { not: deep };
    const faults = faultsOf((graph) => {
      graph.entry.filter = deep;
    });
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? "", /too_deep$/);
  });
});
