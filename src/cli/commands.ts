/** These are all commands of `npm run postrider -- …`. Each works beside a running service and without one. */
import {
  createAccount,
  createApiKey,
  findPersonByEmail,
  findUserByEmail,
  getAccount,
  hasAccounts,
  inviteUser,
  linkUrl,
  listMembershipsOrInvitations,
  makeOperatorLink,
  ROLES,
  resetFactors,
  SCOPES,
} from "../accounts/accounts.ts";
import { SERVED, startApp, uploadDirOf } from "../app.ts";
import { recordAct } from "../audit/audit.ts";
import { lookAtDatabase, MIGRATIONS, type OpenDatabase, openDatabase } from "../database.ts";
import { ownTransportHost } from "../delivery/delivery.ts";
import { formatJson, formatReport, runDoctor } from "../doctor/doctor.ts";
import { furnishAccount } from "../new-account.ts";
import { describeConfig, readConfig } from "../platform/config/load.ts";
import { systemCtx } from "../platform/context.ts";
import { type Db, sql } from "../platform/db/db.ts";
import { newestMigration } from "../platform/db/migrate.ts";
import { localUrl } from "../platform/http/address.ts";
import { fromPublicId, toPublicId } from "../platform/ids.ts";
import { AppError } from "../platform/problems.ts";
import { StartupError } from "../platform/startup-error.ts";
import { createHashAddress, importFile } from "../subscribers/subscribers.ts";
import type { Command, CommandCall } from "./command.ts";
import { runDemo } from "./demo-command.ts";
import { domainCommands } from "./domain-commands.ts";
import { drawProgress, readImportOptions } from "./import-command.ts";
import { instanceCommands } from "./instance-commands.ts";
import { formatMailTest, runMailTest } from "./mailtest-command.ts";
import { importReports } from "./reports-command.ts";

/** A mail test is over after 15 minutes, and its key soon after. */
const MAILTEST_KEY_MS = 20 * 60_000;

