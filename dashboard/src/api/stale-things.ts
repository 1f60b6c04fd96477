/** Which answers an event makes stale, by the first word of its type. Answers are known by the first word of their path. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  account: ["account"],
  subscriber: ["subscribers", "lists", "suppressions", "tags", "stats"],
  field: ["fields", "subscribers"],
  list: ["lists", "subscribers", "stats"],
  import: ["imports", "subscribers", "lists", "stats"],
  bulk_change: ["bulk_changes", "subscribers", "lists"],
  campaign: ["campaigns", "sandbox"],
  email: ["campaigns", "sandbox"],
  transport: ["transports", "sending"],
};

/** A type whose word isn't listed is about the things of that name: `api_key.created` is about `api_keys`. */
export function thingsOf(type: string): readonly string[] {
  const [word = ""] = type.split(".");
  return ALSO[word] ?? [`${word}s`];
}
