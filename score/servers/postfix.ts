/** Runs a Postfix of its own, which puts all mail that it takes into one Maildir unless it is told otherwise. */
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NOBODY, OWNER, type Programs, type Running, start, stop, untilListening } from "./processes.ts";

export const POSTFIX = "/usr/lib/postfix/sbin/master";
/** What a Postfix needs that sends mail on. */
export const SENDING_SERVICES = "smtp unix - - n - - smtp\nretry unix - - n - - error\n";

/** Starts a Postfix in this folder; the lines are added to its main.cf and master.cf, and win over those before them. */
export async function runPostfix(
  programs: Programs,
  folder: string,
  port: number,
  more: { readonly main?: string; readonly services?: string } = {},
): Promise<Running> {
  const config = makePostfixFolders(folder);
  writeFileSync(join(config, "main.cf"), `${postfixMain(programs, folder)}${more.main ?? ""}`);
  writeFileSync(join(config, "master.cf"), `${postfixServices(port)}${more.services ?? ""}`);
  const child = start(programs, POSTFIX, ["-d", "-c", config], { MAIL_CONFIG: config });
  await untilListening(port, child);
  return { port, stop: () => stop(child) };
}

/** Returns the paths of all messages that Postfix has delivered to its mailbox. */
export function listInbox(folder: string): string[] {
  const inbox = join(folder, "mail/inbox/new");
  return existsSync(inbox) ? readdirSync(inbox).map((name) => join(inbox, name)) : [];
}

/** Says whether Postfix has delivered or returned all that it took. */
export function isQueueEmpty(folder: string): boolean {
  const busy = globSync(`{incoming,active,deferred,maildrop}/**/[0-9A-F]*`, { cwd: join(folder, "queue") });
  return busy.length === 0;
}

function makePostfixFolders(folder: string): string {
  const make = (path: string, mode: number, uid: number) => {
    mkdirSync(join(folder, path), { recursive: true });
    chmodSync(join(folder, path), mode);
    chownSync(join(folder, path), uid, 0);
  };
  for (const path of ["config", "queue", "queue/pid"]) make(path, 0o755, 0);
  const own = [
    "active",
    "bounce",
    "corrupt",
    "defer",
    "deferred",
    "flush",
    "hold",
    "incoming",
    "private",
    "trace",
  ];
  for (const name of [...own, "public", "maildrop", "saved"]) make(`queue/${name}`, 0o710, OWNER.uid);
  make("data", 0o700, OWNER.uid);
  make("mail", 0o700, NOBODY);
  return join(folder, "config");
}

function postfixMain({ root }: Programs, folder: string): string {
  const daemons = join(root || "/", "usr/lib/postfix");
  return `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
meta_directory = ${folder}/config
daemon_directory = ${daemons}/sbin
shlib_directory = ${daemons}
command_directory = ${root}/usr/sbin
import_environment = MAIL_CONFIG LD_LIBRARY_PATH
export_environment = MAIL_CONFIG LD_LIBRARY_PATH
mail_owner = ${OWNER.name}
setgid_group = mail
default_privs = nobody
myhostname = receiver.example.test
mydestination =
inet_interfaces = loopback-only
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
message_size_limit = 50000000
virtual_mailbox_limit = 0
virtual_mailbox_domains = example.test
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = static:inbox/
virtual_uid_maps = static:${NOBODY}
virtual_gid_maps = static:${NOBODY}
virtual_minimum_uid = 1
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
`;
}

function postfixServices(port: number): string {
  return `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`;
}
