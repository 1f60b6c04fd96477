/** Which of an account's transports a stream leaves by: a rule without I/O. */
import { STREAMS, type Stream } from "../types.ts";

/**
 * The account's own for the stream, else its own for campaigns. undefined: the instance's server, or the sandbox where there
 * is none. But mail doesn't fall into the sandbox while another stream of the account has a transport: then it leaves by that.
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
