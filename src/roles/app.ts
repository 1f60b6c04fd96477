import type { ContentWorkers, WorkerLimits } from "../content/content.ts";
import type { SigningKeys } from "../domains/domains.ts";
import type { SmtpOptions } from "../mail/smtp/smtp.ts";
import type { Served } from "../messages/messages.ts";
import type { OwnMailTools } from "../notices/notices.ts";
import type { Clock } from "../platform/clock.ts";
import type { LoadedConfig } from "../platform/config/load.ts";
import type { Config } from "../platform/config/settings.ts";
import type { Db, DbOptions } from "../platform/db/db.ts";
import type { Listener } from "../platform/db/listen.ts";
import type { Dns } from "../platform/dns.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { Locales } from "../public-pages/public-pages.ts";
import type { HashAddress } from "../subscribers/subscribers.ts";

/** Every role is started with this. Roles share nothing else, and meet only in PostgreSQL. */
export type App = {
  readonly config: Config;
  /** Where each setting came from. */
  readonly settingSources: LoadedConfig["sources"];
  readonly connection: DbOptions["connection"];
  readonly db: Db;
  readonly listener: Listener;
  /** Asks the servers of DNS_SERVERS. */
  readonly dns: Dns;
  readonly secrets: Secrets;
  readonly hashAddress: HashAddress;
  /** `secrets` and `hashAddress` are made of these two keys. A thread is given the keys and makes its own. */
  readonly secretKeys: readonly string[];
  readonly addressKey: Buffer;
  /** The key that signs the links in mail. */
  readonly linkKey: Buffer;
  readonly uploadDir: string;
  /** The instance's own SMTP server. It is undefined where mail goes into the sandbox. */
  readonly relay: SmtpOptions | undefined;
  /** From whom the product's own mail is (SYSTEM_FROM); undefined where only accounts have a sender. */
  readonly systemFrom: OwnMailTools["systemFrom"];
  /** The languages of the public pages. */
  readonly locales: Locales;
  /** By these keys, of accounts and of DKIM_KEYS, mail is signed. */
  readonly signing: SigningKeys;
  /** These threads compile and render content. They start with the first task. */
  readonly contentWorkers: ContentWorkers;
  readonly contentLimits: WorkerLimits;
  readonly served: Served;
  readonly clock: Clock;
  readonly log: Log;
  readonly isLogPretty: boolean;
  readonly metrics: Metrics;
  readonly version: string;
  readonly schemaVersion: number;
  /** This folder holds the migrations that this program knows. */
  readonly migrations: string;
};

export type Role = {
  /** Finishes what is in progress, for `graceMs` at most, then closes all that the role has opened. */
  stop(graceMs: number): Promise<void>;
};
