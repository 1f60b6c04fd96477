/** A sender opens each transport when it first has work for it, with a dispatcher and the judging of refusals for each. */
import { type Provider, providerOfHost } from "../../mail/providers/providers.ts";
import type { SmtpOptions } from "../../mail/smtp/smtp.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { createReach, type Reach } from "../failover/failover.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import { readEvidence } from "../ledger/ledger.ts";
import { createRefusals, type Refusals } from "../outcomes/outcomes.ts";
import {
  type CappedTransport,
  createDispatcher,
  createMessageMemory,
  createRate,
  type Dispatcher,
  type MessageMemory,
} from "../pacing/pacing.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import {
  type AccountTransport,
  createSmtpTransport,
  noteSizeLimit,
  readTransport,
  type Transport,
  type TransportTools,
} from "../transports/transports.ts";

export type OpenTransport = {
  readonly transport: Transport;
  readonly version: number;
  /** Whether it was put out when it was last read. */
  readonly isOut: boolean;
  /** Whether mail could leave by another when it was opened. */
  readonly hasOthers: boolean;
  /** Watches whether the server of an account's transport lets us in. */
  readonly reach: Reach | undefined;
  readonly dispatcher: Dispatcher;
  readonly refusals: Refusals;
  /** The provider whose server it is, where it is one that we know. */
  readonly provider: Provider | undefined;
  /** Holds the composed messages that wait; those of campaigns take no room from transactional mail. */
  readonly memory: { readonly urgent: MessageMemory; readonly other: MessageMemory };
  /** What limits a day of it; undefined where nothing does. */
  readonly capped?: CappedTransport | undefined;
};

export type OpenTransports = {
  /**
   * Resolves to undefined when the transport is deleted, when this process has no such server, or when its password can't be
   * read.
   */
  open(accountId: string, transportId: string): Promise<OpenTransport | undefined>;
  /** Returns an account's transport as it was last opened, without asking anybody; undefined for one that isn't open. */
  known(transportId: string): OpenTransport | undefined;
  /**
   * Gives an account's transport up that was put out: what isn't begun goes back to the ledger, replies that are awaited are
   * awaited on. If there is more to send by it, it is opened anew.
   */
  retire(transportId: string): void;
  /** Stops all dispatchers: no message is begun any more, and what is under way goes on. */
  close(): void;
  /** Takes back at once all messages whose final dot isn't sent yet. */
  cut(): void;
  /** Closes the connections once all that is under way has ended. */
  drain(): Promise<void>;
  /** Closes all connections at once, and gives up the replies that are still awaited. */
  abandon(): Promise<void>;
};

export type OpenTransportsOptions = TransportTools & {
  readonly db: Db;
  readonly clock: Clock;
  /** The instance's own server; without one, mail that was meant for it waits. */
  readonly relay: SmtpOptions | undefined;
  readonly relayPerSecond: number | undefined;
};

/** So many bytes of messages wait for one transport, and so many for all of a sender. */
const MOST_WAITING_BYTES = 64 * 1_024 * 1_024;
const MOST_BYTES_OF_ALL = 256 * 1_024 * 1_024;

/** A server that doesn't answer is found out soon where mail could leave by another: RFC 5321 allows for minutes. */
const SOON = { connectMs: 4_500, tlsMs: 9_000, greetingMs: 9_000, commandMs: 9_000 };

type TransportFacts = {
  readonly version: number;
  readonly rated: Parameters<typeof createRate>[1] | undefined;
  readonly host: string | undefined;
  /** Is set for an account's transport: whether mail could leave by another. */
  readonly hasOthers?: boolean;
};

