/** A relay as small as can be: it answers as the test says, and writes down what it was told. */
import { createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { createSecureContext, TLSSocket } from "node:tls";

export type Script = {
  /** null: it never says a word. */
  greeting?: string | null;
  /** The keywords of EHLO, before and after STARTTLS. */
  offers?: readonly string[];
  offersInTls?: readonly string[];
  ehlo?: "refuse" | "close";
  starttls?: "refuse" | "garbage";
  implicitTls?: true;
};

export async function startRelay(t: TestContext, script: Script): Promise<{ port: number; told: string[] }> {
  const told: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (script.implicitTls) serve(secure(socket), script, told, true);
    else serve(socket, script, told, false);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: await listen(server), told };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function serve(socket: Socket, script: Script, told: string[], isTls: boolean): void {
  const say = (text: string) => void socket.write(`${text}\r\n`);
  if (script.greeting === null) return;
  if (!isTls || script.implicitTls) say(script.greeting ?? "220 relay.test ESMTP");
  socket
    .on("error", () => undefined)
    .on("data", (bytes: Buffer) => {
      for (const line of bytes.toString().trimEnd().split("\r\n")) {
        told.push(line);
        if (/^EHLO /.test(line) && script.ehlo === "close") socket.destroy();
        else if (/^EHLO /.test(line) && script.ehlo === "refuse") say("502 5.5.1 what?");
        else if (/^EHLO /.test(line)) {
          const offers = (isTls ? script.offersInTls : script.offers) ?? [];
          const lines = ["relay.test", ...offers];
          say(lines.map((one, index) => `250${index === lines.length - 1 ? " " : "-"}${one}`).join("\r\n"));
        } else if (/^HELO /.test(line)) say("250 relay.test");
        else if (line === "QUIT") {
          say("221 bye");
          socket.end();
        } else if (line === "STARTTLS" && script.starttls === "refuse") say("454 4.7.0 not now");
        else if (line === "STARTTLS") {
          say("220 go ahead");
          socket.removeAllListeners("data");
          if (script.starttls === "garbage") say("this is no handshake, surely not");
          else serve(secure(socket), script, told, true);
        } else say("500 what?");
      }
    });
}

function secure(socket: Socket): TLSSocket {
  return new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ key, cert }) });
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
}

// For localhost, signed by itself and good for a hundred years; it protects nothing.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCQL64malGPIHLLF1
L35Uf/zvqIAC+d+hRjFPmGdnhPahRANCAATZsuUSn0ugj3ylO/Oz2y7FaAHuO3R2
v+yVrqZf1HDsV+aF4wvNrepoxwjKI3JJkTiKDvn4iPGzTxGItzimtnlZ
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUO3gZCgtCMd0qpKT47OU/TQMmfL4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTAyNDIyMVoYDzIxMjYxMDIy
MDI0MjIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATZsuUSn0ugj3ylO/Oz2y7FaAHuO3R2v+yVrqZf1HDsV+aF4wvNrepo
xwjKI3JJkTiKDvn4iPGzTxGItzimtnlZo2kwZzAdBgNVHQ4EFgQUi+xA8uliMMtm
gK5ARRtwPvWiI8wwHwYDVR0jBBgwFoAUi+xA8uliMMtmgK5ARRtwPvWiI8wwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgK3YOfqSr6jONtaq0P0UOoZo+F1lpk4bip9ZPpD00cokCIQDVxu+sXarY
fSW5sgSa1Urn+upx9xv5I2pNjRfqubSP+w==
-----END CERTIFICATE-----`;
