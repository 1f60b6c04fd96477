/** A host that serves a certificate and confirms subscriptions as SNS does, and the signing of messages. */
import { sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { snsCertificate, snsKey } from "./sns-certificate.ts";

export const TOPIC = "arn:aws:sns:us-east-1:123456789012:bounces";

export type SnsHost = {
  /** `https://sns.us-east-1.amazonaws.com:…`; whoever fetches from it must resolve the name to 127.0.0.1. */
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  close(): void;
};

export async function startSnsHost(): Promise<SnsHost> {
  const asked: string[] = [];
  const server = createServer({ key: snsKey, cert: snsCertificate }, (request, response) => {
    asked.push(request.url ?? "");
    if (request.url?.endsWith(".pem")) response.end(snsCertificate);
    else if (request.url?.includes("ConfirmSubscription")) response.end("<ok/>");
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `https://sns.us-east-1.amazonaws.com:${port}`, asked, close: () => server.close() };
}

type Fields = Readonly<Record<string, string>>;

const SIGNED = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    "Message",
    "MessageId",
    "SubscribeURL",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type",
  ],
};

/** Returns the body that SNS would post; `changes` are made before it is signed, and `forged` after. */
export function snsBody(
  host: SnsHost,
  type: keyof typeof SIGNED,
  { changes = {}, forged = {}, version = "1" }: { changes?: Fields; forged?: Fields; version?: string } = {},
): Buffer {
  const fields: Fields = {
    Type: type,
    MessageId: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
    TopicArn: TOPIC,
    Message: "You have chosen to subscribe.",
    Timestamp: new Date().toISOString(),
    SignatureVersion: version,
    SigningCertURL: `${host.url}/SimpleNotificationService-0123.pem`,
    ...(type === "SubscriptionConfirmation" && {
      Token: "2336412f37",
      SubscribeURL: `${host.url}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37`,
    }),
    ...changes,
  };
  const text = SIGNED[type]
    .filter((name) => fields[name] !== undefined)
    .map((name) => `${name}\n${fields[name]}\n`)
    .join("");
  const algorithm = version === "2" ? "sha256" : "sha1";
  const Signature = sign(algorithm, Buffer.from(text), snsKey).toString("base64");
  return Buffer.from(JSON.stringify({ ...fields, Signature, ...forged }));
}
