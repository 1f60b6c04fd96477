/** The test button uses a transport once, now, and says how far that went. No transaction is open meanwhile. */
import { parseAddress } from "../../mail/addresses.ts";
import { composeMessage } from "../../mail/mime/mime.ts";
import { type Probe, probeServer, type SmtpMessage } from "../../mail/smtp/smtp.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ActCtx, Ctx, TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { type Fault, invalid, missing } from "../../platform/problems.ts";
import { adviseOn, stepOf } from "./advice.ts";
import { connectionOf, type TransportTools } from "./connection.ts";
import type { TransportTest, TransportTestInput } from "./schema.ts";
import { findTransport, storeFinding, type TransportRow } from "./store.ts";

/** The limit is short because somebody is waiting; that a server needs longer for a greeting is a finding too. */
const LIMIT_MS = 15_000;

/** A request for a test that was found valid. */
export type Trial = { readonly row: TransportRow; readonly envelope: Envelope | null };
export type Tried = {
  readonly row: TransportRow;
  readonly found: TransportTest;
  readonly sizeLimit: number | null;
};

export async function readTrial(ctx: Ctx, id: string, input: TransportTestInput | undefined): Promise<Trial> {
  const row = await findTransport(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("transport");
  return { row, envelope: readEnvelope(row, input) };
}

export async function tryTransport(
  ctx: ActCtx,
  { secrets, internalHosts }: TransportTools,
  { row, envelope }: Trial,
): Promise<Tried> {
  const smtp = connectionOf(row, secrets, internalHosts);
  if (!smtp) return { row, found: shape(ctx.clock, row, envelope, UNREADABLE), sizeLimit: null };
  const message = envelope && composeTest(ctx.clock, row, envelope);
  const probe = await probeServer(smtp, { limitMs: LIMIT_MS, ...(message && { message }) });
  const known = [smtp.credentials && "password" in smtp.credentials ? smtp.credentials.password : ""];
  const found = shape(ctx.clock, row, envelope, conceal(probe, known, envelope));
  return { row, found, sizeLimit: probe.sizeLimit };
}

/**
 * Tries a transport that was put out at that time, without a message, and says whether its server lets us in; undefined where it
 * isn't out any more, was put out anew, or is gone.
 */
export async function probeTransport(
  db: Queryable,
  { secrets, internalHosts }: TransportTools,
  accountId: string,
  id: string,
  outSince: Date,
): Promise<boolean | undefined> {
  const row = await findTransport(db, accountId, id);
  if (row?.out_since?.getTime() !== outSince.getTime()) return undefined;
  const smtp = connectionOf(row, secrets, internalHosts);
  return smtp !== undefined && (await probeServer(smtp, { limitMs: LIMIT_MS })).failure === null;
}

/**
 * Runs in the transaction of the answer. A transport that was deleted meanwhile keeps no result, and the answer is the same.
 */
export async function recordTry(ctx: TxCtx, { row, found, sizeLimit }: Tried): Promise<TransportTest> {
  await storeFinding(ctx.sql, row, {
    tested_at: new Date(found.tested_at),
    test_ok: found.ok,
    test_phase: found.phase,
    test_code: found.code,
    test_text: found.text,
    size_limit: sizeLimit ?? row.size_limit,
  });
  return found;
}

const UNREADABLE: Probe = {
  failure: {
    kind: "unreachable",
    phase: "auth",
    code: null,
    enhanced: null,
    text: "the stored password can't be opened: it was sealed under another SECRET_KEY",
  },
  steps: [],
  isSecure: false,
  pipelining: false,
  sizeLimit: null,
};

type Envelope = { readonly from: string; readonly to: string };

/** The sender is the one that was given, else the user name where that is an address, else the recipient. */
function readEnvelope(row: TransportRow, input: TransportTestInput | undefined): Envelope | null {
  const faults: Fault[] = [];
  const read = (field: "from" | "to") => {
    const parsed = parseAddress(input?.[field] ?? "");
    if (parsed.ok) return parsed.address;
    faults.push({ pointer: `/${field}`, code: parsed.code, detail: parsed.detail });
    return "";
  };
  if (input?.to === undefined && input?.from === undefined) return null;
  const to = read("to");
  const user = parseAddress(row.username ?? "");
  const from = input.from !== undefined ? read("from") : user.ok ? user.address : to;
  if (faults.length > 0) throw invalid(...faults);
  return { from, to };
}

function composeTest(clock: Clock, row: TransportRow, { from, to }: Envelope): SmtpMessage {
  const sender = parseAddress(from);
  const domain = sender.ok ? sender.asciiDomain : "localhost";
  const body = composeMessage({
    from: { address: from },
    to: [{ address: to }],
    subject: [`Test of ${row.name}`],
    text: [`This message left by ${row.name}. If you read it, mail can be sent by this transport.\n`],
    boundary: `postrider_${row.id}`,
    date: clock.now(),
    messageId: `test.${newId(clock)}@${domain}`,
    values: [],
  });
  return { envelope: { from: onWire(from), to: [onWire(to)] }, body };
}

/** Returns the address with its domain in A-labels, which a server without SMTPUTF8 takes too. */
function onWire(address: string): string {
  const parsed = parseAddress(address);
  return parsed.ok ? `${parsed.local}@${parsed.asciiDomain}` : address;
}

/** Hides passwords and addresses, which servers like to repeat: the text is shown and stored. */
function conceal(probe: Probe, secrets: readonly string[], envelope: Envelope | null): Probe {
  if (!probe.failure) return probe;
  const words: [string, string][] = [
    ...secrets
      .flatMap((one) => [one, Buffer.from(one).toString("base64")])
      .map((one) => [one, "***"] as [string, string]),
    ...(envelope
      ? ([
          [envelope.to, "(recipient)"],
          [envelope.from, "(sender)"],
        ] as [string, string][])
      : []),
  ];
  const text = words
    .filter(([word]) => word.length >= 3)
    .reduce(
      (said, [word, by]) => said.replaceAll(new RegExp(RegExp.escape(word), "gi"), by),
      probe.failure.text,
    );
  return { ...probe, failure: { ...probe.failure, text } };
}

function shape(
  clock: Clock,
  row: TransportRow,
  envelope: Envelope | null,
  { failure, steps, isSecure }: Probe,
): TransportTest {
  return {
    object: "transport_test",
    transport_id: toPublicId("trn", row.id),
    ok: failure === null,
    phase: failure && stepOf(failure.phase),
    code: failure?.code ?? null,
    text: failure && [failure.enhanced, failure.text].filter(Boolean).join(" "),
    advice: failure && adviseOn(failure),
    encrypted: isSecure,
    to: envelope?.to ?? null,
    steps: steps.map(({ phase, durationMs }) => ({
      phase: stepOf(phase),
      duration_ms: Math.round(durationMs),
    })),
    tested_at: clock.now().toISOString(),
  };
}
