/** This file recognises the exports of other services by their headings, and says what each column means. It is pure. */
import { type DateOrder, plainHeading, type Standing } from "../values/values.ts";
import type { Target } from "./headings.ts";

export const PRESETS = [
  "postrider",
  "mailchimp",
  "listmonk",
  "brevo",
  "mautic",
  "mailerlite",
  "kit",
] as const;
export type PresetId = (typeof PRESETS)[number];

export const FILE_KINDS = ["subscribed", "unsubscribed", "cleaned", "non_subscribed"] as const;
type FileKind = (typeof FILE_KINDS)[number];

type Preset = {
  readonly name: string;
  /** The headings are in their plain form: lower case, letters and digits alone. */
  readonly isOf: (has: Has) => boolean;
  /** Plain heading → target. A heading that isn't here is guessed like any other. */
  readonly columns: Readonly<Record<string, Target>>;
  /** These headings are the service's own bookkeeping, and nobody wants a custom field of them. */
  readonly clutter: string;
  readonly order: DateOrder;
  readonly warning?: (has: Has) => string | undefined;
};

export type Recognised = {
  readonly id: PresetId;
  readonly name: string;
  readonly kind: FileKind | null;
  /** What everybody in the file is who has no status of their own. */
  readonly standing: Standing;
  readonly order: DateOrder;
  readonly targetOf: (heading: string) => Target | "ignore" | undefined;
  readonly warning: string | undefined;
};

/** Says how many of these headings the file has. */
type Has = (headings: string) => number;

const RECOGNISERS: Readonly<Record<PresetId, Preset>> = {
  postrider: {
    name: "Postrider",
    isOf: (has) => has("email, first_name, status, tags, tracking_consent, source, created_at") === 7,
    columns: { status: "status", source: "opt_in_source", createdat: "opted_in_at" },
    clutter: "",
    order: "dmy",
  },
  mailchimp: {
    name: "Mailchimp",
    isOf: (has) =>
      has("email address, email") > 0 &&
      has(
        "member_rating, optin_time, optin_ip, confirm_time, confirm_ip, last_changed, leid, euid, gmtoff, dstoff",
      ) >= 4,
    columns: {
      emailaddress: "email",
      email: "email",
      firstname: "first_name",
      fname: "first_name",
      lastname: "last_name",
      lname: "last_name",
      status: "status",
      optintime: "opted_in_at",
      optinip: "opt_in_ip",
      source: "opt_in_source",
      confirmtime: "confirmed_at",
      confirmip: "confirm_ip",
      timezone: "time_zone",
      language: "locale",
      tags: "tags",
      unsubtime: "unsubscribed_at",
      unsubreason: "unsubscribe_reason",
    },
    clutter: `member_rating, latitude, longitude, gmtoff, dstoff, cc, region, last_changed, leid, euid, clean_time,
      clean_campaign_title, clean_campaign_id, unsub_campaign_title, unsub_campaign_id, unsub_reason_other`,
    order: "mdy",
  },
  listmonk: {
    name: "listmonk",
    isOf: (has) => has("uuid, email, name, attributes, status, created_at, updated_at") === 7,
    columns: {
      email: "email",
      name: "full_name",
      attributes: "attributes",
      status: "status",
      createdat: "opted_in_at",
    },
    clutter: "uuid, updated_at, id",
    order: "dmy",
    warning: () =>
      "listmonk's file says who is blocklisted, but not who left a list: export those who unsubscribed there as well, and import " +
      "that file with `default_status` unsubscribed.",
  },
  brevo: {
    name: "Brevo",
    isOf: (has) =>
      has("email") === 1 &&
      (has("added_time, modified_time") === 2 || has("double_opt-in, opt_in, sms, contact id, ext_id") >= 2),
    columns: {
      email: "email",
      firstname: "first_name",
      prenom: "first_name",
      vorname: "first_name",
      lastname: "last_name",
      nom: "last_name",
      nachname: "last_name",
      addedtime: "opted_in_at",
      emailblacklisted: "is_suppressed",
      emailblocklisted: "is_suppressed",
      blacklisted: "is_suppressed",
      blocklisted: "is_suppressed",
      emailmarketing: "status",
      emailmarketingstatus: "status",
    },
    clutter:
      "modified_time, contact id, ext_id, list_ids, opt_in, double_opt-in, sms_blacklisted, sms_blocklisted, sms_marketing",
    order: "dmy",
    warning: (has) =>
      has(
        "email_blacklisted, email_blocklisted, blacklisted, blocklisted, email_marketing, email_marketing_status",
      ) > 0
        ? undefined
        : "This file doesn't say who is blocklisted: export blocklisted contacts as a file of their own, and import that with " +
          "`default_status` suppressed.",
  },
  mautic: {
    name: "Mautic",
    isOf: (has) =>
      has("email, firstname, lastname, points") === 4 &&
      has(
        "id, owner, ownername, stage, lastactive, dateidentified, dateadded, attribution, preferred_locale, mobile",
      ) >= 2,
    columns: {
      email: "email",
      firstname: "first_name",
      lastname: "last_name",
      preferredlocale: "locale",
      timezone: "time_zone",
      dateadded: "opted_in_at",
      dateidentified: "opted_in_at",
      ipaddress: "opt_in_ip",
      tags: "tags",
      dnc: "is_unsubscribed",
      donotcontact: "is_unsubscribed",
      unsubscribed: "is_unsubscribed",
      bounced: "is_bounced",
    },
    clutter: `id, owner, owner_id, ownername, stage, last_active, points, date_modified, attribution, attribution_date, is_published,
      created_by, created_by_user, modified_by, modified_by_user, generated_color`,
    order: "dmy",
    warning: (has) =>
      has("dnc, donotcontact, do not contact, unsubscribed") > 0
        ? undefined
        : "Mautic's export of contacts doesn't say who is on Do Not Contact: make a report with that column, and import it too.",
  },
  mailerlite: {
    name: "MailerLite",
    isOf: (has) =>
      has("subscriber") === 1 &&
      has("sent, opens, opened, clicks, clicked, subscribed, location, open rate, click rate") >= 3,
    columns: {
      subscriber: "email",
      name: "first_name",
      lastname: "last_name",
      status: "status",
      type: "status",
      subscribed: "opted_in_at",
      subscribedat: "opted_in_at",
      optintime: "opted_in_at",
      signuptime: "opted_in_at",
      ip: "opt_in_ip",
      ipaddress: "opt_in_ip",
      optinip: "opt_in_ip",
      signupip: "opt_in_ip",
      source: "opt_in_source",
      confirmationtime: "confirmed_at",
      confirmationip: "confirm_ip",
      unsubscribed: "unsubscribed_at",
      unsubscribedat: "unsubscribed_at",
      groups: "tags",
    },
    clutter:
      "sent, opens, opened, clicks, clicked, open rate, click rate, location, last opened, updated, date updated",
    order: "mdy",
  },
  kit: {
    name: "Kit",
    isOf: (has) =>
      has("email, email_address") > 0 &&
      has("first_name, created_at") === 2 &&
      has("status, state") === 1 &&
      has("state, id, subscriber_id, tags, referrer, utm_source") > 0,
    columns: {
      email: "email",
      emailaddress: "email",
      firstname: "first_name",
      lastname: "last_name",
      status: "status",
      state: "status",
      createdat: "opted_in_at",
      tags: "tags",
      referrer: "opt_in_source",
    },
    clutter: "id, utm_source, utm_medium, utm_campaign, utm_term, utm_content, source_type, source_name",
    order: "mdy",
  },
};