export const commands: readonly Command[] = [
  {
    name: "accounts create",
    summary: "Makes an account with a key and a list of its own, and prints them.",
    options: { name: { type: "string", meaning: "the account's name" } },
    run: async (call) => {
      const name = text(call, "name");
      if (!name) throw usage("accounts create needs --name");
      await withDatabase(call, (db) =>
        db.transaction(async (tx) => {
          const account = await createAccount(tx, call.clock, { name });
          const ctx = systemCtx(call, tx, account.account_id);
          recordAct(ctx, "operator", "account.created");
          const { key, listId } = await furnishAccount(ctx);
          call.print(`account ${toPublicId("acc", account.account_id)}\nkey ${key}\nlist ${listId}\n`);
        }),
      );
    },
  },
  {
    name: "keys create",
    summary: "Makes an API key; prints the key alone.",
    options: {
      account: { type: "string", meaning: "acc_…; the first account by default" },
      scopes: { type: "string", meaning: `of ${SCOPES.join(", ")}, with commas; full by default` },
      name: { type: "string", meaning: "what it is for" },
      unlimited: { type: "boolean", meaning: "free of the rate limit" },
    },
    run: async (call) => {
      const scopes = (text(call, "scopes") ?? "full").split(",").map((scope) => scope.trim());
      const unknown = scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
      if (unknown.length > 0)
        throw usage(`there is no scope ${unknown.join(", ")}; there are ${SCOPES.join(", ")}`);
      await withDatabase(call, async (db) => {
        const accountId = await chooseAccount(db, text(call, "account"));
        const key = await makeKey(call, db, accountId, {
          name: text(call, "name") || "Command line",
          scopes,
          expiresAt: null,
          unlimited: call.values["unlimited"] === true,
        });
        call.print(`${key}\n`);
      });
    },
  },
  {
    name: "mailtest",
    summary:
      "Sends a campaign to the running service itself by its real transport, waits, and prints what was found.",
    takes: "CAMPAIGN_ID",
    options: { account: { type: "string", meaning: "acc_…; the first account by default" } },
    run: async (call) => {
      const [campaignId] = call.words;
      if (!campaignId) throw usage("mailtest needs the id of a campaign (cmp_…)");
      const { host, port } = call.loaded.config;
      await withDatabase(call, async (db) => {
        const accountId = await chooseAccount(db, text(call, "account"));
        const expiresAt = new Date(call.clock.now().getTime() + MAILTEST_KEY_MS);
        const scopes = ["deliverability:read", "deliverability:write"];
        const key = await makeKey(call, db, accountId, {
          name: "Mail test",
          scopes,
          expiresAt,
          unlimited: false,
        });
        const tell = (line: string) => void process.stderr.write(`${line}\n`);
        const asking = { localUrl: localUrl(host, port), key, tell };
        const test = await runMailTest(asking, campaignId).catch((error: Error) => {
          throw usage(error.message);
        });
        call.print(formatMailTest(test));
      });
    },
  },
  {
    name: "users create",
    summary: "Makes a user; prints the link that sets a password, alone. Good once, for 7 days.",
    options: {
      email: { type: "string", meaning: "the user's e-mail address" },
      name: { type: "string", meaning: "the user's name" },
      role: { type: "string", meaning: `${ROLES.join(" or ")}; marketer by default` },
      account: { type: "string", meaning: "acc_…; the first account by default" },
    },
    run: async (call) => {
      const email = text(call, "email");
      if (!email) throw usage("users create needs --email");
      const role = ROLES.find((one) => one === (text(call, "role") ?? "marketer"));
      if (!role) throw usage(`there is no role ${text(call, "role")}; there are ${ROLES.join(", ")}`);
      await withDatabase(call, async (db) => {
        const accountId = await chooseAccount(db, text(call, "account"));
        const input = { email, name: text(call, "name") ?? "", role };
        const { token } = await db
          .transaction(async (tx) => {
            const ctx = systemCtx(call, tx, accountId);
            const user = await inviteUser(ctx, input);
            recordAct(ctx, "operator", "invitation.created", toPublicId("inv", user.id));
            return makeOperatorLink(ctx, user);
          })
          .catch((error) => {
            throw error instanceof AppError ? usage(faultsOf(error)) : error;
          });
        call.print(`${linkUrl(addressOf(call), token)}\n`);
      });
    },
  },
  {
    name: "users reset",
    summary: "Prints a link that sets a user's password anew, alone. Good once, for an hour.",
    options: { email: { type: "string", meaning: "the user's e-mail address" } },
    run: async (call) => {
      const email = text(call, "email");
      if (!email) throw usage("users reset needs --email");
      await withDatabase(call, async (db) => {
        const user = await findUserByEmail(db, email);
        if (!user) throw usage("there is no user with that e-mail address; `users create` makes one");
        const { token } = await db.transaction((tx) => {
          const ctx = systemCtx(call, tx, user.account_id);
          recordAct(ctx, "operator", "user.link_made", toPublicId("usr", user.id));
          return makeOperatorLink(ctx, user);
        });
        call.print(`${linkUrl(addressOf(call), token)}\n`);
      });
    },
  },
  {
    name: "users reset-factors",
    summary:
      "Removes a person's second factors, who then signs in by the password alone and is told by mail.",
    options: { email: { type: "string", meaning: "the user's e-mail address" } },
    run: async (call) => {
      const email = text(call, "email");
      if (!email) throw usage("users reset-factors needs --email");
      await withDatabase(call, async (db) => {
        const person = await findPersonByEmail(db, email);
        if (!person) throw usage("there is nobody with that e-mail address");
        const count = await db.transaction(async (tx) => {
          for (const { account_id, id } of await listMembershipsOrInvitations(tx, person.id))
            recordAct(systemCtx(call, tx, account_id), "operator", "factor.removed", toPublicId("usr", id));
          return resetFactors(systemCtx(call, tx, ""), person.id);
        });
        call.print(`${count} ${count === 1 ? "factor was" : "factors were"} removed\n`);
      });
    },
  },
  {
    name: "imports create",
    takes: "FILE",
    summary: "Imports a CSV into a list, shows how far it is, and prints the import as JSON.",
    options: {
      list: { type: "string", meaning: "lst_…; where to" },
      account: { type: "string", meaning: "acc_…; the first account by default" },
      "on-conflict": { type: "string", meaning: "skip or update those on the list already; skip by default" },
      tags: { type: "string", meaning: "for every row, with commas" },
      map: { type: "string", meaning: "COLUMN=TARGET,… where the guess would be wrong" },
      attested: {
        type: "boolean",
        meaning: "you vouch that everybody agreed; needed on lists with double opt-in",
      },
      "consent-source": { type: "string", meaning: "where they agreed" },
      "dry-run": { type: "boolean", meaning: "checks and counts, and changes nothing" },
    },
    run: async (call) => {
      const [file, ...others] = call.words;
      if (!file || others.length > 0) throw usage("imports create needs one FILE");
      const options = readImportOptions(call.values);
      await withDatabase(call, async (db, database) => {
        const ctx = systemCtx(call, db, await chooseAccount(db, text(call, "account")));
        const uploadDir = uploadDirOf(call.loaded.config);
        const hash = createHashAddress(database.instanceKeys.addressKey);
        const done = await importFile(ctx, {
          file,
          options,
          uploadDir,
          hash,
          onProgress: drawProgress,
        }).catch((error) => {
          throw error instanceof AppError ? usage(faultsOf(error)) : error;
        });
        call.print(`${JSON.stringify(done, null, 2)}\n`);
        if (done.status !== "completed") process.exitCode = 1;
      });
    },
  },
  ...instanceCommands({ withDatabase, usage }),
  ...domainCommands({ withDatabase, chooseAccount, addressOf, usage }),
  {
    name: "reports import",
    takes: "FILE…",
    summary:
      "Takes DMARC reports (XML, gzip, zip or mails) into an account. Exits with 1 when one isn't kept.",
    options: { account: { type: "string", meaning: "acc_…; the first account by default" } },
    run: async (call) => {
      if (call.words.length === 0) throw usage("reports import needs at least one FILE");
      await withDatabase(call, async (db) => {
        const ctx = systemCtx(call, db, await chooseAccount(db, text(call, "account")));
        if (!(await importReports(ctx, call.words, call.print))) process.exitCode = 1;
      });
    },
  },
  {
    name: "demo",
    summary:
      "Adds a list of 10,000, sends a campaign to it into the sandbox, opens and clicks some of it, and says where to look.",
    options: {
      account: { type: "string", meaning: "acc_…; the first account by default" },
      people: { type: "string", meaning: "how many, up to 1,000,000; 10,000 by default" },
    },
    run: async (call) => {
      const { config } = call.loaded;
      const people = Number(text(call, "people") ?? "10000");
      if (!Number.isInteger(people) || people < 1 || people > 1_000_000)
        throw usage("--people is a whole number from 1 to 1,000,000");
      if (config.smtpUrl !== undefined) throw usage("demo sends into the sandbox alone, and SMTP_URL is set");
      const baseUrl = addressOf(call);
      const running = await startApp({
        // The service may run beside it and hold its port, so the demo takes any port that is free.
        config: { ...config, roles: ["jobs", "sender", "public"], port: 0, metricsPort: undefined, baseUrl },
        log: call.log,
        clock: call.clock,
        claim: "guest",
      });
      try {
        const { db, hashAddress: hash, contentWorkers: workers, uploadDir, served } = running.app;
        const ctx = systemCtx(call, db, await chooseAccount(db, text(call, "account")));
        if (await ownTransportHost(db, ctx.accountId, "campaign", false))
          throw usage("demo sends into the sandbox alone, and this account's campaigns leave by a transport");
        const publicUrl = () => config.publicUrl ?? baseUrl;
        const tools = {
          workers,
          publicUrl,
          inboundDomain: undefined,
          hasBouncePath: async () => true,
          relayHost: undefined,
          internalHosts: [],
          served,
          signing: running.app.signing,
          unverifiedSenders: config.unverifiedSenders,
        };
        const { localUrl } = running;
        await runDemo({ ctx, tools, uploadDir, hash, people, baseUrl, localUrl, print: call.print });
      } finally {
        await running.stop();
      }
    },
  },
  {
    name: "migrate",
    summary: "Brings the database to the newest schema. `npm start` does so too.",
    options: {},
    run: (call) =>
      withDatabase(call, async (db) => {
        const { version } = await db.one<{ version: number }>(
          sql`select max(version) as version from schema_migrations`,
        );
        call.print(`the schema is at ${version} of ${newestMigration(MIGRATIONS)}\n`);
      }),
  },
  {
    name: "config",
    summary: "Prints every setting: its meaning, its default and what it is now. Secrets are masked.",
    options: {},
    run: async (call) => {
      const { faults, ...loaded } = readConfig(process.env);
      call.print(describeConfig(loaded));
      if (faults.length > 0)
        throw new StartupError(faults.join("; "), "mend it in the environment or in .env");
    },
  },
  {
    name: "doctor",
    summary: "Says what is wrong and how to mend it; changes nothing. Exits with 1 when something is wrong.",
    options: { json: { type: "boolean", meaning: "one JSON array of {name, status, finding, remedy}" } },
    run: async (call) => {
      const results = await runDoctor({
        loaded: call.loaded,
        clock: call.clock,
        migrations: MIGRATIONS,
        servesUnsubscribe: SERVED.unsubscribe,
        openDatabase: () => lookAtDatabase(call.loaded.config, call.log),
      });
      call.print(call.values["json"] === true ? formatJson(results) : formatReport(results));
      if (results.some(({ status }) => status === "fail")) process.exitCode = 1;
    },
  },
];

