/**
 * Answers a few paths before the framework sees them. A link in a mail is asked for so often, and all at once after a send, that
 * the framework's own steps would be most of its cost. Whatever isn't taken here goes the usual way.
 */
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { clientAddress, requestedHost } from "./client-address.ts";

export type DirectRequest = {
  readonly method: string;
  /** The request's target as it was sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's address, behind as many proxies as are trusted. */
  readonly ip: string;
  /** The name by which the client asked, without the port. */
  readonly hostname: string;
};

export type DirectAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

export type Answered = { method: string; route: string; status: number; durationMs: number };

/** What takes a request on itself. */
type Taken = {
  /** The pattern of the path, for logs and metrics. */
  readonly route: string;
  answer(request: DirectRequest): Promise<DirectAnswer>;
};

/** Returns undefined for a path that is left to the framework. It is asked for every request, so it must be quick. */
export type TakePath = (path: string) => Taken | undefined;

export type DirectOptions = {
  readonly trustProxy: number;
  readonly isStopping: () => boolean;
  readonly requestId: (request: IncomingMessage) => string;
  /** The headers that every answer has. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** Turns an error into an answer. */
  readonly refuse: (error: unknown, requestId: string, route: string) => DirectAnswer;
  readonly answered: (answered: Answered) => void;
  /** Is told of an error that no answer can be made of: the connection is closed instead. */
  readonly broken: (error: unknown) => void;
};

/** Puts `take` in front of the listeners that the server has. */
export function answerDirectly(server: Server, take: TakePath, options: DirectOptions): void {
  const others = server.listeners("request") as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    // An error that left this listener, or a promise that nobody waits for, would end the process.
    const close = (error: unknown) => {
      response.destroy();
      options.broken(error);
    };
    let taken: Taken | undefined;
    try {
      if (isPlain(request) && !options.isStopping()) taken = take(pathOf(request.url ?? ""));
    } catch (error) {
      return close(error);
    }
    if (taken) answer(request, response, taken, options).catch(close);
    else for (const other of others) other.call(server, request, response);
  });
}

/** A body has limits and a deadline, which the usual way keeps. */
function isPlain({ method, headers }: IncomingMessage): boolean {
  return (
    (method === "GET" || method === "HEAD") &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  taken: Taken,
  options: DirectOptions,
): Promise<void> {
  const startedMs = performance.now();
  const { method = "", url = "", headers } = request;
  const { route } = taken;
  const id = options.requestId(request);
  const ip = clientAddress(request, options.trustProxy);
  const hostname = requestedHost(headers, options.trustProxy);
  let answered: DirectAnswer;
  try {
    answered = await taken.answer({ method, url, headers, ip, hostname });
  } catch (error) {
    answered = options.refuse(error, id, route);
  }
  const { status, headers: own, body } = answered;
  response.writeHead(status, {
    ...options.commonHeaders,
    ...own,
    "x-request-id": id,
    "content-length": String(Buffer.byteLength(body)),
    ...(options.isStopping() && { connection: "close" }),
  });
  response.end(body);
  options.answered({ method, route, status, durationMs: performance.now() - startedMs });
}
