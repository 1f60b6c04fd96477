/** A domain and a real DNS server for the tests of its records. */
import { type DnsServer, startDnsServer } from "../../../test/support/dns-server.ts";
import { inspectRecords } from "./records.ts";
import type { DomainFacts, DomainRecord, FetchTracking, Inspection } from "./types.ts";

/** 410 octets, as the record of an RSA key of 2048 bits has. */
export const KEY = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0B".repeat(19)}AQ8AMIIBCg==`;
const STANDBY_KEY = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0C".repeat(19)}AQ8AMIIBCg==`;

export const FACTS: DomainFacts = {
  name: "shop.example",
  returnPath: "bounces.shop.example",
  trackingHost: "links.shop.example",
  keys: [
    { selector: "pr1", algorithm: "rsa", record: KEY, state: "active" },
    { selector: "pr2", algorithm: "rsa", record: STANDBY_KEY, state: "standby" },
  ],
  rua: "dmarc-abc@in.provider.example",
  inboundDomain: "in.provider.example",
  publicHost: "mail.provider.example",
  senders: [{ name: "Relay", host: "relay.provider.example", addresses: ["5.9.1.25"] }],
};

export const fetchOurs: FetchTracking = async () => ({
  kind: "answered",
  isOurs: true,
  status: 200,
  certificateEndsAt: new Date("2030-01-02T03:04:05Z"),
});

export type Bench = {
  readonly server: DnsServer;
  /** Publishes all that the domain needs. */
  publish(): void;
  inspect(facts?: Partial<DomainFacts>, fetchTracking?: FetchTracking): Promise<Inspection>;
  /** The record of this kind, or that of the active key. */
  record(
    kind: DomainRecord["kind"],
    facts?: Partial<DomainFacts>,
    fetchTracking?: FetchTracking,
  ): Promise<DomainRecord>;
};

export async function startBench(): Promise<Bench> {
  const server = await startDnsServer();
  const inspect: Bench["inspect"] = (facts = {}, fetchTracking = fetchOurs) =>
    inspectRecords({ dns: server.dns, fetchTracking }, { ...FACTS, ...facts });
  return {
    server,
    inspect,
    async record(kind, facts, fetchTracking) {
      const { records } = await inspect(facts, fetchTracking);
      const found = records.find((one) => one.kind === kind);
      if (!found) throw new Error(`there is no record of kind ${kind}`);
      return found;
    },
    publish() {
      for (const name of [...names]) {
        server.remove(name);
        server.misbehave(name, null);
      }
      server.set("shop.example", "NS", ["ns1.hosting.example"]);
      server.set("pr1._domainkey.shop.example", "TXT", [KEY]);
      server.set("pr2._domainkey.shop.example", "TXT", [STANDBY_KEY]);
      server.set("bounces.shop.example", "CNAME", ["in.provider.example"]);
      server.set("in.provider.example", "MX", [{ exchange: "mx.provider.example", preference: 10 }]);
      server.set("in.provider.example", "TXT", ["v=spf1 ip4:5.9.1.0/24 -all"]);
      server.set("*._report._dmarc.in.provider.example", "TXT", ["v=DMARC1"]);
      server.set("shop.example", "TXT", ["site-verification=1", "v=spf1 ip4:5.9.1.25 -all"]);
      server.set("_dmarc.shop.example", "TXT", [`v=DMARC1; p=reject; rua=mailto:${FACTS.rua}`]);
      server.set("links.shop.example", "CNAME", ["mail.provider.example"]);
      server.set("mail.provider.example", "A", ["5.9.1.80"]);
    },
  };
}

const names = [
  "shop.example",
  "pr1._domainkey.shop.example",
  "pr2._domainkey.shop.example",
  "pr1.domainkey.shop.example",
  "pr1._domainkey.shop.example.shop.example",
  "_domainkey.shop.example",
  "bounces.shop.example",
  "bounces.shop.example.shop.example",
  "_dmarc.shop.example",
  "_dmarc.shop.example.shop.example",
  "links.shop.example",
  "in.provider.example",
  "mail.provider.example",
  "*._report._dmarc.in.provider.example",
];
