/** Shows what lists say of an account's addresses and domains. */
import type { Ctx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { type BlocklistTools, readSubjects } from "./check.ts";
import type { Blocklist } from "./configured-lists.ts";
import { isAskedFor, testPoints } from "./listing-rules.ts";
import { urlFor } from "./look-up.ts";
import { holds } from "./proofs.ts";
import type { Blocklists as Shown } from "./schema.ts";
import { type ProofRow, type ResultRow, readCheck, readProofs, readResults } from "./store.ts";

export async function showBlocklists(ctx: Ctx, tools: BlocklistTools): Promise<Shown> {
  const { sql: db, accountId } = ctx;
  const { lists, whyOff } = tools.blocklists;
  const zones = lists.map(({ zone }) => zone);
  const [subjects, proofs, results, check] = await Promise.all([
    readSubjects(db, accountId, tools),
    readProofs(db, zones),
    readResults(db, accountId),
    readCheck(db, accountId),
  ]);
  const isOn = whyOff === null;
  const resultsOf = (subject: string) =>
    lists.filter((list) => isAskedFor(subject, list)).map((list) => shapeResult(subject, list, results));
  return {
    object: "blocklists",
    is_on: isOn,
    why_off: whyOff,
    lists: lists.map((list) => shapeList(list, proofs, ctx.clock.now())),
    addresses: subjects.addresses.map(({ address, transportId }) => ({
      address,
      transport_id: transportId && toPublicId("trn", transportId),
      results: resultsOf(address),
    })),
    domains: subjects.domains.map((domain) => ({ domain, results: resultsOf(domain) })),
    checked_at: check?.checked_at?.toISOString() ?? null,
    next_check_at: isOn ? (check?.next_check_at.toISOString() ?? null) : null,
  };
}

/** A list of addresses is judged by IPv4, since few know IPv6; what it says of IPv6 addresses is `unknown` until that is proved too. */
function shapeList(list: Blocklist, proofs: readonly ProofRow[], now: Date): Shown["lists"][number] {
  const [main] = testPoints(list);
  const proof = proofs.find(({ zone, kind }) => zone === list.zone && kind === main?.kind);
  return {
    zone: list.zone,
    name: list.name,
    kind: list.kind,
    is_proved: proof !== undefined && holds(proof, now),
    detail: proof ? proof.detail : "It was not asked yet.",
    url: list.url && new URL(list.url).origin,
    checked_at: proof?.checked_at.toISOString() ?? null,
  };
}

function shapeResult(
  subject: string,
  list: Blocklist,
  results: readonly ResultRow[],
): Shown["addresses"][number]["results"][number] {
  const found = results.find((one) => one.subject === subject && one.zone === list.zone);
  return {
    zone: list.zone,
    status: found?.status ?? "unknown",
    detail: found ? found.detail : "It was not looked up yet.",
    url: urlFor(list, subject),
    listed_since: found?.listed_since?.toISOString() ?? null,
    checked_at: found?.checked_at.toISOString() ?? null,
  };
}
