/** Data for who goes through every page of the dashboard: each is made once, by whoever comes first. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

export type Visit = {
  page: Page;
  baseUrl: string;
  /** The link of the first start; a second visitor signs in as the owner whom the first one made. */
  setupLink: string;
  key: string;
  password: string;
};

export type Look = (name: string) => Promise<void>;

/** What has broken pages before: long, right-to-left, and what looks like markup. */
const AWKWARD = [
  {
    email: "priya.nair@posteo.example",
    first_name: "Priya",
    last_name: "Nair",
    tags: ["letter", "winter-2025", "poetry-club"],
  },
  {
    email: "long@example.com",
    first_name: "N".repeat(100),
    last_name: "M".repeat(100),
    tags: ["t".repeat(64)],
  },
  { email: "rtl@example.com", first_name: "محمد", last_name: "العربي 🐎", tags: ["🐎"] },
  { email: "markup@example.com", first_name: "<script>alert(1)</script>", last_name: "javascript:alert(1)" },
];

export function caller({ baseUrl, key }: Visit) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return JSON.parse((await answer.text()) || "null");
  };
}

/** Makes a segment with rules of many kinds, once; returns its id. */
export async function makeSegment(visit: Visit): Promise<string> {
  const call = caller(visit);
  const { data } = await call("GET", "/v1/segments");
  if (data.length > 0) return data[0].id;
  const rules = {
    all: [
      { field: "fields.orders", op: "at_least", value: 2 },
      { field: "opened", op: "not_in_last_days", value: 60 },
      {
        any: [
          { field: "fields.city", op: "one_of", value: ["Leeds", "Otley", "Ilkley"] },
          { not: { field: "tag", op: "has", value: "t".repeat(64) } },
          { field: "created_at", op: "between", value: ["2026-01-01", "2026-11-14"] },
        ],
      },
      { field: "status", op: "one_of", value: ["active", "pending"] },
    ],
  };
  return (await call("POST", "/v1/segments", { name: "Keen readers near Leeds", rules })).id;
}

/** Puts data into the account, once; returns the id of one subscriber. */
export async function fill(visit: Visit): Promise<string> {
  const call = caller(visit);
  const found = await call("GET", `/v1/subscribers/search?email=${AWKWARD[0]?.email}`);
  if (found.data.length > 0) return found.data[0].id;
  const { data: lists } = await call("GET", "/v1/lists");
  await call("POST", "/v1/lists", {
    name: "A list with quite a long name ".repeat(6).trim(),
    double_opt_in: true,
  });
  await call("POST", "/v1/fields", { key: "city", name: "City", type: "text" });
  await call("POST", "/v1/fields", { key: "orders", name: "Orders", type: "number" });
  await call("POST", "/v1/topics", { name: "New books", description: "What came in, every Friday." });
  await call("POST", "/v1/topics", { name: "Evenings in the shop ".repeat(4).trim(), default: false });
  const ids: string[] = [];
  for (const person of AWKWARD) {
    const made = await call("POST", "/v1/subscribers", {
      ...person,
      list_id: lists[0].id,
      fields: { city: "Otley", orders: 7 },
      consent: { attested: true, source: "shop", wording: "Send me the weekly letter." },
    });
    assert.ok(made.id, JSON.stringify(made));
    ids.push(made.id);
  }
  for (let n = 0; n < 60; n++) {
    await call("POST", "/v1/subscribers", {
      email: `reader-${n}@example.com`,
      list_id: lists[0].id,
      tags: ["letter"],
    });
  }
  const campaign = await call("POST", "/v1/campaigns", {
    name: "Winter catalogue, early readers",
    list_id: lists[0].id,
    subject: "{{ first_name | default: 'Reader' }}, before the shop opens its doors",
    html: "<h1>The winter catalogue is yours first</h1><p>Dear {{ first_name }}, the shop opens on Thursday.</p>",
  });
  await call("POST", `/v1/campaigns/${campaign.id}/test`, { to: [AWKWARD[0]?.email] });
  await call("POST", "/v1/suppressions", { email: "nobody@example.com" });
  await call("POST", "/v1/invitations", { email: "somebody@fernhill.example", name: "Ben ".repeat(20) });
  await call("POST", "/v1/transports", { name: "Our relay", host: "smtp.example.com" });
  await call("POST", "/v1/domains", { name: "fernhill.example", return_path: "bounce.fernhill.example" });
  await call("POST", "/v1/api_keys", { name: "Shop", scopes: ["subscribers:read", "subscribers:write"] });
  return ids[0] ?? "";
}
