/** This pure rule chooses by which of an account's transports the mail of a stream leaves. */
import { STREAMS, type Stream } from "../types.ts";

/**
 * Returns the account's own transport for the stream, else its own for campaigns, else undefined for the instance's server,
 * or the sandbox where there is none. But while any stream of the account has a transport, mail leaves by that, and not into
 * the sandbox.
 */
export function chooseTransport<T>(
  stream: Stream,
  own: Readonly<Partial<Record<Stream, T>>>,
  hasInstanceServer: boolean,
): T | undefined {
  const chosen = own[stream] ?? own.campaign;
  if (chosen !== undefined || hasInstanceServer) return chosen;
  const other = STREAMS.find((one) => own[one] !== undefined);
  return other && own[other];
}
