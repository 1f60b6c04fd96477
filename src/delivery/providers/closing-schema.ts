/** How a closing is answered: with the transport that it is of, and for the instance's server with `/v1/sending`. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, Timestamp } from "../../platform/http/schemas.ts";
import type { ShownClosing } from "./close.ts";
import { nameOfProvider } from "./closing-alerts.ts";
import { CLOSING_REASONS } from "./closing-store.ts";

export const ProviderClosing = Type.Object(
  {
    provider: Type.String({ description: "A `key` of `GET /v1/providers`.", examples: ["google"] }),
    name: Type.String({ examples: ["Gmail and Google Workspace"] }),
    from_domain: Nullable(
      Type.String({ description: "The domain in From that it holds for; null where it holds for all." }),
    ),
    reason: oneOf(CLOSING_REASONS, {
      description:
        "`rate`: it asks for less. `reputation`: too many don't want such mail. `blocked`: it refuses the server's address. `authentication`, " +
        "`reverse_dns`, `tls`: something has to be mended. `refusals`: it refused twenty in a row while others took theirs.",
    }),
    reply: Nullable(
      Type.String({
        description:
          "What it said, without addresses. Null where it said nothing, or said it to another account's mail.",
      }),
    ),
    since: Timestamp,
    until: Timestamp,
  },
  { title: "ProviderClosing" },
);
export type ProviderClosing = Static<typeof ProviderClosing>;

export function shapeClosing(closing: ShownClosing): ProviderClosing {
  const { provider, from_domain, reason, reply, since, until } = closing;
  return {
    provider,
    name: nameOfProvider(provider),
    from_domain,
    reason,
    reply,
    since: since.toISOString(),
    until: until.toISOString(),
  };
}
