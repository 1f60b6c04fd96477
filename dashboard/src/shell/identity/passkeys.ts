/** Asks the browser for passkeys. */
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from "@simplewebauthn/browser";
import type { PasskeyOptions, PasskeySignIn } from "../../api/openapi.ts";
import { ApiError } from "../../api/problem.ts";

const ADDRESS = /^[\d.]+$|^\[/;

/** A passkey is made for a host name: at an address of numbers no browser makes one. */
export const hasHostName = () => !ADDRESS.test(window.location.hostname);
export const canUsePasskeys = () => hasHostName() && browserSupportsWebAuthn();

type Response = PasskeySignIn["passkey"];

export function askForPasskey({ public_key }: PasskeyOptions): Promise<Response> {
  const optionsJSON = public_key as unknown as PublicKeyCredentialRequestOptionsJSON;
  return inOwnWords(async () => asBody(await startAuthentication({ optionsJSON })));
}

export function addPasskey({ public_key }: PasskeyOptions): Promise<Response> {
  const optionsJSON = public_key as unknown as PublicKeyCredentialCreationOptionsJSON;
  return inOwnWords(async () => asBody(await startRegistration({ optionsJSON })));
}

function asBody({ response, ...rest }: { id: string; type: "public-key"; response: object }): Response {
  return { ...rest, response: { ...response } };
}

/** Whoever closes the browser's own dialog, or lets it run out, is told so in our words. */
async function inOwnWords(ask: () => Promise<Response>): Promise<Response> {
  try {
    return await ask();
  } catch (error) {
    const isKnown =
      error instanceof WebAuthnError && error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED";
    throw new ApiError({ code: isKnown ? "passkey_known" : "passkey_stopped", detail: "" });
  }
}
