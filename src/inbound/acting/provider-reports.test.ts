import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../platform/db/db.ts";
import { comeBack, createActingBench, type Mail } from "./acting.fixture.ts";

describe("reports in which a mailbox provider asks for less", () => {
  let made: Awaited<ReturnType<typeof createActingBench>>;
  before(async () => {
    made = await createActingBench();
  });
  after(() => made.bench.stop());

  let people = 0;
  const mailsTo = (domain: string, count: number) =>
    made.addMails(Array.from({ length: count }, () => `p${++people}@${domain}`));
  const report = { status: "4.7.0", diagnostic: "smtp; 421 4.7.0 [TSS04] deferred, p@yahoo.com" };
  const closings = () =>
    made.bench.db.many<{ account_id: string; provider: string; told_by: string; reply: string }>(sql`
      select account_id, provider, told_by, reply from provider_closings order by provider`);

  test("the third mail that says so closes the provider for the account, and the same mail counts once", async () => {
    const [one, two, three] = (await mailsTo("yahoo.com", 3)) as [Mail, Mail, Mail];
    await made.act([comeBack(one, "delay", { report }), comeBack(one, "delay", { report })]);
    await made.act([comeBack(one, "block", { report }), comeBack(two, "delay", { report })]);
    assert.deepEqual(await closings(), []);
    await made.act([comeBack(three, "soft", { report })]);
    assert.deepEqual(await closings(), [
      {
        account_id: made.bench.accountId,
        provider: "yahoo",
        told_by: "report",
        reply: "smtp; 421 4.7.0 [TSS04] deferred, (address)",
      },
    ]);
  });

  test("words of one provider in reports about another's mailboxes, and unproven ones, close nothing", async () => {
    const others = await mailsTo("elsewhere.example", 4);
    await made.act(others.map((mail) => comeBack(mail, "block", { report })));
    const microsoft = await mailsTo("outlook.com", 4);
    await made.act(microsoft.map((mail) => comeBack(mail, "block", { report })));
    const unproven = await mailsTo("gmail.com", 4);
    const rate = { status: "4.7.28", diagnostic: "421 4.7.28 unusual rate of unsolicited mail" };
    await made.act(
      unproven.map((mail) =>
        comeBack(mail, "block", {
          item: { channel: "mailbox", addressed: null },
          report: {
            ...rate,
            clues: {
              named: null,
              token: null,
              providerId: null,
              messageId: `<${mail.sourceId.replaceAll("-", "")}.${mail.contactId.replaceAll("-", "")}@example.org>`,
            },
          },
        }),
      ),
    );
    assert.deepEqual(
      (await closings()).map(({ provider }) => provider),
      ["yahoo"],
    );
  });
});
