import assert from "node:assert/strict";
import { test } from "node:test";
import { findFormat, parseSample } from "./format.ts";
import { guessColumns } from "./guessing.ts";
import { recognise } from "./presets.ts";

/** These are the headings of each service's files, with a row as it writes them. */
const EXPORTS = {
  postrider: {
    head: "email,first_name,last_name,status,tags,locale,time_zone,tracking_consent,source,created_at,fields.city",
    row: "a@example.org,Ada,,active,,en,,true,api,2026-01-01T00:00:00.000Z,Leeds",
    wanted: { status: "status", source: "opt_in_source", created_at: "opted_in_at" },
  },
  mailchimp: {
    head: "Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LAST_CHANGED,LEID,EUID,NOTES,TAGS",
    row: 'a@example.org,Ada,,2,,,2015-03-16 14:40:47,192.0.2.1,2015-03-16 14:40:47,1,2,,"""x"",""y"""',
    wanted: { "Email Address": "email", CONFIRM_TIME: "confirmed_at", OPTIN_IP: "opt_in_ip", TAGS: "tags" },
  },
  brevo: {
    head: "EMAIL;LASTNAME;FIRSTNAME;SMS;EMAIL_BLACKLISTED;SMS_BLACKLISTED;ADDED_TIME;MODIFIED_TIME;OPT_IN;DOUBLE_OPT-IN",
    row: "a@example.org;Lovelace;Ada;441632960000;Yes;No;12-04-2022 09:30;13-04-2022 10:00;Yes;",
    wanted: {
      EMAIL: "email",
      EMAIL_BLACKLISTED: "is_suppressed",
      SMS_BLACKLISTED: "ignore",
      ADDED_TIME: "opted_in_at",
      FIRSTNAME: "first_name",
    },
  },
  kit: {
    head: "id,first_name,email,state,created_at,tags,referrer",
    row: '1,Ada,a@example.org,cancelled,2022-09-10T11:12:13Z,"x, y",https://example.org',
    wanted: { email: "email", state: "status", created_at: "opted_in_at", tags: "tags", id: "ignore" },
  },
  mailerlite: {
    head: "Subscriber,Name,Last name,Status,Sent,Opens,Clicks,Subscribed,Unsubscribed,Location,IP,Groups",
    row: "a@example.org,Ada,Lovelace,active,3,2,1,2023-01-02 03:04:05,,GB,192.0.2.1,News",
    wanted: {
      Subscriber: "email",
      Status: "status",
      Subscribed: "opted_in_at",
      Unsubscribed: "unsubscribed_at",
      IP: "opt_in_ip",
      Groups: "tags",
      Name: "first_name",
    },
  },
  listmonk: {
    head: "uuid,email,name,attributes,status,created_at,updated_at",
    row: "u,a@example.org,Ada Lovelace,{},enabled,2020-02-03 04:05:06.7 +0000 UTC,2020-02-03 04:05:06 +0000 UTC",
    wanted: { name: "full_name", attributes: "attributes", status: "status", created_at: "opted_in_at" },
  },
  mautic: {
    head: "id,email,firstname,lastname,points,stage,last_active,date_added,preferred_locale,dnc,bounced",
    row: "1,a@example.org,Ada,Lovelace,3,,2024-01-02 03:04:05,2020-01-02 03:04:05,en_GB,1,0",
    wanted: {
      email: "email",
      date_added: "opted_in_at",
      preferred_locale: "locale",
      dnc: "is_unsubscribed",
      bounced: "is_bounced",
      points: "ignore",
    },
  },
} as const;

for (const [id, { head, row, wanted }] of Object.entries(EXPORTS)) {
  test(`an export of ${id} is recognised, and its columns are known`, () => {
    const bytes = Buffer.from(`\uFEFF${head}\n${row}\n`);
    const format = findFormat(bytes, {});
    const records = parseSample(bytes.subarray(format.skipBytes), format.delimiter, true);
    const facts = { target: "subscribers", fileName: "a.csv", now: new Date("2026-11-16") } as const;
    const { recognised, columns } = guessColumns(records, format, [], facts);
    assert.equal(recognised?.id, id);
    const found = Object.fromEntries(columns.map(({ name, target }) => [name, target]));
    assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name]])), wanted);
  });
}

test("anybody's own file is nobody's export", () => {
  for (const head of [
    "email,name",
    "email,first_name,last_name,status",
    "email,state,city",
    "Subscriber,Name",
  ])
    assert.equal(recognise(head.split(","), "people.csv"), undefined, head);
});

test("Mailchimp's file says by its name or its columns who is in it", () => {
  const head = EXPORTS.mailchimp.head.split(",");
  const kind = (name: string, ...more: string[]) => recognise([...head, ...more], name)?.kind;
  assert.equal(kind("export.csv"), "subscribed");
  assert.equal(kind("export.csv", "UNSUB_TIME"), "unsubscribed");
  assert.equal(kind("export.csv", "CLEAN_TIME", "CLEAN_CAMPAIGN_TITLE"), "cleaned");
  assert.equal(kind("unsubscribed_email_audience_export_1.csv"), "unsubscribed");
  assert.equal(kind("cleaned_email_audience_export_1.csv"), "cleaned");
  assert.equal(kind("nonsubscribed_email_audience_export_1.csv"), "non_subscribed");
  assert.equal(recognise(head, "nonsubscribed_x.csv")?.standing, "skip");
});
