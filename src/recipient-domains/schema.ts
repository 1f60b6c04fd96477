import { type Static, Type } from "typebox";
import { ADDRESS_REASONS } from "../mail/address-checks/address-checks.ts";
import { Nullable, oneOf, Strict } from "../platform/http/schemas.ts";

const MOST_ADDRESSES = 100;

export const AddressesInput = Strict(
  {
    addresses: Type.Array(Type.String({ maxLength: 1_000 }), {
      minItems: 1,
      maxItems: MOST_ADDRESSES,
      description: "As people wrote them.",
    }),
  },
  { title: "AddressesInput", examples: [{ addresses: ["ada@gmial.com", "info@lovelace.net"] }] },
);
export type AddressesInput = Static<typeof AddressesInput>;

const CheckedAddress = Type.Object(
  {
    address: Type.String({ description: "As it was given." }),
    result: oneOf(["ok", "risky", "bad", "unknown"]),
    reasons: Type.Array(oneOf(ADDRESS_REASONS)),
    suggestion: Nullable(Type.String({ description: "The address that may have been meant." })),
    provider: Nullable(Type.String({ description: "Whose mailbox it is; a `key` of `GET /v1/providers`." })),
  },
  { title: "CheckedAddress" },
);

export const AddressChecks = Type.Object(
  {
    object: Type.Literal("address_checks"),
    data: Type.Array(CheckedAddress, { description: "In the order in which they were given." }),
  },
  { title: "AddressChecks" },
);
export type AddressChecks = Static<typeof AddressChecks>;

export const MailboxProviders = Type.Object(
  {
    object: Type.Literal("mailbox_providers"),
    data: Type.Array(
      Type.Object(
        {
          key: Type.String(),
          name: Type.String(),
          domains: Type.Array(Type.String(), { description: "In which it gives out addresses itself." }),
          servers: Type.Array(Type.String(), {
            description:
              "A server whose name is one of these, or ends in a dot and one of these, is the provider's.",
          }),
          source: Nullable(Type.String({ description: "Where the provider says so." })),
        },
        { title: "MailboxProvider" },
      ),
    ),
  },
  { title: "MailboxProviders" },
);
