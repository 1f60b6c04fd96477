/** Runs mail servers that the SMTP client is held against: Debian's smtp-sink, Postfix and Exim. */
import { chownSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isQueueEmpty, listInbox, POSTFIX, runPostfix } from "./postfix.ts";
import {
  findPort,
  findPrograms,
  OWNER,
  type Programs,
  type Running,
  start,
  stop,
  untilListening,
} from "./processes.ts";

export type MailServer = Running & {
  /** Returns the bodies of all messages, with LF for CRLF, once there are `count` of them and nothing is under way. */
  bodies(count: number): Promise<string[]>;
};

/** Finds the programs of all three. */
export function findMailServers(folder: string): Programs {
  return findPrograms(folder, ["/usr/sbin/smtp-sink", POSTFIX, "/usr/sbin/exim4"]);
}

export async function startSink(programs: Programs, flags: readonly string[]): Promise<MailServer> {
  const port = await findPort();
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = start(programs, "/usr/sbin/smtp-sink", [...user, ...flags, `127.0.0.1:${port}`, "100"], {
    MAIL_CONFIG: writeSinkConfig(programs),
  });
  await untilListening(port, child);
  return { port, bodies: async () => [], stop: () => stop(child) };
}

/** smtp-sink needs a configuration, even if it is empty. */
function writeSinkConfig({ root }: Programs): string {
  if (root === "") return "/etc/postfix";
  const folder = join(root, "sink");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.cf"), "");
  return folder;
}

export async function startPostfix(programs: Programs, folder: string): Promise<MailServer> {
  const port = await findPort();
  const running = await runPostfix(programs, folder, port);
  const read = () => listInbox(folder).map(readBody);
  return { ...running, bodies: (count) => untilThere(count, read, () => isQueueEmpty(folder)) };
}

/** Starts Exim so that it only queues; the messages stand in its spool. */
export async function startExim(programs: Programs, folder: string): Promise<MailServer> {
  const port = await findPort();
  const spool = join(folder, "spool");
  const binary = join(programs.root || "/", "usr/sbin/exim4");
  const config = join(folder, "exim.conf");
  mkdirSync(spool);
  chownSync(spool, OWNER.uid, OWNER.uid);
  writeFileSync(config, eximConfig(binary, spool, port), { mode: 0o644 });
  const child = start(programs, "/usr/sbin/exim4", ["-C", config, "-bdf"], inventEximUser(programs, folder));
  await untilListening(port, child);
  const read = () =>
    globSync("input/**/*-D", { cwd: spool }).map((name) => {
      const text = readFileSync(join(spool, name), "latin1");
      return text.slice(text.indexOf("\n") + 1); // The first line is the file's own name.
    });
  const isQuiet = () => globSync("input/**/*-J", { cwd: spool }).length === 0;
  return { port, bodies: (count) => untilThere(count, read, isQuiet), stop: () => stop(child) };
}

function eximConfig(binary: string, spool: string, port: number): string {
  return `exim_path = ${binary}
spool_directory = ${spool}
log_file_path = ${spool}/%slog
pid_file_path = ${spool}/pid
primary_hostname = receiver.example.test
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
queue_only = true
tls_advertise_hosts =
host_lookup =
keep_environment =
message_size_limit = 50M
smtp_accept_max = 100
smtp_accept_max_per_connection = 0
acl_smtp_rcpt = accept
acl_smtp_data = accept
begin routers
all:
  driver = accept
  transport = nowhere
begin transports
nowhere:
  driver = appendfile
  file = /dev/null
  user = nobody
`;
}

/** The package of Exim creates a user, which unpacking doesn't, so a library makes this process see one. */
function inventEximUser({ root }: Programs, folder: string): Record<string, string> {
  if (/^Debian-exim:/m.test(readFileSync("/etc/passwd", "utf8"))) return {};
  const [library] = globSync("usr/lib/*/libnss_wrapper.so", { cwd: root || "/" });
  if (!library) return {};
  const [passwd, group] = [join(folder, "passwd"), join(folder, "group")];
  const line = `Debian-exim:x:${OWNER.uid}:`;
  writeFileSync(passwd, `${readFileSync("/etc/passwd", "utf8")}${line}${OWNER.uid}::/:/bin/false\n`);
  writeFileSync(group, `${readFileSync("/etc/group", "utf8")}${line}\n`);
  return { LD_PRELOAD: join(root, library), NSS_WRAPPER_PASSWD: passwd, NSS_WRAPPER_GROUP: group };
}

/** Returns all messages when there are enough and no more are coming, or what there is after half a minute. */
async function untilThere(count: number, read: () => string[], isQuiet: () => boolean): Promise<string[]> {
  for (let attempt = 0; attempt < 300 && !(read().length >= count && isQuiet()); attempt++) await sleep(100);
  return read();
}

function readBody(path: string): string {
  const text = readFileSync(path, "latin1");
  return text.slice(text.indexOf("\n\n") + 2);
}
