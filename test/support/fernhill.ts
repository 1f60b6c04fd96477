/**
 * The account of a made-up bookshop, as it is after some weeks: readers, campaigns in every state, and opens and clicks that came by
 * the links of the mails. It is made through the API alone, for whoever wants to see pages as they look in use.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { CATALOGUE, EVENING, LETTER } from "./fernhill-mail.ts";
import { until } from "./until.ts";

export type Fernhill = {
  /** The campaigns that people have read, the oldest first. */
  readonly read: readonly string[];
  readonly draft: string;
  /** A campaign to so many that its sending can be watched. */
  readonly large: string;
};
type Service = { readonly baseUrl: string; readonly key: string };
// biome-ignore lint/suspicious/noExplicitAny: whatever the API answers.
type Json = any;

const READERS = 640;
/** So many are enough for a send that can be watched. */
const CATALOGUE_READERS = 9_000;
const BATCH = 1_000;
const FIRST = ["Ada", "Ben", "Chidi", "Dora", "Emre", "Fay", "Grace", "Hari", "Ines", "Jonah", "Kit", "Lena"];
const LAST = ["Marsh", "Nair", "Okoro", "Pell", "Quinn", "Rowe", "Shaw", "Tate", "Usher", "Vane", "Webb"];
const DOMAINS = [
  "gmail.example",
  "outlook.example",
  "posteo.example",
  "icloud.example",
  "btinternet.example",
];
/** People read with these. */
const READ_WITH = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.4.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/151.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6 Mobile/15E148 Safari/604.1",
];
/** Apple's servers fetch the images of every mail ahead. */
const AHEAD = "Mozilla/5.0";
/** Whoever opens a mail within seconds of its acceptance is taken for a machine. */
const UNTIL_READ_MS = 4_000;
const PATIENCE_MS = 240_000;
const DAY_MS = 86_400_000;
/** So many read their mail at once. */
const AT_ONCE = 8;

export async function fillFernhill(service: Service): Promise<Fernhill> {
  const call = caller(service);
  await call("PATCH", "/v1/account", {
    name: "Fernhill Books",
    time_zone: "Europe/London",
    from_name: "Fernhill Books",
    from_email: "letter@fernhill.example",
    postal_address: "4 Manor Square, Otley LS21 3AP",
    tracking: "individual",
    checklist: { dismissed: true },
  });
  const { data: lists } = await call("GET", "/v1/lists");
  const letter = (await call("PATCH", `/v1/lists/${lists[0].id}`, { name: "Letter readers" })).id;
  const catalogue = (await call("POST", "/v1/lists", { name: "Winter catalogue" })).id;
  await addReaders(call, letter, "", READERS);
  await addReaders(call, catalogue, "w.", CATALOGUE_READERS);
  const make = async (name: string, subject: string, mjml: string, list = letter, more: Json = {}) =>
    (await call("POST", "/v1/campaigns", { name, subject, mjml, list_id: list, ...more })).id as string;

  const [older, evening, sent] = [
    await make("Weekly letter no. 210", "A good week for ghosts", LETTER),
    await make("Author evening: Leeds", "Miriam Hale in conversation, 26 November", EVENING),
    await make("Weekly letter no. 211", "The year’s strangest cookbook", LETTER, letter, {
      preview_text: "One recipe, eleven months, and three slim volumes for three pounds",
    }),
  ];
  for (const id of [older, evening, sent]) await send(call, id);
  await readMails(service, call, [older, evening, sent]);

  const next = await make("Weekly letter no. 212", "What we are reading by the fire", LETTER);
  await call("POST", `/v1/campaigns/${next}/schedule`, { send_at: nextFriday() });
  const gift = await make(
    "Gift cards, second try",
    "A present that fits through the letter box",
    EVENING,
    catalogue,
  );
  await call("POST", `/v1/campaigns/${gift}/send`);
  const hasBegun = async () => (await call("GET", `/v1/campaigns/${gift}`)).progress.done > 300;
  await until(hasBegun, PATIENCE_MS);
  await call("POST", `/v1/campaigns/${gift}/cancel`);
  const draft = await make(
    "Booksellers’ ten best of 2026",
    "Ten books, ten booksellers, no algorithm",
    LETTER,
    letter,
    {
      preview_text: "Chosen by people who read them",
    },
  );
  const large = await make(
    "Winter catalogue, all readers",
    "The winter tables are laid, {{ first_name | default: 'reader' }}",
    CATALOGUE,
    catalogue,
  );
  return { read: [older, evening, sent], draft, large };
}

