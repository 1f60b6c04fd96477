/**
 * Passkeys (WebAuthn): what a browser is asked, and whether its answer is good. They want the person to be verified by the device, by a
 * finger, a face or a PIN, so that one is enough to sign in. The library is loaded by whoever uses one.
 */
import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { FactorRow } from "./factor-store.ts";

const RP_NAME = "Postrider";

/** The service as browsers know it: a passkey is made for a host name, and works nowhere else. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** Returns undefined where the service is reached by an address: WebAuthn §5.1.2 wants a domain. */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const url = URL.parse(baseUrl);
  if (!url || isIP(url.hostname.replaceAll(/[[\]]/g, "")) !== 0) return undefined;
  return { id: url.hostname, origin: url.origin };
}

export type AskedOptions = {
  readonly challenge: string;
  readonly publicKey: Readonly<Record<string, unknown>>;
};

const idText = (id: Buffer | null): string => id?.toString("base64url") ?? "";
const transportsOf = ({ transports }: FactorRow) => transports as AuthenticatorTransport[];
const described = (factors: readonly FactorRow[]) =>
  factors.map((one) => ({ id: idText(one.credential_id), transports: transportsOf(one) }));

/** Asks for a new passkey, of a device that holds none of these. */
export async function askToAdd(
  rp: RelyingParty,
  person: { readonly id: string; readonly email: string },
  present: readonly FactorRow[],
): Promise<AskedOptions> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const options = await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: rp.id,
    userID: Buffer.from(person.id.replaceAll("-", ""), "hex"),
    userName: person.email,
    attestationType: "none",
    excludeCredentials: described(present),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return { challenge: options.challenge, publicKey: { ...options } };
}

/** Asks for the use of one of these; of any that the person chooses, where none is named. */
export async function askToUse(rp: RelyingParty, allowed: readonly FactorRow[]): Promise<AskedOptions> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    userVerification: "required",
    ...(allowed.length > 0 && { allowCredentials: described(allowed) }),
  });
  return { challenge: options.challenge, publicKey: { ...options } };
}

/** What a browser answers, of which nothing is believed before it is verified. */
export type PasskeyResponse = Readonly<Record<string, unknown>>;

/** Returns the challenge that an answer says it signed; undefined where it says none. */
export function challengeIn({ response }: PasskeyResponse): string | undefined {
  try {
    const { clientDataJSON } = response as { clientDataJSON: string };
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    return typeof challenge === "string" && /^[\w-]{1,200}$/.test(challenge) ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** An id has 1,023 bytes at most (WebAuthn §4). */
export function credentialIn({ id }: PasskeyResponse): Buffer | undefined {
  return typeof id === "string" && /^[\w-]{1,1364}$/.test(id) ? Buffer.from(id, "base64url") : undefined;
}

export type VerifiedPasskey = Pick<FactorRow, "credential_id" | "public_key" | "counter" | "transports">;

/** Returns undefined where the answer isn't good, whatever is wrong with it. */
export async function verifyAdded(
  rp: RelyingParty,
  response: PasskeyResponse,
  challenge: string,
): Promise<VerifiedPasskey | undefined> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
    });
    if (!verified || !registrationInfo) return undefined;
    const { credential } = registrationInfo;
    return {
      credential_id: Buffer.from(credential.id, "base64url"),
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((one) => typeof one === "string").slice(0, 10),
    };
  } catch {
    return undefined;
  }
}

/** Returns the passkey's new count; undefined where the answer isn't good. A count that goes back is a copied key, and isn't good. */
export async function verifyUse(
  rp: RelyingParty,
  response: PasskeyResponse,
  challenge: string,
  factor: FactorRow,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: {
        id: idText(factor.credential_id),
        publicKey: new Uint8Array(factor.public_key ?? []),
        counter: Number(factor.counter),
        transports: transportsOf(factor),
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