/** The first that fits, in the order from the most peculiar headings to the plainest. */
export function recognise(headings: readonly string[], fileName: string): Recognised | undefined {
  const present = new Set(headings.map(plainHeading));
  const has: Has = (list) => listed(list).filter((heading) => present.has(heading)).length;
  const id = PRESETS.find((one) => RECOGNISERS[one].isOf(has));
  if (!id) return undefined;
  const preset = RECOGNISERS[id];
  const clutter = new Set(listed(preset.clutter));
  const kind = id === "mailchimp" ? kindOfMailchimp(has, fileName) : null;
  return {
    id,
    name: preset.name,
    kind,
    standing: kind === null ? "active" : STANDING_OF_KIND[kind],
    order: preset.order,
    targetOf(heading) {
      const plain = plainHeading(heading);
      return preset.columns[plain] ?? (clutter.has(plain) ? "ignore" : undefined);
    },
    warning: preset.warning?.(has),
  };
}

const STANDING_OF_KIND: Readonly<Record<FileKind, Standing>> = {
  subscribed: "active",
  unsubscribed: "unsubscribed",
  cleaned: "bounced",
  non_subscribed: "skip",
};

/** Mailchimp's archive has a file for each kind of contact, and often nothing but its name and its last columns tell which. */
function kindOfMailchimp(has: Has, fileName: string): FileKind {
  const name = /(?:^|[^a-z])(non-?_?subscribed|unsubscribed|subscribed|cleaned)(?:[^a-z]|$)/i
    .exec(fileName)?.[1]
    ?.toLowerCase();
  if (name?.startsWith("non")) return "non_subscribed";
  if (name) return name as FileKind;
  if (has("clean_time, clean_campaign_title, clean_campaign_id") > 0) return "cleaned";
  return has("unsub_time, unsub_reason, unsub_campaign_title") > 0 ? "unsubscribed" : "subscribed";
}

function listed(headings: string): string[] {
  return headings.split(",").map(plainHeading).filter(Boolean);
}
