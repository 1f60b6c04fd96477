import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { StartupError } from "../startup-error.ts";
import { type Config, config, type Setting, settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type LoadedConfig = {
  config: Config;
  sources: ReadonlyMap<string, "environment" | ".env" | "default">;
};

/** The first of each pair means nothing without the second. */
const GIVEN_WITH = [
  ["INBOUND_PORT", "INBOUND_DOMAIN"],
  ["SUBMISSION_TLS_PORT", "SUBMISSION_PORT"],
  ["TLS_CERT_FILE", "TLS_KEY_FILE"],
  ["TLS_KEY_FILE", "TLS_CERT_FILE"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID"],
  ["OIDC_CLIENT_ID", "OIDC_ISSUER"],
  ["OIDC_CLIENT_SECRET", "OIDC_CLIENT_ID"],
  ["OIDC_GROUPS", "OIDC_ISSUER"],
  ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  ["STRIPE_WEBHOOK_SECRET", "STRIPE_SECRET_KEY"],
  ["STRIPE_API_URL", "STRIPE_SECRET_KEY"],
] as const;

/** Reads the environment over `.env`, and names every fault at once rather than the first. */
export function loadConfig(environment: Environment, envFile = ".env"): LoadedConfig {
  const { faults, ...loaded } = readConfig(environment, envFile);
  if (faults.length === 0) return loaded;
  throw new StartupError(
    `the configuration has ${faults.length === 1 ? "a fault" : "faults"}: ${faults.join("; ")}`,
    "mend it in the environment or in .env; `npm run postrider -- config` lists every setting",
  );
}

/** Returns whatever can be read, and what is wrong with the rest: `postrider config` must work when nothing else does. */
export function readConfig(
  environment: Environment,
  envFile = ".env",
): LoadedConfig & { readonly faults: readonly string[] } {
  const file = readEnvFile(envFile);
  const known = new Set(settings.map((setting) => setting.name));
  const faults = Object.keys(file)
    .filter((name) => !known.has(name))
    .map((name) => `${name} in ${envFile} is not a setting${suggestion(name, known)}`);

  const values: Record<string, unknown> = {};
  const sources = new Map<string, "environment" | ".env" | "default">();
  for (const [key, setting] of Object.entries<Setting>(config)) {
    // An empty variable counts as absent, also over `.env`: `SMTP_URL= npm start` is how people switch one off.
    const given = (environment[setting.name] ?? file[setting.name]) || undefined;
    const source = environment[setting.name] ? "environment" : given ? ".env" : "default";
    sources.set(setting.name, source);
    const text = given ?? setting.default;
    try {
      values[key] = text === undefined ? undefined : setting.parse(text);
    } catch (error) {
      const shown = setting.secret ? "" : ` (it is ${JSON.stringify(text)})`;
      faults.push(`${setting.name} ${(error as Error).message}${shown}`);
    }
  }
  const loaded = values as Config;
  if (sources.get("DATABASE_URL") !== "default" && sources.get("SECRET_KEY") === "default") {
    faults.push("SECRET_KEY is required with DATABASE_URL, so that every machine shares one");
  }
  if (loaded.passwordSignIn === "off" && sources.get("OIDC_ISSUER") === "default")
    faults.push("PASSWORD_SIGN_IN=off needs OIDC_ISSUER, or nobody could sign in");
  if (loaded.signUp === "open") faults.push(...faultsOfOpenSignUp(loaded, sources));
  for (const [name, other] of GIVEN_WITH)
    if (sources.get(name) !== "default" && sources.get(other) === "default")
      faults.push(`${name} needs ${other}`);
  return { config: loaded, sources, faults };
}

/** A link to open an account leaves by the instance's own server, and its owner chooses a password. */
function faultsOfOpenSignUp({ passwordSignIn }: Config, sources: LoadedConfig["sources"]): readonly string[] {
  const missing = ["SMTP_URL", "SYSTEM_FROM"].filter((name) => sources.get(name) === "default");
  return [
    ...missing.map((name) => `SIGN_UP=open needs ${name}, or no link could be mailed`),
    ...(passwordSignIn === "off" ? ["SIGN_UP=open needs PASSWORD_SIGN_IN=on: owners choose a password"] : []),
  ];
}

/** Formats the table of `postrider config`: name, present value, where it came from, and meaning. Secrets are masked. */
export function describeConfig({ config: loaded, sources }: LoadedConfig): string {
  const lines = Object.entries<Setting>(config).map(([key, setting]) => {
    const value = loaded[key as keyof Config];
    const shown =
      value === undefined ? `(${setting.whenAbsent})` : setting.secret ? "********" : JSON.stringify(value);
    const fallback = setting.default === undefined ? `none: ${setting.whenAbsent}` : setting.default;
    return `${setting.name}=${shown}\n    ${setting.meaning}\n    default: ${fallback}; now from: ${sources.get(setting.name)}\n`;
  });
  return lines.join("\n");
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new StartupError(
      `${path} can't be read: ${(error as Error).message}`,
      "check its permissions, or remove it",
    );
  }
}

/**
 * Names the setting that was probably meant: the same but for underscores or case, longer or shorter, or two letters off.
 */
function suggestion(name: string, known: ReadonlySet<string>): string {
  const plain = (word: string) => word.replaceAll("_", "").toUpperCase();
  const near = [...known].find(
    (one) =>
      plain(one).startsWith(plain(name)) ||
      plain(name).startsWith(plain(one)) ||
      editsBetween(one, name) <= 2,
  );
  return near ? `; did you mean ${near}?` : "";
}

/** Computes Levenshtein's distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const swap = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
