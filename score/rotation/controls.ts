/**
 * Shows that the receiving server would have told: a mail that was altered on its way, and one by a key that is gone from the DNS by
 * now, must not pass.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createSmtpPool } from "../../src/mail/smtp/smtp.ts";
import type { Receiver } from "../servers/receiver.ts";
import { readStoredMail } from "./verdict.ts";

export const CONTROL_DOMAIN = "controls.example";

type Controls = { readonly count: number; readonly total: number; readonly details: readonly string[] };

/** `gone` are the selectors of keys whose records were removed. */
export async function sendControls(receiver: Receiver, gone: readonly string[]): Promise<Controls> {
  const stored = receiver.inbox().map((path) => readFileSync(path, "latin1"));
  const isOld = (text: string) => readStoredMail(text).selectors.some((one) => gone.includes(one));
  const [old, recent] = [stored.find(isOld), stored.find((text) => !isOld(text))];
  if (!old || !recent) return { count: 0, total: 2, details: ["there are no mails for the controls"] };
  const controls = new Map([
    [`altered@${CONTROL_DOMAIN}`, asSent(recent).replace("News for you", "Olds for you")],
    [`removed-key@${CONTROL_DOMAIN}`, asSent(old)],
  ]);
  const pool = createSmtpPool({ host: "127.0.0.1", port: receiver.port, maxConnections: 1 });
  for (const [to, text] of controls) {
    // From another address, so that SPF proves nothing for the sender either.
    const envelope = { from: `somebody@${CONTROL_DOMAIN}`, to: [to] };
    await pool.send({ envelope, body: Buffer.from(text, "latin1") });
  }
  await pool.drain();
  const isThere = () => receiver.inbox().length >= stored.length + controls.size && receiver.isQuiet();
  for (let attempt = 0; attempt < 100 && !isThere(); attempt++) await sleep(100);
  const judged = receiver
    .inbox()
    .map((path) => readStoredMail(readFileSync(path, "latin1")))
    .filter(({ to }) => controls.has(to));
  const refused = judged.filter(({ dkim, dmarc }) => !dkim.includes("pass") && dmarc.join() === "fail");
  return {
    count: refused.length,
    total: controls.size,
    details: judged.map(
      ({ to, dkim, dmarc }) => `control ${to}: dkim ${dkim.join(", ")}, dmarc ${dmarc.join(", ")}`,
    ),
  };
}

/** Returns a stored mail as it was sent: without the fields that the receiving server put before it. */
function asSent(stored: string): string {
  const own =
    /^(?:Return-Path|X-Original-To|Delivered-To|Received|Authentication-Results|DMARC-Filter|DKIM-Filter|Received-SPF):/i;
  const end = stored.indexOf("\n\n");
  const fields = stored.slice(0, end).split(/\n(?![ \t])/);
  const lines = `${fields.filter((field) => !own.test(field)).join("\n")}${stored.slice(end)}`;
  return lines.replaceAll("\n", "\r\n");
}
