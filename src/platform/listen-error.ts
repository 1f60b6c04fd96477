/** Says in words why a port can't be listened on, and which setting names another. */
import { StartupError } from "./startup-error.ts";

export function explainListenError(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { readonly host: string; readonly port: number; readonly setting: string },
): Error {
  if (error.code === "EADDRINUSE") {
    return new StartupError(
      `port ${port} on ${host} is taken by another program`,
      `stop that one, or set ${setting}`,
    );
  }
  if (error.code === "EACCES")
    return new StartupError(`port ${port} may not be used by this user`, `set ${setting} above 1023`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartupError(`HOST ${host} is no address of this machine`, "set HOST to 127.0.0.1 or 0.0.0.0");
  }
  return error;
}
