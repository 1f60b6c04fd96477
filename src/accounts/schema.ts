import { type Static, Type } from "typebox";
import { Nullable, Page, PublicId, Strict, Timestamp, TimeZone } from "../platform/http/schemas.ts";
import { SCOPES, type Scope } from "./scopes.ts";

const Name = Type.String({ minLength: 1, maxLength: 100, examples: ["Acme Ltd"] });

export const Account = Type.Object(
  {
    object: Type.Literal("account"),
    id: PublicId("acc"),
    name: Name,
    time_zone: TimeZone,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Account" },
);
export type Account = Static<typeof Account>;

export const AccountPatch = Strict(
  { name: Type.Optional(Name), time_zone: Type.Optional(TimeZone) },
  { title: "AccountPatch", examples: [{ name: "Acme Ltd", time_zone: "Europe/London" }] },
);

const ScopeList = Type.Array(Type.Unsafe<Scope>({ type: "string", enum: [...SCOPES] }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  examples: [["account:read"]],
});
const KeyName = Type.String({ minLength: 1, maxLength: 100, examples: ["Website"] });
const Expiry = Nullable(
  Type.String({ format: "date-time", description: "When the key stops working; null is never." }),
);

const apiKeyFields = {
  object: Type.Literal("api_key"),
  id: PublicId("key"),
  name: KeyName,
  scopes: ScopeList,
  hint: Type.String({ description: "The last four characters.", examples: ["x7Qd"] }),
  unlimited: Type.Boolean({ description: "Free of the rate limit; set on the command line only." }),
  last_used_at: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const ApiKey = Type.Object(apiKeyFields, { title: "ApiKey" });
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  {
    ...apiKeyFields,
    key: Nullable(Type.String({ description: "The key itself. Shown this once, and null in a replay." })),
  },
  { title: "NewApiKey" },
);

export const ApiKeyCreate = Strict(
  { name: KeyName, scopes: ScopeList, expires_at: Type.Optional(Expiry) },
  { title: "ApiKeyCreate", examples: [{ name: "Website", scopes: ["account:read"] }] },
);

export const ApiKeyPatch = Strict(
  { name: Type.Optional(KeyName), expires_at: Type.Optional(Expiry) },
  { title: "ApiKeyPatch", examples: [{ name: "Website (old)" }] },
);

export const ApiKeyPage = Page(ApiKey, "ApiKeyPage");
