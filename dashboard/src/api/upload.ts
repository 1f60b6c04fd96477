/** Sends a request of a browser's old kind, because that alone tells how much of the body has gone. */
export function sendWithProgress(
  address: string,
  {
    method,
    headers,
    body,
    signal,
    onSent,
  }: {
    method: string;
    headers: Headers;
    body: FormData;
    signal: AbortSignal | undefined;
    /** Hears the share that has gone, from 0 to 1. */
    onSent: (share: number) => void;
  },
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sender = new XMLHttpRequest();
  sender.open(method, address);
  for (const [name, value] of headers) sender.setRequestHeader(name, value);
  sender.upload.addEventListener("progress", ({ loaded, total }) => total > 0 && onSent(loaded / total));
  sender.addEventListener("load", () => resolve(responseOf(sender)));
  sender.addEventListener("error", () => reject(new TypeError("no answer")));
  sender.addEventListener("abort", () => reject(signal?.reason ?? new TypeError("no answer")));
  signal?.addEventListener("abort", () => sender.abort(), { once: true });
  sender.send(body);
  return promise;
}

function responseOf(sender: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of sender.getAllResponseHeaders().split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(sender.status === 204 ? null : sender.responseText, { status: sender.status, headers });
}
