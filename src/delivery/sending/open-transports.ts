/** The wires of a sender: one for each transport that it has work for, opened when it is first needed. */
import type { SmtpOptions } from "../../mail/smtp/smtp.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import { readEvidence } from "../ledger/ledger.ts";
import { createRefusals, type Refusals } from "../outcomes/outcomes.ts";
import { createDispatcher, createRate, type Dispatcher } from "../pacing/pacing.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import {
  createSmtpTransport,
  readTransport,
  type Transport,
  type TransportTools,
} from "../transports/transports.ts";

export type OpenTransport = {
  readonly transport: Transport;
  readonly wire: Dispatcher;
  readonly refusals: Refusals;
};

export type OpenTransports = {
  /** undefined: that transport is not there any more or not here, or its password can't be read. */
  open(accountId: string, transportId: string): Promise<OpenTransport | undefined>;
  /** Nobody gets a turn any more; what is under way goes on. */
  close(): void;
  /** Takes back at once what has no final dot yet. */
  cut(): void;
  /** After all has come to its end. */
  drain(): Promise<void>;
  /** Gives up the replies still awaited. */
  abandon(): Promise<void>;
};

export type OpenTransportsOptions = TransportTools & {
  readonly db: Db;
  readonly clock: Clock;
  /** The instance's own server; without one, mail that was meant for it waits. */
  readonly relay: SmtpOptions | undefined;
  readonly relayPerSecond: number | undefined;
};

type Kept = OpenTransport & { readonly version: number };

export function createOpenTransports(options: OpenTransportsOptions): OpenTransports {
  const { db, clock } = options;
  const monotonicMs = () => clock.monotonicMs();
  const kept = new Map<string, Kept>();
  /** Edited since: their messages come to their end. */
  const draining = new Map<Transport, Promise<void>>();
  let isClosed = false;

  function make(
    transport: Transport,
    version: number,
    rated: Parameters<typeof createRate>[1] | undefined,
  ): Kept {
    const rate = rated && createRate(db, rated, monotonicMs);
    const wire = createDispatcher({ connections: transport.connections, monotonicMs, rate });
    const refusals = createRefusals({
      monotonicMs,
      evidenceOf: (accountId, sourceId) => readEvidence(db, accountId, sourceId, clock.now()),
    });
    if (isClosed) wire.close();
    if (isClosed) refusals.close();
    return { transport, wire, refusals, version };
  }

  function keep(id: string, made: Kept): Kept {
    const previous = kept.get(id);
    kept.set(id, made);
    if (previous) {
      // Its own messages end on it; whoever waits there is given back, and comes to the new one.
      previous.wire.close();
      previous.refusals.close();
      const { transport } = previous;
      draining.set(
        transport,
        transport.drain().finally(() => draining.delete(transport)),
      );
    }
    return made;
  }

  function openInstance(): Kept | undefined {
    const { relay, relayPerSecond } = options;
    const known = kept.get(INSTANCE_TRANSPORT);
    if (known || !relay) return known;
    const ids = { accountId: INSTANCE_TRANSPORT, transportId: INSTANCE_TRANSPORT };
    const rated = relayPerSecond ? { ...ids, perSecond: relayPerSecond } : undefined;
    return keep(INSTANCE_TRANSPORT, make(createSmtpTransport(relay), 0, rated));
  }

  function openSandbox(): Kept {
    return kept.get(SANDBOX_TRANSPORT) ?? keep(SANDBOX_TRANSPORT, make(createSandbox(options), 0, undefined));
  }

  const all = () => [...[...kept.values()].map(({ transport }) => transport), ...draining.keys()];

  return {
    async open(accountId, transportId) {
      if (transportId === INSTANCE_TRANSPORT) return openInstance();
      if (transportId === SANDBOX_TRANSPORT) return openSandbox();
      const read = await readTransport(db, options.secrets, accountId, transportId, options.internalHosts);
      if (!read) return undefined;
      const known = kept.get(transportId);
      // Edited since it was opened, it is opened anew.
      if (known?.version === read.version) return known;
      const { ratePerSecond: perSecond } = read;
      const rated = perSecond === null ? undefined : { accountId, transportId, perSecond };
      return keep(transportId, make(createSmtpTransport(read.smtp), read.version, rated));
    },
    close() {
      isClosed = true;
      for (const { wire, refusals } of kept.values()) {
        wire.close();
        refusals.close();
      }
    },
    cut() {
      for (const transport of all()) transport.cut();
    },
    async drain() {
      await Promise.all([
        ...[...kept.values()].map(({ transport }) => transport.drain()),
        ...draining.values(),
      ]);
    },
    async abandon() {
      await Promise.all(all().map((transport) => transport.close()));
    },
  };
}
