/** Transactional mails with payloads in whatever they have, and in the mouth of the server. */
import { recipientIdOf } from "../../src/emails/mail-ids.ts";
import { sql } from "../../src/platform/db/db.ts";
import type { TestApp } from "./app.ts";
import { sendEmail, untilStatus } from "./emails.ts";
import { uuidOf } from "./subscribers.ts";
import { ONE_LINE, PAYLOADS, pack } from "./xss-payloads.ts";

/** A line of a mail's header takes no control characters, and none that change the direction of writing. */
const FIT = ONE_LINE.map((text) => text.toWellFormed()).filter(
  (text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text),
);

/** Returns the id of one with payloads in every field. */
export async function sendHostileMails(app: TestApp): Promise<string> {
  const subjects = pack(FIT, 900);
  const names = pack(
    FIT.filter((text) => !/["\\]/.test(text)),
    60,
  );
  const tags = pack(FIT, 50).slice(0, 10);
  const values = pack(FIT, 500).slice(0, 10);
  for (const [n, subject] of subjects.entries())
    await sendEmail(app, { to: [`mail${n}@example.com`], subject, text: `${n}` });
  const keys = pack(
    FIT.filter((text) => !text.includes("]")),
    40,
  );
  const { id } = await sendEmail(app, {
    from: `"${names[0]}" <news@letters.example>`,
    to: ["hostile-mail@example.com"],
    subject: subjects[0],
    html: PAYLOADS.join("\n").toWellFormed(),
    text: PAYLOADS.join("\n").toWellFormed(),
    tags,
    metadata: Object.fromEntries(values.map((value, n) => [keys[n] ?? `key${n}`, value])),
  });
  await untilStatus(app, id, "sent");
  const reply = pack(PAYLOADS, 400)[0] ?? "";
  const mail = uuidOf("msg", String(id));
  await app.db.execute(sql`
    update deliveries set reply = ${reply}, code = 250
    where account_id = ${uuidOf("acc", app.accountId)} and contact_id = ${recipientIdOf(mail, 0)}`);
  return String(id);
}
