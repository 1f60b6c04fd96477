/**
 * Takes mail by SMTP for addresses under INBOUND_DOMAIN: bounces, complaints, and mails that unsubscribe. Nobody logs in. A recipient
 * that isn't ours is refused before the mail is sent, and 250 is said once the mail is durable. The server is the one that
 * submission has; docs/decisions/0034 says why.
 */
import { createSmtpServer, type Reply, reply, type TakenMail } from "../../mail/smtp-server/smtp-server.ts";
import { createReturnPaths } from "../../messages/messages.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { networkOf } from "../../platform/http/address.ts";
import { explainListenError } from "../../platform/listen-error.ts";
import type { Log } from "../../platform/log.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { openTlsFiles, type TlsFiles } from "../../platform/tls-files.ts";
import type { NewInboundItem } from "../types.ts";
import { createOwnAddresses, type IsOpenTest, type OwnAddresses } from "./own-addresses.ts";
import { MOST_KEPT_BYTES } from "./store-inbound.ts";
import { createTogetherStore } from "./store-together.ts";

export type ListenerOptions = {
  readonly host: string;
  readonly port: number;
  readonly domain: string;
  readonly tlsFiles: TlsFiles | undefined;
  readonly linkKey: Uint8Array;
  readonly secrets: Secrets;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly isOpenTest: IsOpenTest;
};

export type InboundListener = { stop(graceMs: number): Promise<void> };

/** A bounce quotes one mail at most, and is sent to one address. */
const LIMITS = {
  mailBytes: MOST_KEPT_BYTES,
  recipients: 20,
  refusedRecipients: 5,
  connections: 500,
  connectionsOfNetwork: 50,
  heldBytes: 128 * 1_024 * 1_024,
} as const;

const UNKNOWN = reply(550, "5.1.1", "There is no such address here");
const NOTHING_OF_OURS = reply(550, "5.7.1", "This names no mail of ours; nobody reads mail to this address");
const FLOODED = reply(452, "4.2.2", "Too many reports came for this address of late; try again later");
const KEPT = reply(250, "2.0.0", "Kept");
const LATER = reply(451, "4.3.0", "It can't be stored now; try again later");

export async function startListener(options: ListenerOptions): Promise<InboundListener> {
  const { host, port, domain, tlsFiles, log } = options;
  const addresses = createOwnAddresses({ ...options, returnPaths: createReturnPaths(options.linkKey) });
  const store = createTogetherStore(options);
  const orLater = (error: unknown): Reply => {
    if (error instanceof DbError) log.warn({ reason: error.message }, "an inbound mail was put off");
    else log.error({ err: error }, "an inbound mail failed");
    return LATER;
  };
  const server = createSmtpServer<true>({
    hostname: domain,
    secureContext: tlsFiles ? openTlsFiles(tlsFiles, log) : () => undefined,
    networkOf,
    needsTls: () => false,
    limits: LIMITS,
    onError: (error) => log.error({ err: error }, "taking mail for INBOUND_DOMAIN failed"),
    handlers: {
      greet: () => true,
      beginMail: async () => undefined,
      addRecipient: (_client, address) =>
        addresses.identify(address).then((found) => {
          if (found === "flooded") return FLOODED;
          return found ? undefined : UNKNOWN;
        }, orLater),
      takeMail: (_client, mail) => take(addresses, store, mail).catch(orLater),
    },
  });
  const place = { host, port, isImplicitTls: false };
  const listening = await server.listen(place).catch((error: NodeJS.ErrnoException) => {
    throw explainListenError(error, { ...place, setting: "INBOUND_PORT" });
  });
  log.info({ port: listening, host, tls: tlsFiles !== undefined }, "takes bounces by SMTP");
  return server;
}

type Store = (items: readonly NewInboundItem[]) => Promise<void>;

async function take(
  addresses: OwnAddresses,
  store: Store,
  { from, recipients, bytes, session }: TakenMail,
): Promise<Reply> {
  const found = await Promise.all([...new Set(recipients)].map((address) => addresses.identify(address)));
  const common = {
    channel: "smtp",
    channelId: null,
    provider: null,
    envelopeFrom: from,
    raw: bytes,
    session,
  } as const;
  // A sender gets one answer for all recipients, and then sends to all of them again; those who have it keep it once.
  if (found.includes("flooded")) return FLOODED;
  const items: NewInboundItem[] = found.flatMap((one) =>
    one === undefined || typeof one === "string" ? [] : [{ ...common, ...one }],
  );
  if (found.includes("shared")) {
    const accountId = await addresses.findAccountIn(bytes);
    if (accountId !== undefined) items.push({ ...common, accountId, addressed: null });
  }
  if (items.length === 0) return NOTHING_OF_OURS;
  await store(items);
  return KEPT;
}
