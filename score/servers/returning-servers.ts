/**
 * Runs the servers for `returning.ts`: a Postfix that queues all mail before it tries to deliver it, a next hop that refuses some
 * of it, and a Dovecot that shows what was returned to a mailbox.
 */
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { runPostfix, SENDING_SERVICES } from "./postfix.ts";
import { findPort, NOBODY, type Programs, type Running, start, stop, untilListening } from "./processes.ts";

export type Refusal = { readonly code: number; readonly text: string };

/** Refuses recipients by the local part of their address, and takes whatever it doesn't refuse. */
export async function startNextHop(refusals: ReadonlyMap<string, Refusal>): Promise<Running> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo({ address }, _session, done) {
      const refusal = refusals.get(address.split("@")[0]?.replace(/\d+$/, "") ?? "");
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done());
    },
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

export type PostfixOptions = {
  readonly programs: Programs;
  readonly folder: string;
  readonly port: number;
  readonly nextHop: number;
  /** Mail to this domain is sent on to this port; mail to `mailboxDomain` is put into a Maildir. */
  readonly returning: { readonly domain: string; readonly port: number } | { readonly mailboxDomain: string };
};

/** Its queue makes each refusal asynchronous: by the time of it, the mail was accepted, and only a report can tell. */
export async function startRelayingPostfix(options: PostfixOptions): Promise<Running> {
  const { programs, folder, port, nextHop, returning } = options;
  const back =
    "domain" in returning
      ? `transport_maps = inline:{ ${returning.domain}=smtp:[127.0.0.1]:${returning.port} }\nvirtual_mailbox_domains =\n`
      : `virtual_mailbox_domains = ${returning.mailboxDomain}\n`;
  const main = `default_transport = smtp:[127.0.0.1]:${nextHop}
${back}notify_classes =
smtpd_peername_lookup = no
smtp_tls_security_level = none
`;
  return runPostfix(programs, folder, port, { main, services: SENDING_SERVICES });
}

export const dovecotUser = { username: "news", password: "without-any-blanks" };

export function hasDovecot(): boolean {
  return existsSync("/usr/sbin/dovecot");
}

/** Shows the Maildir that Postfix fills in its folder. */
export async function startDovecot(programs: Programs, folder: string): Promise<Running> {
  const port = await findPort();
  const own = join(folder, "dovecot");
  mkdirSync(own);
  chmodSync(own, 0o755);
  const config = join(own, "dovecot.conf");
  writeFileSync(config, dovecotConfig(folder, own, port));
  const child = start(programs, "/usr/sbin/dovecot", ["-F", "-c", config], {});
  try {
    await untilListening(port, child);
  } catch (error) {
    const log = join(own, "log");
    throw new Error(existsSync(log) ? readFileSync(log, "utf8") : "dovecot didn't start", { cause: error });
  }
  return { port, stop: () => stop(child) };
}

function dovecotConfig(folder: string, own: string, port: number): string {
  return `base_dir = ${own}/run
state_dir = ${own}/state
log_path = ${own}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail/inbox
first_valid_uid = 1
passdb {
  driver = static
  args = password=${dovecotUser.password}
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${folder}/mail
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`;
}
