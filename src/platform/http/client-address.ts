import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/**
 * The address of whoever asks: that of the connection, or what the trusted proxies before it say in X-Forwarded-For. Each proxy
 * appends the address that it sees, so the list is read from its end, one entry for each proxy. It is what the framework says too.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const nearest = socket.remoteAddress ?? "";
  const forwarded = headers["x-forwarded-for"];
  if (trustedProxies === 0 || typeof forwarded !== "string") return nearest;
  let address = nearest;
  let end = forwarded.length;
  for (let hop = 0; hop < trustedProxies && end > 0; ) {
    const start = forwarded.lastIndexOf(",", end - 1) + 1;
    const said = forwarded.slice(start, end).trim();
    end = start - 1;
    if (said === "") continue;
    address = said;
    hop++;
  }
  return address;
}

/** The name by which whoever asks knows this service, without its port: Host, or what a trusted proxy says in X-Forwarded-Host. */
export function requestedHost(headers: IncomingHttpHeaders, trustedProxies: number): string {
  const forwarded = trustedProxies > 0 ? headers["x-forwarded-host"] : undefined;
  const host = typeof forwarded === "string" ? (forwarded.split(",").at(-1) ?? "").trim() : headers.host;
  const [name = ""] = /^(?:\[[^\]]*\]|[^:]*)/.exec(host ?? "") ?? [];
  return name;
}