export function createOpenTransports(options: OpenTransportsOptions): OpenTransports {
  const { db, clock } = options;
  const monotonicMs = () => clock.monotonicMs();
  const opened = new Map<string, OpenTransport>();
  /** Transports that were edited since they were opened; the messages that they have under way still end on them. */
  const draining = new Map<Transport, Promise<void>>();
  let isClosed = false;
  const whole = createMessageMemory(MOST_BYTES_OF_ALL);
  const makeMemory = () => createMessageMemory(MOST_WAITING_BYTES, whole);

  function make(transport: Transport, { version, rated, host, hasOthers }: TransportFacts): OpenTransport {
    const rate = rated && createRate(db, rated, monotonicMs);
    const dispatcher = createDispatcher({ connections: transport.connections, monotonicMs, rate });
    const refusals = createRefusals({
      monotonicMs,
      evidenceOf: (accountId, sourceId) => readEvidence(db, accountId, sourceId, clock.now()),
    });
    if (isClosed) dispatcher.close();
    if (isClosed) refusals.close();
    const memory = { urgent: makeMemory(), other: makeMemory() };
    const provider = host === undefined ? undefined : providerOfHost(host);
    const reach = hasOthers === undefined ? undefined : createReach(monotonicMs);
    const state = { isOut: false, hasOthers: hasOthers ?? false };
    return { transport, dispatcher, refusals, provider, memory, version, reach, ...state };
  }

  function keep(id: string, made: OpenTransport): OpenTransport {
    const previous = opened.get(id);
    opened.set(id, made);
    if (previous) {
      // Messages under way end on the old connections; those that wait are given back to the ledger, and come to the new
      // ones.
      letEnd(previous);
    }
    return made;
  }

  function letEnd({ transport, dispatcher, refusals }: OpenTransport): void {
    dispatcher.close();
    refusals.close();
    draining.set(
      transport,
      transport.drain().finally(() => draining.delete(transport)),
    );
  }

  function openInstance(): OpenTransport | undefined {
    const { relay, relayPerSecond } = options;
    const known = opened.get(INSTANCE_TRANSPORT);
    if (known || !relay) return known;
    const ids = { accountId: INSTANCE_TRANSPORT, transportId: INSTANCE_TRANSPORT };
    const rated = relayPerSecond ? { ...ids, perSecond: relayPerSecond } : undefined;
    return keep(
      INSTANCE_TRANSPORT,
      make(createSmtpTransport(relay), { version: 0, rated, host: relay.host }),
    );
  }

  /** Keeps what the server says of its limit, so that larger mails are refused when they come in. */
  function noticing(
    accountId: string,
    id: string,
    { smtp, version, sizeLimit }: AccountTransport,
  ): SmtpOptions {
    let known = sizeLimit;
    const onOpen: SmtpOptions["onOpen"] = (offered) => {
      const said = offered.sizeLimit ?? 0;
      if (said === known) return;
      known = said;
      void noteSizeLimit(db, { accountId, id, version }, said);
    };
    return { ...smtp, onOpen };
  }

  function openSandbox(): OpenTransport {
    return (
      opened.get(SANDBOX_TRANSPORT) ??
      keep(SANDBOX_TRANSPORT, make(createSandbox(options), { version: 0, rated: undefined, host: undefined }))
    );
  }

  function openOwn(accountId: string, transportId: string, read: AccountTransport): OpenTransport {
    const known = opened.get(transportId);
    const { ratePerSecond: perSecond, hasOthers } = read;
    // A transport that was edited since it was opened has another version, and is opened anew.
    if (known?.version === read.version && known.hasOthers === hasOthers) return known;
    const rated = perSecond === null ? undefined : { accountId, transportId, perSecond };
    const smtp = noticing(accountId, transportId, read);
    const timeouts = hasOthers ? { ...SOON, ...smtp.timeouts } : (smtp.timeouts ?? {});
    const facts = { version: read.version, rated, host: read.smtp.host, hasOthers };
    return keep(transportId, make(createSmtpTransport({ ...smtp, timeouts }), facts));
  }

  const all = () => [...[...opened.values()].map(({ transport }) => transport), ...draining.keys()];

  return {
    async open(accountId, transportId) {
      if (transportId === INSTANCE_TRANSPORT) return openInstance();
      if (transportId === SANDBOX_TRANSPORT) return openSandbox();
      const read = await readTransport(db, options.secrets, accountId, transportId, options.internalHosts);
      if (!read) return undefined;
      const open = openOwn(accountId, transportId, read);
      const { hasPlan, hasMost, isOut } = read;
      if (!hasPlan && !hasMost && !isOut) return open;
      // A plan comes and goes, and a transport is put out, without a new version, since connections stay what they are.
      const capped = hasPlan || hasMost ? { accountId, transportId, hasPlan, hasMost } : undefined;
      return { ...open, isOut, ...(capped && { capped }) };
    },
    known: (transportId) => opened.get(transportId),
    retire(transportId) {
      const known = opened.get(transportId);
      if (!known || transportId === INSTANCE_TRANSPORT || transportId === SANDBOX_TRANSPORT) return;
      opened.delete(transportId);
      letEnd(known);
      known.transport.cut();
    },
    close() {
      isClosed = true;
      for (const { dispatcher, refusals } of opened.values()) {
        dispatcher.close();
        refusals.close();
      }
    },
    cut() {
      for (const transport of all()) transport.cut();
    },
    async drain() {
      await Promise.all([
        ...[...opened.values()].map(({ transport }) => transport.drain()),
        ...draining.values(),
      ]);
    },
    async abandon() {
      await Promise.all(all().map((transport) => transport.close()));
    },
  };
}