async function withDatabase(
  call: CommandCall,
  work: (db: Db, database: OpenDatabase) => Promise<void>,
): Promise<void> {
  const database = await openDatabase(call.loaded.config, call.log, "guest");
  try {
    await work(database.db, database);
  } finally {
    await database.close();
  }
}

function makeKey(
  call: CommandCall,
  db: Db,
  accountId: string,
  input: Parameters<typeof createApiKey>[1],
): Promise<string> {
  return db.transaction(async (tx) => {
    const ctx = systemCtx(call, tx, accountId);
    const { row, key } = await createApiKey(ctx, input);
    recordAct(ctx, "operator", "api_key.created", toPublicId("key", row.id));
    return key;
  });
}

async function chooseAccount(db: Db, given: string | undefined): Promise<string> {
  const id = given === undefined ? undefined : fromPublicId("acc", given);
  if (given !== undefined && !id) throw usage(`${given} is no account's id; it looks like acc_…`);
  const account = await getAccount(db, id);
  if (account) return account.account_id;
  if (given === undefined && (await hasAccounts(db))) throw firstIsGone();
  throw new StartupError(
    given ? `there is no account ${given}` : "there is no account yet",
    "`npm start` makes the first one, `npm run postrider -- accounts create --name …` another",
  );
}

/** Another account is never taken instead: the command would change what belongs to a customer. */
function firstIsGone(): StartupError {
  return new StartupError(
    "the first account of this instance was deleted, and no other takes its place",
    "name the account with --account acc_…",
  );
}

function addressOf(call: CommandCall): string {
  const { baseUrl, host, port } = call.loaded.config;
  return baseUrl ?? localUrl(host, port);
}

function faultsOf(error: AppError): string {
  const faults = error.faults.map(({ pointer = "", detail }) => `--${pointer.slice(1)} ${detail}`);
  return faults.length > 0 ? faults.join("; ") : error.message;
}

function text(call: CommandCall, option: string): string | undefined {
  const value = call.values[option];
  return typeof value === "string" ? value : undefined;
}

export function usage(problem: string): StartupError {
  return new StartupError(problem, "`npm run postrider -- help` lists the commands and their options");
}
