/** What the IMAP server for tests answers to each command. */
import type { Connection, StoredMail } from "./state.ts";

type Answer = (connection: Connection, args: string, isUid: boolean) => string | Buffer;

/** Returns the untagged lines, or throws a Refusal. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  CAPABILITY: ({ state }) => `* CAPABILITY ${state.capabilities.join(" ")}\r\n`,
  NOOP: () => "",
  LOGIN: ({ state }, args) => {
    const [user, password] = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text);
    if (user === state.user && password === state.password) return "";
    throw new Refusal("[AUTHENTICATIONFAILED] wrong");
  },
  NAMESPACE: () => '* NAMESPACE (("" "/")) NIL NIL\r\n',
  LIST: ({ state }, args) => {
    const pattern = unquote(args.split(" ").slice(1).join(" "));
    if (pattern === "") return '* LIST (\\Noselect) "/" ""\r\n';
    const names = [...state.folders.keys()].filter((name) => ["*", "%", name].includes(pattern));
    return names.map((name) => `* LIST () "/" "${name}"\r\n`).join("");
  },
  LSUB: () => "",
  SELECT: select,
  EXAMINE: select,
  FETCH: fetch,
  STORE: (connection, args) => {
    const [, range = "", isAdded, flags = ""] = /^(\S+) (\+?)FLAGS(?:\.SILENT)? \((.*)\)$/.exec(args) ?? [];
    if (!isAdded) throw new Refusal("only +FLAGS");
    for (const mail of mailsIn(connection, range, true))
      for (const flag of flags.split(" ")) mail.flags.add(flag);
    return "";
  },
  COPY: (connection, args) => copy(connection, args),
  MOVE: (connection, args) => {
    copy(connection, args);
    const moved = new Set(mailsIn(connection, args.split(" ")[0] ?? "", true));
    return remove(connection, (mail) => moved.has(mail));
  },
  EXPUNGE: (connection, args) => {
    const chosen = args === "" ? undefined : new Set(mailsIn(connection, args, true));
    return remove(connection, (mail) => mail.flags.has("\\Deleted") && (!chosen || chosen.has(mail)));
  },
};

class Refusal extends Error {}

export function answerCommand(connection: Connection, tag: string, name: string, args: string): Buffer {
  const isUid = name.startsWith("UID ");
  const answer = ANSWERS[isUid ? name.slice(4) : name];
  try {
    if (!answer) return Buffer.from(`${tag} BAD I don't know ${name}\r\n`);
    const untagged = answer(connection, args, isUid);
    return Buffer.concat([Buffer.from(untagged), Buffer.from(`${tag} OK done\r\n`)]);
  } catch (error) {
    if (error instanceof Refusal) return Buffer.from(`${tag} NO ${error.message}\r\n`);
    throw error;
  }
}

function select(connection: Connection, args: string): string {
  const { state } = connection;
  state.onSelect();
  const folder = unquote(args);
  const mails = state.folders.get(folder);
  if (!mails) throw new Refusal("[NONEXISTENT] no such folder");
  connection.folder = folder;
  connection.told = mails.length;
  const next = state.uidNext === undefined ? Math.max(0, ...mails.map(({ uid }) => uid)) + 1 : state.uidNext;
  return [
    "* FLAGS (\\Seen \\Deleted)",
    "* OK [PERMANENTFLAGS (\\Seen \\Deleted \\*)] ok",
    `* ${state.exists ?? mails.length} EXISTS`,
    `* OK [UIDVALIDITY ${state.uidValidity}] ok`,
    ...(next === null ? [] : [`* OK [UIDNEXT ${next}] ok`]),
    "",
  ].join("\r\n");
}

function fetch(connection: Connection, args: string, isUid: boolean): Buffer {
  const [range = "", ...items] = args.split(" ");
  const wanted = items.join(" ");
  const most = Number(/BODY\.PEEK\[\]<0\.(\d+)>/.exec(wanted)?.[1] ?? Number.POSITIVE_INFINITY);
  const all = connection.state.folders.get(connection.folder ?? "") ?? [];
  const parts = mailsIn(connection, range, isUid).flatMap((mail) => {
    const head = `* ${all.indexOf(mail) + 1} FETCH (UID ${mail.uid} RFC822.SIZE ${mail.raw.length} INTERNALDATE "${imapDate(mail.arrivedAt)}"`;
    if (!wanted.includes("BODY.PEEK[]")) return [Buffer.from(`${head})\r\n`)];
    if (mail.uid === connection.state.poison) return [Buffer.from(`${head} BODY[]<0> {1000000000}\r\n`)];
    const body = mail.raw.subarray(0, most);
    return [Buffer.from(`${head} BODY[]<0> {${body.length}}\r\n`), body, Buffer.from(")\r\n")];
  });
  return Buffer.concat(parts);
}

function imapDate(at: Date): string {
  const [, day = "", month = "", year = "", time = ""] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString()) ?? [];
  return `${day}-${month}-${year} ${time} +0000`;
}

function mailsIn({ state, folder }: Connection, range: string, isUid: boolean): StoredMail[] {
  const mails = state.folders.get(folder ?? "") ?? [];
  const bounds = range.split(",").map((part) => {
    const [from = "", to = from] = part.split(":");
    return [Number(from), to === "*" ? Number.POSITIVE_INFINITY : Number(to)] as const;
  });
  return mails.filter((mail, index) => {
    const number = isUid ? mail.uid : index + 1;
    return bounds.some(([from, to]) => number >= from && number <= to);
  });
}

function copy(connection: Connection, args: string): string {
  const [range = "", ...name] = args.split(" ");
  const target = connection.state.folders.get(unquote(name.join(" ")));
  if (!target) throw new Refusal("[TRYCREATE] no such folder");
  for (const mail of mailsIn(connection, range, true)) target.push({ ...mail, uid: target.length + 1 });
  return "";
}

function remove({ state, folder }: Connection, isGone: (mail: StoredMail) => boolean): string {
  const mails = state.folders.get(folder ?? "") ?? [];
  const lines: string[] = [];
  for (let at = mails.length - 1; at >= 0; at--) {
    if (!isGone(mails[at] as StoredMail)) continue;
    mails.splice(at, 1);
    lines.push(`* ${at + 1} EXPUNGE\r\n`);
  }
  return lines.join("");
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}
