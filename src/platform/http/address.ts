/** Where a server that listens there is reached from its own machine: 0.0.0.0 means every address, and names none. */
export function localUrl(host: string, port: number): string {
  const named = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${named.includes(":") ? `[${named}]` : named}:${port}`;
}
