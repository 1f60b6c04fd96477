import { type Static, Type } from "typebox";
import { ProviderClosing } from "../delivery/delivery.ts";
import { Nullable, oneOf } from "../platform/http/schemas.ts";

const CheckPosition = Type.Object({
  part: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  excerpt: Type.String(),
});
export const Check = Type.Object(
  {
    code: Type.String(),
    severity: oneOf(["error", "warning", "info"], { description: "Only an error stops a send." }),
    message: Type.String(),
    remedy: Type.String(),
    place: Nullable(CheckPosition),
    count: Type.Integer({ description: "How many faults of its kind it stands for." }),
  },
  { title: "CampaignCheck" },
);
export type Check = Static<typeof Check>;

export const Sending = Type.Object(
  {
    object: Type.Literal("sending"),
    leaves_by: oneOf(["sandbox", "transport", "instance"] as const, {
      description: "`sandbox` means that nothing leaves this machine; `instance` is the operator's server.",
    }),
    host: Nullable(Type.String({ description: "The host of the account's own transport." })),
    rate_per_second: Nullable(
      Type.Number({
        description: "The most messages a second that this transport takes; null where there is no limit.",
      }),
    ),
    has_instance_server: Type.Boolean({
      description: "Whether there is an operator's server, by which mail may leave too.",
    }),
    closings: Type.Array(ProviderClosing, {
      description:
        "The mailbox providers that get nothing by the operator's server for now. What is closed for a transport of the account stands with that transport.",
    }),
    checks: Type.Array(Check, {
      description: "What would be said of any campaign now, whatever its content; an error would stop it.",
    }),
  },
  {
    title: "Sending",
    examples: [
      {
        object: "sending",
        leaves_by: "sandbox",
        host: null,
        rate_per_second: null,
        has_instance_server: false,
        closings: [],
        checks: [],
      },
    ],
  },
);
export type Sending = Static<typeof Sending>;
