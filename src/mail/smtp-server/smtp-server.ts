/**
 * An SMTP server, for clients that log in (RFC 6409) and for mail from anywhere to addresses of ours. The package smtp-server takes commands that end with a bare LF, reads
 * a mail without end, and has commands that nobody needs here; docs/decisions/0029 says why this is ours.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { type Handlers, LIMITS, type Limits } from "./options.ts";
import { formatReply, lastReply, type Reply } from "./reply.ts";
import { type Session, startSession } from "./session.ts";

export type { Credentials } from "./auth.ts";
export type { SessionFacts, TakenMail } from "./options.ts";
export { type Reply, reply } from "./reply.ts";

export type SmtpServerOptions<L> = {
  readonly hostname: string;
  readonly handlers: Handlers<L>;
  readonly limits?: Partial<Limits>;
  readonly secureContext: () => SecureContext | undefined;
  /** Says whether a client may log in only under TLS. */
  readonly needsTls: (socket: Socket) => boolean;
  /** Returns what one person or machine controls, by which connections are counted. */
  readonly networkOf: (address: string | undefined) => string;
  readonly onError: (error: unknown) => void;
};

export type SmtpServer = {
  /** Begins to listen, and returns the port. */
  listen(place: {
    readonly host: string;
    readonly port: number;
    readonly isImplicitTls: boolean;
  }): Promise<number>;
  /** Tells clients that it stops; a mail that is under way has `graceMs` to arrive and to be answered. */
  stop(graceMs: number): Promise<void>;
};

type Connection = {
  readonly socket: Socket;
  readonly network: string;
  readonly session: Session;
  isLoggedIn: boolean;
};

const CROWDED = lastReply(421, "4.7.0", "Too many connections; try again later");
const STOPPING = lastReply(421, "4.3.2", "This server is stopping; try again in a moment");

export function createSmtpServer<L>(options: SmtpServerOptions<L>): SmtpServer {
  const limits: Limits = { ...LIMITS, ...options.limits };
  const connections = new Set<Connection>();
  const servers: Server[] = [];
  let heldBytes = 0;

  /**
   * Where there are too many connections, the oldest that hasn't logged in makes room. Whoever opens many and says nothing loses
   * those, and keeps nobody else out.
   */
  function makeRoom(network: string): boolean {
    const ofNetwork = [...connections].filter((one) => one.network === network);
    const isFull = ofNetwork.length >= limits.connectionsOfNetwork;
    if (!isFull && connections.size < limits.connections) return true;
    const stranger = (isFull ? ofNetwork : [...connections]).find(({ isLoggedIn }) => !isLoggedIn);
    if (!stranger) return false;
    connections.delete(stranger);
    turnAway(stranger.socket, CROWDED, limits.lingerMs);
    return true;
  }

  function onConnection(socket: Socket, isImplicitTls: boolean): void {
    socket.on("error", () => undefined);
    socket.setNoDelay(true);
    const address = socket.remoteAddress ?? "";
    const network = options.networkOf(address);
    if (!makeRoom(network)) {
      turnAway(socket, CROWDED, limits.lingerMs);
      return;
    }
    const session = startSession(socket, {
      ...options,
      limits,
      address,
      isImplicitTls,
      needsTls: options.needsTls(socket),
      hold(bytes) {
        heldBytes += bytes;
        return heldBytes <= limits.heldBytes;
      },
      letGo(bytes) {
        heldBytes -= bytes;
      },
      onLogin() {
        connection.isLoggedIn = true;
      },
    });
    const connection: Connection = { socket, network, session, isLoggedIn: false };
    connections.add(connection);
    void session.ended.finally(() => connections.delete(connection));
  }

  return {
    async listen({ host, port, isImplicitTls }) {
      const server = createServer((socket) => onConnection(socket, isImplicitTls));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once("error", reject).listen({ host, port }, () => resolve());
      await promise;
      server.on("error", options.onError);
      servers.push(server);
      return (server.address() as AddressInfo).port;
    },
    async stop(graceMs) {
      for (const server of servers) server.close();
      const open = [...connections];
      for (const { session } of open) session.end(STOPPING);
      const forced = setTimeout(() => {
        for (const { socket } of connections) socket.destroy();
      }, graceMs);
      await Promise.all(open.map(({ session }) => session.ended));
      clearTimeout(forced);
    },
  };
}

/** Says one thing in the clear and ends the connection; under TLS nobody understands it, and sees that it ended. */
function turnAway(socket: Socket, because: Reply, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  socket.end(formatReply(because));
}
