import { type Static, Type } from "typebox";
import { Nullable, oneOf, Strict } from "../../platform/http/schemas.ts";
import { STREAMS } from "../types.ts";

const Entry = Type.String({
  maxLength: 40,
  description:
    "The id of a transport, or `instance` for the instance's own server, which can only be the last.",
  examples: ["trn_01k9zq4t3xe8k8y0v6d3m2n1pq"],
});
const Entries = Type.Array(Entry, {
  maxItems: 10,
  uniqueItems: true,
  description: "In order of priority. The transport at the first place has the stream in its `streams`.",
});

export const TransportPool = Type.Object(
  {
    object: Type.Literal("transport_pool"),
    stream: oneOf(STREAMS),
    transports: Entries,
    leaves_by: Nullable(
      Type.String({
        description:
          "What mail of the stream leaves by now; where the order is empty, another stream's may stand in. Null for the instance's " +
          "server or the sandbox.",
      }),
    ),
  },
  { title: "TransportPool" },
);
export type TransportPool = Static<typeof TransportPool>;
export const TransportPoolList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(TransportPool),
    has_more: Type.Literal(false),
    next_cursor: Type.Null(),
  },
  { title: "TransportPoolList" },
);
export const TransportPoolInput = Strict(
  { transports: Entries },
  {
    title: "TransportPoolInput",
    examples: [{ transports: ["trn_01k9zq4t3xe8k8y0v6d3m2n1pq", "instance"] }],
  },
);