function nextFriday(): string {
  const at = new Date(Date.now() + 2 * DAY_MS);
  while (at.getUTCDay() !== 5) at.setTime(at.getTime() + DAY_MS);
  at.setUTCHours(9, 0, 0, 0);
  return at.toISOString();
}

type Call = (method: string, path: string, body?: unknown) => Promise<Json>;

function caller({ baseUrl, key }: Service): Call {
  return async (method, path, body) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${text}`);
    return JSON.parse(text || "null");
  };
}

/** A few of the addresses are refused or deferred by the sandbox, as they are in life. */
async function addReaders(call: Call, listId: string, prefix: string, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, at) => {
    const [first = "", last = ""] = [FIRST[at % FIRST.length], LAST[(at * 7) % LAST.length]];
    const usual = `${prefix}${first}.${last}.${at}`.toLowerCase();
    // A third have one of a few large providers, and the others any of many.
    const domain =
      at % 3 === 0 ? DOMAINS[(at / 3) % DOMAINS.length] : `${LAST[at % LAST.length]}-${at % 67}.example`;
    // A server that defers is left alone for a while, so that those who are deferred have one of their own.
    const deferred = prefix === "" && at % 61 === 7 && `defer+${at}@slow-post.example`;
    return {
      email: deferred || (at % 97 === 13 ? `bounce+${prefix}${at}@${domain}` : `${usual}@${domain}`),
      list_id: listId,
      first_name: first,
      last_name: last,
      tags: at % 4 === 0 ? ["poetry-club"] : [],
    };
  });
  for (let at = 0; at < count; at += BATCH)
    await call("POST", "/v1/subscribers/batch", { subscribers: people.slice(at, at + BATCH) });
}

async function send(call: Call, id: string): Promise<void> {
  await call("POST", `/v1/campaigns/${id}/send`);
  await until(async () => (await call("GET", `/v1/campaigns/${id}`)).status === "sent", PATIENCE_MS);
}

/** Some open their mail and some click, by the links in it; the newest campaign is read by the most. */
async function readMails(service: Service, call: Call, ids: readonly string[]): Promise<void> {
  const mails: Json[] = [];
  let path = "/v1/sandbox/messages?limit=200";
  for (;;) {
    const { data, next_cursor } = await call("GET", path);
    mails.push(...data);
    if (!next_cursor) break;
    path = `/v1/sandbox/messages?limit=200&cursor=${next_cursor}`;
  }
  await sleep(UNTIL_READ_MS);
  const readers = ids.flatMap((id, nth) =>
    mails
      .filter(({ campaign_id }) => campaign_id === id)
      .map((mail, at) => ({ id: mail.id, at, isOpened: (at * 7919) % 100 < 34 + 6 * nth }))
      .filter(({ at, isOpened }) => isOpened || at % 9 === 0),
  );
  for (let at = 0; at < readers.length; at += AT_ONCE)
    await Promise.all(readers.slice(at, at + AT_ONCE).map((reader) => readMail(service, call, reader)));
  const isCounted = async () => {
    const last = ids.at(-1);
    return (await call("GET", `/v1/campaigns/${last}/stats`)).opens.human_unique > 200;
  };
  await until(isCounted, PATIENCE_MS);
}

type Reader = { readonly id: string; readonly at: number; readonly isOpened: boolean };

/** Who doesn't open it has a machine that does; one in six who open it click. */
async function readMail({ baseUrl }: Service, call: Call, { id, at, isOpened }: Reader): Promise<void> {
  const { html } = await call("GET", `/v1/sandbox/messages/${id}`);
  const paths = (kind: string): string[] =>
    [...html.matchAll(new RegExp(`"https?://[^"/]+(/${kind}/[\\w/-]+)`, "g"))].map(([, path]) => path);
  const agent = isOpened ? (READ_WITH[at % READ_WITH.length] ?? "") : AHEAD;
  const visit = async (path: string | undefined) => {
    const headers = { "user-agent": agent };
    await (await fetch(baseUrl + path, { redirect: "manual", headers })).arrayBuffer();
  };
  await visit(paths("o")[0]);
  const links = paths("c");
  if (isOpened && at % 6 === 0) await visit(links[(at / 6) % links.length]);
}
