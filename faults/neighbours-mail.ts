/** These neighbours send hostile mail, or have hostile servers. */
import { startSink } from "../test/support/sink/sink.ts";
import { exactly } from "./fault.ts";
import type { Neighbour } from "./shared-instance.ts";

const SETTLED = ["sent", "paused", "failed"];
const SOON_MS = 1_000;
const SETTLED_WITHIN_MS = 120_000;

/**
 * This makes 24 captures that double and 900 searches through the last. It does so for some people only, so that a
 * preview shows nothing.
 */
const DOUBLING = [
  "{% capture a %}0123456789{% endcapture %}",
  ...Array.from({ length: 24 }, () => "{% capture a %}{{ a }}{{ a }}{% endcapture %}"),
  ...Array.from({ length: 900 }, () => '{% if a contains "x" %}!{% endif %}'),
].join("");
const HOSTILE_HTML = `<p>Hello</p>{% if first_name == "boom" %}${DOUBLING}{% endif %}`;

export const hostileTemplate: Neighbour = {
  name: "a hostile template",
  async begin(instance) {
    const account = await instance.addAccount();
    const people = Array.from({ length: 200 }, (_, n) => ({
      email: `person${n}@hostile${n % 10}.example`,
      first_name: n % 20 === 0 ? "boom" : "Ada",
    }));
    const listId = await account.addList(people);
    const id = await account.makeCampaign(listId, { html: HOSTILE_HTML });
    await account.must("POST", `/campaigns/${id}/send`);
    return async () => {
      const { status } = await account.comesTo(id, SETTLED, SETTLED_WITHIN_MS);
      const { data } = await account.must("GET", `/campaigns/${id}/recipients?status=failed&limit=200`);
      const stats = await account.must("GET", `/campaigns/${id}/stats`);
      const unrenderable = data.filter(({ reason }: { reason: string }) => reason === "unrenderable").length;
      return [
        exactly("a hostile template: its own rows that can't be rendered", unrenderable, 10, "rows", [
          `the campaign is ${status}; ${stats.sent} of its ${stats.recipients} were sent`,
        ]),
      ];
    };
  },
};

/**
 * These are refusals as servers word them, most without an enhanced status code. Each is given to everybody on a
 * list.
 */
const REFUSALS = [
  "550 relay not permitted",
  "550 Relaying denied",
  "554 Relay access denied",
  "550 5.7.1 Unable to relay",
  "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
  "550 Access denied - Invalid HELO name",
  "554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
  "550 You must authenticate before sending mail",
  "550 Sender verify failed",
  "550 Your message was blocked because the sending address has a poor reputation",
];
const REFUSED_EACH = 60;

export const refusingRelay: Neighbour = {
  name: "a relay that refuses us in ten wordings",
  async begin(instance) {
    const account = await instance.addAccount();
    const sink = await startSink();
    await sink.misbehave(
      REFUSALS.map((reply, n) => ({ at: "rcpt", to: `@refused${n}\\.example$`, reply }) as const),
    );
    const transport = { name: "It refuses", host: "127.0.0.1", port: sink.port, tls: "never" };
    await account.must("POST", "/transports", { ...transport, streams: ["campaign"] });
    const ids = await Promise.all(
      REFUSALS.map(async (_, n) => {
        const people = Array.from({ length: REFUSED_EACH }, (_none, m) => `person${m}@refused${n}.example`);
        return account.makeCampaign(await account.addList(people));
      }),
    );
    for (const id of ids) await account.must("POST", `/campaigns/${id}/send`);
    return async () => {
      const name = "a relay that refuses us";
      const ended = await Promise.all(ids.map((id) => account.comesTo(id, SETTLED, SETTLED_WITHIN_MS)));
      const paused = ended.filter(({ pause_reason }) => pause_reason === "transport_rejected");
      const suppressions = await account.must("GET", "/suppressions?include_total=true");
      const bounced = await account.must("GET", "/subscribers?status=bounced&include_total=true");
      await sink.misbehave([]);
      for (const { id } of paused) await account.must("POST", `/campaigns/${id}/resume`);
      const resumed = await Promise.all(ids.map((id) => account.comesTo(id, ["sent"], SETTLED_WITHIN_MS)));
      const { taken } = await sink.count();
      await sink.stop();
      const words = ended.map(({ status, pause_reason }, n) => `${REFUSALS[n]}: ${pause_reason ?? status}`);
      return [
        exactly(`${name}: suppressed`, suppressions.total, 0, "addresses"),
        exactly(`${name}: bounced`, bounced.total, 0, "subscribers"),
        exactly(`${name}: paused`, paused.length, REFUSALS.length, "campaigns", words),
        exactly(`${name}: sent once it was mended`, taken, REFUSALS.length * REFUSED_EACH, "mails", [
          `${resumed.filter(({ status }) => status === "sent").length} campaigns came to their end`,
        ]),
      ];
    };
  },
};

