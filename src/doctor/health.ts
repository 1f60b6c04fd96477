/**
 * The same findings for a page of the dashboard. A run asks the network and watches workers for some seconds, so a process has
 * one at a time: whoever asks meanwhile gets its answer, and whoever asks just afterwards gets it again.
 */
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config/settings.ts";
import type { Finding } from "./check.ts";

export type Health = { readonly checkedAt: Date; readonly findings: readonly Finding[] };

/** Whoever has mended something and asks again is told anew; whoever only presses a button often costs nothing. */
const FRESH_MS = 5_000;

export function createHealth(options: {
  readonly run: () => Promise<readonly Finding[]>;
  readonly config: Pick<Config, "secretKey" | "smtpUrl" | "databaseUrl" | "metricsToken">;
  readonly clock: Clock;
  readonly freshMs?: number;
}): () => Promise<Health> {
  const { run, clock, freshMs = FRESH_MS } = options;
  const conceal = concealing(secretsOf(options.config));
  let running: Promise<Health> | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<Health> => {
    const found = await run();
    const findings = found.map(({ finding, remedy, ...rest }) => ({
      ...rest,
      finding: conceal(finding),
      ...(remedy && { remedy: conceal(remedy) }),
    }));
    return { checkedAt: clock.now(), findings };
  };
  return () => {
    if (running && performance.now() - endedAt < freshMs) return running;
    endedAt = Number.POSITIVE_INFINITY;
    running = look().finally(() => {
      endedAt = performance.now();
    });
    return running;
  };
}

/** What no finding may hold, whoever repeated it: a mail server, say, that quotes the password it refuses. */
function secretsOf(config: Parameters<typeof createHealth>[0]["config"]): readonly string[] {
  const plain = [
    ...(config.secretKey ?? []),
    config.metricsToken ?? "",
    ...credentialsIn(config.smtpUrl),
    ...credentialsIn(config.databaseUrl),
  ];
  return plain
    .flatMap((secret) => [secret, Buffer.from(secret).toString("base64")])
    .filter((secret) => secret.length >= SHORTEST);
}

/** Hiding shorter ones would make holes in words that have nothing to do with them. */
const SHORTEST = 3;

/** Gives the password as it stands in the address and as it is meant, and what AUTH PLAIN sends of it (RFC 4616 §2). */
function credentialsIn(address: string | undefined): readonly string[] {
  if (address === undefined || !URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  if (password === "") return [];
  const meant = decoded(password);
  return [`\0${decoded(username)}\0${meant}`, password, meant];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function concealing(secrets: readonly string[]): (text: string) => string {
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
}
