/** SMTP submission is a part of the `public` role, and is off unless SUBMISSION_PORT is set. */
import { hostname } from "node:os";
import { createKeyCheck, watchKeyChanges } from "../accounts/accounts.ts";
import { createReadyNotifier } from "../delivery/delivery.ts";
import { createRoomFinder, createSenderFinder, createWaveFinder } from "../emails/emails.ts";
import { type Submission, startSubmission } from "../submission/submission.ts";
import { createTemplateFiller } from "../templates/templates.ts";
import type { App } from "./app.ts";
import type { Http } from "./http.ts";

type Settings = Pick<App["config"], "submissionPort" | "submissionTlsPort" | "tlsCertFile">;

/** What a program has to know to submit mail; null where it can't. A port that the machine chooses isn't known here. */
export function submissionOf(settings: Settings, publicUrl: string) {
  const { submissionPort: port, submissionTlsPort: tlsPort, tlsCertFile } = settings;
  if (!port) return null;
  const { hostname: host } = new URL(publicUrl);
  return { host, port, tls_port: tlsPort || null, tls: tlsCertFile !== undefined };
}

export async function startSubmissionRole(app: App, http: Http): Promise<Submission | undefined> {
  const { db, clock, log, listener, config } = app;
  const { submissionPort: port, submissionTlsPort: tlsPort, tlsCertFile, tlsKeyFile } = config;
  if (port === undefined) return undefined;
  const keyCheck = createKeyCheck(db, clock, log);
  watchKeyChanges(listener, keyCheck);
  const url = config.publicUrl ?? config.baseUrl;
  return startSubmission({
    host: config.host,
    port,
    tlsPort,
    tlsFiles:
      tlsCertFile !== undefined && tlsKeyFile !== undefined
        ? { certFile: tlsCertFile, keyFile: tlsKeyFile }
        : undefined,
    hostname: url === undefined ? hostname() : new URL(url).hostname,
    rateLimitPerMinute: config.rateLimitPerMinute,
    tools: {
      secrets: app.secrets,
      hashAddress: app.hashAddress,
      workers: app.contentWorkers,
      hasInstanceServer: app.relay !== undefined,
      wakeSenders: createReadyNotifier(db),
      fillTemplate: createTemplateFiller(app.contentWorkers),
      findWave: createWaveFinder(app.relay !== undefined),
      findRoom: createRoomFinder(),
      senders: createSenderFinder(app.signing, config.unverifiedSenders),
      publicUrl: () => config.publicUrl ?? http.baseUrl(),
    },
    keyCheck,
    db,
    clock,
    log,
  });
}
