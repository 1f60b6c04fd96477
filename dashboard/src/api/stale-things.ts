/** Which answers an event makes stale, by the first word of its type. Answers are known by the first word of their path. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  account: ["account"],
  subscriber: ["subscribers", "lists", "suppressions", "tags", "stats", "sample_data"],
  topic: ["topics", "subscribers"],
  field: ["fields", "subscribers"],
  list: ["lists", "subscribers", "stats", "sample_data"],
  import: ["imports", "subscribers", "lists", "suppressions", "tags", "stats", "sample_data"],
  bulk_change: ["bulk_changes", "subscribers", "lists", "suppressions", "tags", "stats", "sample_data"],
  campaign: ["campaigns", "sandbox", "sample_data"],
  email: ["emails", "campaigns", "sandbox"],
  domain: ["domains", "deliverability"],
  // A provider that is closed for a transport is told of by an alert.
  alert: ["deliverability", "transports", "sending"],
  dmarc: ["deliverability"],
  dmarc_report: ["deliverability"],
  mail_test: ["deliverability"],
  transport: ["transports", "transport_pools", "sending"],
  transport_pool: ["transports", "transport_pools", "sending"],
};

/** A type whose word isn't listed is about the things of that name: `api_key.created` is about `api_keys`. */
export function thingsOf(type: string): readonly string[] {
  const [word = ""] = type.split(".");
  return ALSO[word] ?? [`${word}s`];
}
