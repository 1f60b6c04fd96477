/** These are the commands `postrider domains …`: what they read from their options, and what they print. */
import type { OpenDatabase } from "../database.ts";
import { readRelay } from "../delivery/delivery.ts";
import { type DomainTools, domainZone, makeDomain, rotateDomain, verifyDomain } from "../domains/domains.ts";
import type { Domain, DomainCreate } from "../domains/schema.ts";
import type { Db } from "../platform/db/db.ts";
import { createDns } from "../platform/dns.ts";
import { AppError } from "../platform/problems.ts";
import { domainTools } from "../roles/domain-tools.ts";
import type { Command, CommandCall } from "./command.ts";

/** What all commands share. */
type Shared = {
  readonly withDatabase: (
    call: CommandCall,
    work: (db: Db, database: OpenDatabase) => Promise<void>,
  ) => Promise<void>;
  readonly chooseAccount: (db: Db, given: string | undefined) => Promise<string>;
  readonly addressOf: (call: CommandCall) => string;
  readonly usage: (problem: string) => Error;
};

const ACCOUNT = { type: "string", meaning: "acc_…; the first account by default" } as const;
const JSON_OPTION = { type: "boolean", meaning: "the domain as the API shows it" } as const;

export function domainCommands(shared: Shared): readonly Command[] {
  const command = (
    verb: string,
    summary: string,
    options: Command["options"],
    work: (call: CommandCall, tools: DomainTools, accountId: string, name: string) => Promise<void>,
  ): Command => ({
    name: `domains ${verb}`,
    takes: "NAME",
    summary,
    options: { account: ACCOUNT, ...options },
    run: (call) => withDomain(shared, call, (tools, accountId, name) => work(call, tools, accountId, name)),
  });
  return [
    command(
      "add",
      "Adds a sender domain, looks into its DNS, and prints the records to publish.",
      {
        "return-path": { type: "string", meaning: "a host below it that bounces come to" },
        "tracking-host": { type: "string", meaning: "a host below it that links lead over" },
        ed25519: { type: "boolean", meaning: "signs with an Ed25519 key too" },
        json: JSON_OPTION,
      },
      async (call, tools, accountId, name) =>
        printDomain(call, await makeDomain(tools, accountId, readInput(name, call.values))),
    ),
    command(
      "check",
      "Looks into a domain's DNS and prints what was found. Exits with 1 unless it is verified.",
      { json: JSON_OPTION },
      async (call, tools, accountId, name) => {
        const domain = await verifyDomain(tools, accountId, name);
        printDomain(call, domain);
        if (domain.status !== "verified") process.exitCode = 1;
      },
    ),
    command(
      "rotate",
      "Lets the standby key of a domain sign from now on, and prints the record of the next one.",
      { json: JSON_OPTION },
      async (call, tools, accountId, name) => printDomain(call, await rotateDomain(tools, accountId, name)),
    ),
    command(
      "zone",
      "Prints the records of a domain as lines of a zone file.",
      {},
      async (call, tools, accountId, name) => call.print(await domainZone(tools, accountId, name)),
    ),
  ];
}

/** Runs a command about one domain, which its only word names. */
async function withDomain(
  { withDatabase, chooseAccount, addressOf, usage }: Shared,
  call: CommandCall,
  work: (tools: DomainTools, accountId: string, name: string) => Promise<void>,
): Promise<void> {
  const [name, ...others] = call.words;
  if (!name || others.length > 0) throw usage("name one domain, such as example.com");
  const { config } = call.loaded;
  const { clock, log, values } = call;
  await withDatabase(call, async (db, { secrets }) => {
    const dns = createDns({ servers: config.dnsServers });
    const app = { clock, log, db, secrets, config, dns, relay: readRelay(config) };
    const tools = domainTools(app, () => config.publicUrl ?? addressOf(call));
    const account = values["account"];
    const accountId = await chooseAccount(db, typeof account === "string" ? account : undefined);
    await work(tools, accountId, name).catch((error) => {
      throw error instanceof AppError ? usage(explain(error, name)) : error;
    });
  });
}

/** Says what is wrong in the words of the command line, and what to do about it. */
function explain({ faults, message, problem }: AppError, name: string): string {
  if (faults.length > 0)
    return faults
      .map(({ pointer = "", detail }) => `${pointer === "/name" ? name : toOption(pointer)} ${detail}`)
      .join("; ");
  const next = NEXT[problem.code];
  return next === undefined ? message : `${message}; ${next.replace("NAME", name)}`;
}

function toOption(pointer: string): string {
  return `--${pointer.slice(1).replaceAll("_", "-")}`;
}

const NEXT: Readonly<Record<string, string>> = {
  not_found: "`domains add NAME` adds the domain",
  domain_exists: "`domains check NAME` shows it",
  host_taken: "choose another name below the domain",
  standby_not_published: "`domains zone NAME` prints its record, which has to be published first",
};

function readInput(name: string, values: CommandCall["values"]): DomainCreate {
  const { "return-path": returnPath, "tracking-host": trackingHost } = values;
  return {
    name,
    ...(typeof returnPath === "string" && { return_path: returnPath }),
    ...(typeof trackingHost === "string" && { tracking_host: trackingHost }),
    ed25519: values["ed25519"] === true,
  };
}

function printDomain(call: CommandCall, domain: Domain): void {
  call.print(call.values["json"] === true ? `${JSON.stringify(domain, null, 2)}\n` : formatDomain(domain));
}

/** Writes the domain's state, and for each record that isn't right what there is to do. */
function formatDomain({ name, id, status, records, failing_until, dns_host }: Domain): string {
  const until = failing_until ? `, and mail goes on until ${failing_until}` : "";
  const host = dns_host ? `its DNS is at ${dns_host.name}\n` : "";
  return `${name} (${id}) is ${status}${until}\n${host}${records.map(formatRecord).join("")}`;
}

function formatRecord({
  kind,
  type,
  name,
  status,
  expected,
  found,
  advice,
}: Domain["records"][number]): string {
  const head = `\n${status.padEnd(9)} ${kind} ${type} ${name}\n`;
  if (status === "ok") return head;
  const wanted = expected === null ? "" : `    wanted ${expected}\n`;
  const now = found.map((value) => `    now    ${value}\n`).join("");
  return `${head}${wanted}${now}${advice === "" ? "" : `    ${advice}\n`}`;
}
