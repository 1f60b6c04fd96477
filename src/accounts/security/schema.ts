/** What people send and see of their second factors. */
import { type Static, Type } from "typebox";
import { Nullable, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { FactorKind, Password } from "../users/schema.ts";

const FactorName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^\\P{Cc}*$",
  "x-error-code": "invalid_character",
  "x-error-detail": "must be without control characters",
  examples: ["My phone"],
});
const Code = Type.String({
  pattern: "^[0-9]{6}$",
  maxLength: 6,
  "x-error-code": "invalid_code",
  "x-error-detail": "must be six digits",
  description: "Six digits that an authenticator app shows.",
  examples: ["123456"],
});
const RecoveryCode = Type.String({
  minLength: 1,
  maxLength: 50,
  description: "One of the ten codes, each of which is good once. Capitals, blanks and dashes don't matter.",
  examples: ["7k3m-q9xd-2v8p-r4tw"],
});

/** Browsers answer with one or two kilobytes; what is much larger is no passkey. */
export const MOST_PASSKEY_BYTES = 65_536;
const Passkey = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: "object",
  description: "What `navigator.credentials` gave, as `toJSON()` writes it (WebAuthn §5.1).",
  required: ["id", "response", "type"],
  properties: {
    id: { type: "string", maxLength: 2_000 },
    type: { const: "public-key" },
    response: { type: "object", additionalProperties: true },
  },
  additionalProperties: true,
});

/** One of these proves a second factor. */
const proofs = {
  code: Type.Optional(Code),
  recovery_code: Type.Optional(RecoveryCode),
  passkey: Type.Optional(Passkey),
};

const PASSKEY_EXAMPLE = { id: "AAAA", type: "public-key", response: { clientDataJSON: "e30" } };

export const PasskeyOptionsWanted = Strict(
  { token: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Of the answer 202." })) },
  { title: "PasskeyOptionsWanted", examples: [{}] },
);

export const PasskeyOptions = Type.Object(
  {
    object: Type.Literal("passkey_options"),
    public_key: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      description: "The options, as `PublicKeyCredential.parse…OptionsFromJSON()` reads them.",
      additionalProperties: true,
    }),
    expires_at: Timestamp,
  },
  { title: "PasskeyOptions" },
);

export const PasskeySignIn = Strict(
  { passkey: Passkey },
  { title: "PasskeySignIn", examples: [{ passkey: PASSKEY_EXAMPLE }] },
);

export const PasskeyCreate = Strict(
  { name: Type.Optional(FactorName), passkey: Passkey },
  { title: "PasskeyCreate", examples: [{ name: "My laptop", passkey: PASSKEY_EXAMPLE }] },
);

export const SecondFactor = Strict(
  { token: Type.String({ minLength: 1, maxLength: 200, description: "Of the answer 202." }), ...proofs },
  { title: "SecondFactor", examples: [{ token: "prf_…", code: "123456" }] },
);

export const Confirmation = Strict(
  { password: Type.Optional(Password), ...proofs },
  { title: "Confirmation", examples: [{ password: "correct horse battery staple" }] },
);

const factorFields = {
  object: Type.Literal("factor"),
  id: PublicId("fac"),
  type: FactorKind,
  name: FactorName,
  status: Type.Unsafe<"pending" | "active">({
    type: "string",
    enum: ["pending", "active"],
    description: "An app is pending until its first good code.",
  }),
  last_used_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Factor = Type.Object(factorFields, { title: "Factor" });
export type Factor = Static<typeof Factor>;

export const FactorList = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(Factor), has_more: Type.Literal(false) },
  { title: "FactorList" },
);

export const FactorCreate = Strict(
  { type: Type.Literal("totp"), name: Type.Optional(FactorName) },
  { title: "FactorCreate", examples: [{ type: "totp", name: "My phone" }] },
);

export const NewFactor = Type.Object(
  {
    ...factorFields,
    secret: Nullable(
      Type.String({ description: "To be typed into the app, in base32. Shown this once, null in a replay." }),
    ),
    uri: Nullable(
      Type.String({
        description: "The same for a QR code, `otpauth://…`. Shown this once, null in a replay.",
      }),
    ),
  },
  { title: "NewFactor" },
);

export const FactorActivation = Strict(
  { code: Code },
  { title: "FactorActivation", examples: [{ code: "123456" }] },
);

const Codes = Nullable(
  Type.Array(Type.String(), {
    description: "Ten codes, each good once in the place of a factor. Shown this once, null in a replay.",
  }),
);

export const AddedFactor = Type.Object(
  {
    ...factorFields,
    recovery_codes: Nullable(
      Type.Array(Type.String(), {
        description:
          "With the first factor come ten recovery codes, each good once. Shown this once; null with any further factor, and in a replay.",
      }),
    ),
  },
  { title: "AddedFactor" },
);

export const FactorPatch = Strict(
  { name: Type.Optional(FactorName) },
  { title: "FactorPatch", examples: [{ name: "My new phone" }] },
);

export const RecoveryCodes = Type.Object(
  {
    object: Type.Literal("recovery_codes"),
    left: Type.Integer({ description: "How many haven't been used." }),
    made_at: Nullable(Timestamp),
  },
  { title: "RecoveryCodes" },
);

export const NewRecoveryCodes = Type.Object(
  {
    object: Type.Literal("recovery_codes"),
    left: Type.Integer(),
    made_at: Nullable(Timestamp),
    codes: Codes,
  },
  { title: "NewRecoveryCodes" },
);
