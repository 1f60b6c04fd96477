/** These are the commands by which operators and keys of the instance are made: there is no other way to become one. */
import {
  addOperator,
  createInstanceKey,
  findPersonByEmail,
  isOperator,
  linkOperator,
  listInstanceKeys,
  listOperators,
  removeOperator,
  revokeInstanceKey,
  unlinkOperator,
} from "../accounts/accounts.ts";
import type { Db } from "../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../platform/ids.ts";
import type { Command, CommandCall } from "./command.ts";

type Shared = {
  readonly withDatabase: (call: CommandCall, work: (db: Db) => Promise<void>) => Promise<void>;
  readonly usage: (problem: string) => Error;
};

const EMAIL = { email: { type: "string", meaning: "the person's e-mail address" } } as const;

export function instanceCommands({ withDatabase, usage }: Shared): readonly Command[] {
  async function personOf(call: CommandCall, db: Db): Promise<{ id: string; email: string }> {
    const { email } = call.values;
    if (typeof email !== "string") throw usage("this needs --email");
    const person = await findPersonByEmail(db, email);
    if (!person) throw usage("there is nobody with that e-mail address; `users create` invites somebody");
    return person;
  }
  return [
    {
      name: "operators add",
      summary: "Lets a person look after the instance: its accounts, and whether they may send.",
      options: EMAIL,
      run: (call) =>
        withDatabase(call, async (db) => {
          const { id, email } = await personOf(call, db);
          const isNew = await db.transaction((sql) => addOperator({ sql, clock: call.clock }, id));
          call.print(`${email} ${isNew ? "is now" : "was already"} an operator\n`);
        }),
    },
    {
      name: "operators remove",
      summary: "Takes that back.",
      options: EMAIL,
      run: (call) =>
        withDatabase(call, async (db) => {
          const { id, email } = await personOf(call, db);
          const wasOne = await db.transaction((sql) => removeOperator({ sql, clock: call.clock }, id));
          call.print(`${email} ${wasOne ? "is no operator any more" : "was no operator"}\n`);
        }),
    },
    {
      name: "operators list",
      summary: "Prints who looks after the instance.",
      options: {},
      run: (call) =>
        withDatabase(call, async (db) => {
          for (const { email, created_at } of await listOperators(db))
            call.print(`${email} since ${created_at.toISOString()}\n`);
        }),
    },
    {
      name: "operators link",
      summary: "Lets an operator sign in by single sign-on, as whom the provider calls by this subject.",
      options: {
        ...EMAIL,
        subject: { type: "string", meaning: "`sub`, by which the provider names the person" },
        issuer: { type: "string", meaning: "the provider as it names itself; OIDC_ISSUER by default" },
      },
      run: (call) => {
        const { subject, issuer: given } = call.values;
        const issuer = typeof given === "string" ? given : call.loaded.config.oidcIssuer;
        if (typeof subject !== "string" || subject === "") throw usage("operators link needs --subject");
        if (!issuer) throw usage("operators link needs --issuer where OIDC_ISSUER isn't set");
        return withDatabase(call, async (db) => {
          const { id, email } = await personOf(call, db);
          if (!(await isOperator(db, id)))
            throw usage("that person is no operator; others are linked by their address");
          const isNew = await db.transaction((sql) =>
            linkOperator({ sql, clock: call.clock }, id, { issuer, subject }),
          );
          if (!isNew) throw usage("that person or that subject is linked with this provider already");
          call.print(`${email} is now linked\n`);
        });
      },
    },
    {
      name: "operators unlink",
      summary: "Takes that back, and ends the sessions that the provider opened.",
      options: EMAIL,
      run: (call) =>
        withDatabase(call, async (db) => {
          const { id, email } = await personOf(call, db);
          if (!(await isOperator(db, id))) throw usage("that person is no operator");
          const wasLinked = await db.transaction((sql) => unlinkOperator({ sql, clock: call.clock }, id));
          call.print(`${email} ${wasLinked ? "is linked no more" : "was not linked"}\n`);
        }),
    },
    {
      name: "instance-keys create",
      summary: "Makes a key by which a program looks after the instance; prints the key alone.",
      options: { name: { type: "string", meaning: "what it is for" } },
      run: (call) =>
        withDatabase(call, async (db) => {
          const { name } = call.values;
          const given = typeof name === "string" && name !== "" ? name : "Command line";
          call.print(
            `${await db.transaction((sql) => createInstanceKey({ sql, clock: call.clock }, given))}\n`,
          );
        }),
    },
    {
      name: "instance-keys list",
      summary: "Prints the keys of the instance, by their last four characters.",
      options: {},
      run: (call) =>
        withDatabase(call, async (db) => {
          for (const { id, name, hint, last_used_at } of await listInstanceKeys(db)) {
            const used = last_used_at ? `last used ${last_used_at.toISOString()}` : "never used";
            call.print(`${toPublicId("ink", id)} …${hint} ${name}, ${used}\n`);
          }
        }),
    },
    {
      name: "instance-keys revoke",
      takes: "KEY_ID",
      summary: "Ends a key of the instance at once.",
      options: {},
      run: (call) =>
        withDatabase(call, async (db) => {
          const id = fromPublicId("ink", call.words[0] ?? "");
          if (!id) throw usage("instance-keys revoke needs the id of a key (ink_…)");
          const wasOne = await db.transaction((sql) => revokeInstanceKey({ sql, clock: call.clock }, id));
          if (!wasOne) throw usage("there is no such key of the instance");
          call.print("revoked\n");
        }),
    },
  ];
}