const TARPIT = "@tarpit\\.example$";

/**
 * The mail to this domain goes through the server that all accounts use, which passes on how slowly the domain
 * answers.
 */
export const tarpit: Neighbour = {
  name: "a tarpit",
  async begin(instance) {
    const account = await instance.addAccount();
    const listId = await account.addList(
      Array.from({ length: 1_500 }, (_, n) => `person${n}@tarpit.example`),
    );
    await instance.misbehave(
      (["rcpt", "data", "dot"] as const).map((at) => ({ at, to: TARPIT, delayMs: 3_000 })),
    );
    const id = await account.makeCampaign(listId);
    await account.must("POST", `/campaigns/${id}/send`);
    return async () => {
      await account.ask("POST", `/campaigns/${id}/cancel`);
      const { queued, recipients } = await account.must("GET", `/campaigns/${id}/stats`);
      return [exactly("a tarpit: planned", recipients, 1_500, "rows", [`${queued} were still to be sent`])];
    };
  },
};

/** Sends a campaign, which failed because nobody on its list could be mailed, again to another list. */
export const anotherAudience: Neighbour = {
  name: "a relaunch with another audience",
  async begin(instance) {
    const account = await instance.addAccount();
    const former = Array.from({ length: 50 }, (_, n) => `person${n}@former.example`);
    const latter = Array.from({ length: 40 }, (_, n) => `person${n}@latter.example`);
    for (const email of former) await account.must("POST", "/suppressions", { email, reason: "manual" });
    const id = await account.makeCampaign(await account.addList(former));
    // An immediate send would be refused: only a schedule may find that nobody is left.
    const send_at = new Date(Date.now() + SOON_MS).toISOString();
    await account.must("POST", `/campaigns/${id}/schedule`, { send_at });
    const first = await account.comesTo(id, SETTLED, SETTLED_WITHIN_MS);
    await account.must("PATCH", `/campaigns/${id}`, { list_id: await account.addList(latter) });
    await account.must("POST", `/campaigns/${id}/send`);
    return async () => {
      const { status } = await account.comesTo(id, SETTLED, SETTLED_WITHIN_MS);
      const { recipients, skipped, sent } = await account.must("GET", `/campaigns/${id}/stats`);
      const { bodies } = await instance.sink.log();
      const to = (pattern: RegExp) => bodies.filter((body) => body.taken && pattern.test(body.to)).length;
      const name = "a relaunch with another audience";
      return [
        exactly(`${name}: mails to the former one`, to(/@former\.example$/), 0, "mails"),
        exactly(`${name}: mails to the latter one`, to(/@latter\.example$/), latter.length, "mails", [
          `${first.status} (${first.status_reason}) at first, then ${status}`,
        ]),
        exactly(`${name}: rows in its numbers`, recipients, latter.length, "rows", [
          `${sent} sent, ${skipped.total} skipped`,
        ]),
      ];
    };
  },
};
