import { type Static, Type } from "typebox";
import { Nullable, oneOf, Timestamp } from "../platform/http/schemas.ts";
import { GROUPS } from "./check.ts";

export const Instance = Type.Object(
  {
    object: Type.Literal("instance"),
    version: Type.String({ description: "Of Postrider.", examples: ["0.1.0"] }),
    may_read_health: Type.Boolean({
      description: "Whether the caller may ask for `/v1/instance/health`.",
    }),
    submission: Nullable(
      Type.Object(
        {
          host: Type.String({ examples: ["mail.example.com"] }),
          port: Type.Integer({ examples: [587] }),
          tls_port: Nullable(
            Type.Integer({
              description: "Where TLS begins with the first byte; null where there is no such port.",
            }),
          ),
          tls: Type.Boolean({
            description:
              "Whether it has a certificate. Without one only programs on the same machine may send.",
          }),
        },
        {
          description:
            "Where programs submit mail by SMTP; null where `SUBMISSION_PORT` isn't set for the process that answers.",
        },
      ),
    ),
  },
  { title: "Instance" },
);
export type Instance = Static<typeof Instance>;

const HealthCheck = Type.Object(
  {
    name: Type.String({ examples: ["public address"] }),
    group: oneOf(GROUPS, { description: "What it is about." }),
    status: oneOf(["ok", "warn", "fail", "info"] as const, {
      description: "`warn` will do harm, `fail` does harm already, and `info` asks for nothing.",
    }),
    finding: Type.String({ description: "What was found." }),
    remedy: Nullable(Type.String({ description: "How to mend it; null where there is nothing to do." })),
  },
  { title: "HealthCheck" },
);
export const InstanceHealth = Type.Object(
  {
    object: Type.Literal("instance_health"),
    version: Type.String({ description: "Of Postrider.", examples: ["0.1.0"] }),
    checked_at: Timestamp,
    checks: Type.Array(HealthCheck),
    report: Type.String({ description: "The same as a text, for a report of a fault." }),
  },
  { title: "InstanceHealth" },
);
export type InstanceHealth = Static<typeof InstanceHealth>;
