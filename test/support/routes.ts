import { SERVED } from "../../src/app.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Db } from "../../src/platform/db/db.ts";
import { createDns } from "../../src/platform/dns.ts";
import type { Route } from "../../src/platform/http/route.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { shippedLocales } from "../../src/public-pages/public-pages.ts";
import { apiRoutes } from "../../src/roles/api.ts";
import { createHashAddress } from "../../src/subscribers/subscribers.ts";
import type { RequestOptions } from "./app.ts";
import { UNSIGNED } from "./signing.ts";

/** Returns every route as data, for tests that hold for each of them, also for those that are added later. */
export function allRoutes(): readonly Route[] {
  const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
  const hashAddress = createHashAddress(Buffer.alloc(32));
  const listener = { listen: () => undefined };
  const workers = { compile: unused, writeMjml: unused, check: unused, render: unused };
  return apiRoutes(
    { forget: () => undefined },
    {
      db: unusable,
      connection: "",
      secretKeys: [],
      secrets,
      hashAddress,
      listener,
      locales: shippedLocales,
      uploadDir: "",
      config: { internalHosts: [] },
      deliverability: {
        blocklists: {
          dns: { a: unused },
          blocklists: { lists: [], whyOff: null },
          listAddresses: unused,
          listDomains: unused,
        },
        checklist: { publicUrl: () => "", listDomains: unused, findTests: unused, readReported: unused },
        dmarc: { ownAddresses: unused },
      },
    },
    {
      workers,
      publicUrl: () => "",
      inboundDomain: undefined,
      hasBouncePath: async () => true,
      relayHost: undefined,
      internalHosts: [],
      served: SERVED,
      signing: UNSIGNED,
      unverifiedSenders: "warn",
    },
    { version: "", readHealth: unused, submission: () => null },
    () => undefined,
    {
      db: unusable,
      clock: systemClock,
      log: createLog({ level: "silent", pretty: false }),
      secrets,
      dns: createDns(),
      publicUrl: () => "",
      inboundDomain: undefined,
      fetchTracking: unused,
      reportAddress: () => null,
      readSenders: unused,
    },
  );
}

const unusable = {} as Db;

async function unused(): Promise<never> {
  throw new Error("these routes are data");
}

type Property = { "x-id-prefix"?: string };

/** Returns which parameters or fields are ids, and of what kind, as in `[["id", "key"]]`. */
export function idsIn(schema: { properties?: Record<string, unknown> }): [name: string, prefix: string][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const prefix = (property as Property)["x-id-prefix"];
    return prefix === undefined ? [] : [[name, prefix] as [string, string]];
  });
}

/** Returns a copy of the first of the schema's own examples. */
export function exampleOf(route: Route): unknown {
  const examples = (route.body as { examples?: unknown[] } | undefined)?.examples;
  return examples && structuredClone(examples[0]);
}

/** Returns the body as a client sends it: as JSON, or as a form with a small file where the route takes one. */
export function bodyFor(
  route: Pick<Route, "upload" | "body">,
  body: unknown,
): Pick<RequestOptions, "body" | "headers"> {
  if (route.upload) return formOf(body, route.body ? "email\nada@example.com\n" : SMALL_GIF);
  return body === undefined ? {} : { body };
}

/** An image of one pixel whose bytes are all ASCII, so that it can be sent as text. */
export const SMALL_GIF = "GIF87a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/** Without options it has the file alone. */
export function formOf(options: unknown, file: string): { body: string; headers: Record<string, string> } {
  const part = (name: string, more: string, content: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
  const text = typeof options === "string" ? options : JSON.stringify(options);
  const first = options === undefined ? "" : part("options", "", text);
  return {
    body: `${first}${part("file", '; filename="people.csv"', file)}--x--\r\n`,
    headers: { "content-type": "multipart/form-data; boundary=x" },
  };
}

/** These parts of a path are no ids. A number counts what its owner has: whatever was just made has the first. */
export const NO_IDS: Readonly<Record<string, string>> = {
  number: "1",
  starter: "letter",
  locale: "de",
  stream: "campaign",
};

export function fillPath(route: Route, fill: (name: string) => string): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => NO_IDS[name] ?? fill(name));
}
