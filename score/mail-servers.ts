/**
 * Runs mail servers that aren't ours for `smtp.ts` and `returning-servers.ts`: Debian's smtp-sink, Postfix and Exim, on loopback
 * and in a folder of their own. Where they aren't installed (two of the packages exclude each other) they are unpacked instead.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type MailServer = {
  readonly port: number;
  /** Returns the bodies of all messages, with LF for CRLF, once there are `count` of them and nothing is under way. */
  bodies(count: number): Promise<string[]>;
  stop(): Promise<void>;
};

const PACKAGES = ["postfix", "exim4-daemon-light", "libidn12", "libnss-wrapper"];
export const NOBODY = 65_534;
/** Postfix and Exim need an owner of their files who is neither root nor nobody. */
const OWNER = { name: "daemon", uid: 1 };

const ALL_PROGRAMS = ["/usr/sbin/smtp-sink", "/usr/lib/postfix/sbin/master", "/usr/sbin/exim4"];

export type Programs = {
  /** The folder of unpacked programs; empty where the system's own are used. */
  readonly root: string;
  has(path: string): boolean;
};

/** Returns the programs of the system, or those of packages that are downloaded into `folder`. */
export function findPrograms(folder: string, wanted: readonly string[] = ALL_PROGRAMS): Programs {
  if (!wanted.every((path) => existsSync(path))) unpack(folder);
  const root = wanted.every((path) => existsSync(path)) ? "" : folder;
  return { root, has: (path) => existsSync(join(root || "/", path)) };
}

function unpack(folder: string): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: "ignore", timeout: 120_000 });
  try {
    run("apt-get", "download", ...PACKAGES);
    for (const file of globSync("*.deb", { cwd: folder })) run("dpkg", "-x", file, folder);
  } catch {
    // Without apt, dpkg or a network there is nothing to run, and the scorer says so.
  }
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
  const paths = makePostfixFolders(folder);
  const daemons = join(programs.root || "/", "usr/lib/postfix");
  writeFileSync(join(paths.config, "main.cf"), postfixMain(programs, folder, daemons));
  writeFileSync(join(paths.config, "master.cf"), postfixServices(port));
  const args = ["-d", "-c", paths.config];
  const child = start(programs, "/usr/lib/postfix/sbin/master", args, { MAIL_CONFIG: paths.config });
  await untilListening(port, child);
  const inbox = join(folder, "mail/inbox/new");
  const busy = () =>
    globSync(`{incoming,active,deferred,maildrop}/**/[0-9A-F]*`, { cwd: join(folder, "queue") });
  const read = () => (existsSync(inbox) ? readdirSync(inbox).map((name) => readBody(join(inbox, name))) : []);
  return {
    port,
    bodies: (count) => untilThere(count, read, () => busy().length === 0),
    stop: () => stop(child),
  };
}

export function makePostfixFolders(folder: string): { config: string } {
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
  return { config: join(folder, "config") };
}

export function postfixMain({ root }: Programs, folder: string, daemons: string): string {
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

export function postfixServices(port: number): string {
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

/** Starts a program in a session of its own, because Postfix's master ends its whole process group. */
export function start(
  programs: Programs,
  path: string,
  args: readonly string[],
  env: Record<string, string>,
): ChildProcess {
  const { root } = programs;
  const libraries =
    root === "" ? [] : [join(root, "usr/lib/postfix"), ...globSync(join(root, "usr/lib/*-linux-gnu"))];
  const environment = { PATH: process.env["PATH"], LD_LIBRARY_PATH: libraries.join(":"), ...env };
  return spawn(join(root || "/", path), args, { detached: true, stdio: "ignore", env: environment });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const isUp = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
    await sleep(20);
  }
  throw new Error(`${child.spawnfile} doesn't listen`);
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
