/** Reads the certificate and its key, and reads them again when a file has changed: certificates are renewed every few weeks. */
import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Log } from "./log.ts";
import { StartupError } from "./startup-error.ts";

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/** Returns what gives the current context. It looks at the files when a client begins TLS, which takes some microseconds. */
export function openTlsFiles(files: TlsFiles, log: Log): () => SecureContext {
  let seen = "";
  let context: SecureContext;
  try {
    context = load(files);
    seen = marksOf(files);
  } catch (error) {
    throw new StartupError(
      `TLS_CERT_FILE and TLS_KEY_FILE can't be used: ${(error as Error).message}`,
      "name a certificate chain and its private key, both in PEM, that this user may read",
    );
  }
  return () => {
    try {
      const marks = marksOf(files);
      if (marks === seen) return context;
      seen = marks;
      context = load(files);
      log.info("the TLS certificate has changed and was read again");
    } catch (error) {
      // One of the files may be written before the other. The former pair is used until both fit.
      log.warn({ reason: (error as Error).message }, "the TLS certificate has changed and can't be read");
    }
    return context;
  };
}

function load({ certFile, keyFile }: TlsFiles): SecureContext {
  return createSecureContext({
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
    minVersion: "TLSv1.2",
  });
}

function marksOf({ certFile, keyFile }: TlsFiles): string {
  return [certFile, keyFile]
    .map((file) => {
      const { ino, size, mtimeMs } = statSync(file);
      return `${ino} ${size} ${mtimeMs}`;
    })
    .join(" ");
}
