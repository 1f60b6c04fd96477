/** What comes in by SMTP is a part of the `public` role, and is off unless INBOUND_PORT is set. */
import { isOpenTest } from "../deliverability/deliverability.ts";
import { type InboundListener, startListener } from "../inbound/inbound.ts";
import type { App } from "./app.ts";

export async function startInboundRole(app: App): Promise<InboundListener | undefined> {
  const { inboundPort: port, inboundDomain: domain, host, tlsCertFile, tlsKeyFile } = app.config;
  if (port === undefined || domain === undefined) return undefined;
  const tlsFiles =
    tlsCertFile !== undefined && tlsKeyFile !== undefined
      ? { certFile: tlsCertFile, keyFile: tlsKeyFile }
      : undefined;
  return startListener({ ...app, host, port, domain, tlsFiles, isOpenTest });
}
