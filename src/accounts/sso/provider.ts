/**
 * Speaks OpenID Connect with the provider. What it publishes is asked for once an hour; its keys are kept, and asked for again at
 * most once a minute when a token names one that isn't known.
 */
import * as oidc from "openid-client";
import { type Claims, lacksClaims, readClaims } from "./claims.ts";
import { createGuardedFetch, mayBePlain, ProviderAway } from "./guarded-fetch.ts";

export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly wantsGroups: boolean;
  readonly internalHosts: readonly string[];
};

/** What a sign-in proves beside the code: each is made for one sign-in alone. */
export type Proofs = { readonly state: string; readonly nonce: string; readonly verifier: string };

type ProviderAnswer = {
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
};

type Failure = { readonly kind: "away" | "refused"; readonly why: string };
type Said = {
  readonly kind: "said";
  readonly issuer: string;
  readonly claims: Claims;
  /** When the person last proved to the provider who they are; null where it doesn't say. */
  readonly provenAt: Date | null;
};

export type Provider = {
  /** Returns where the browser is sent to. */
  authorizationUrl(
    redirectUri: string,
    proofs: Proofs,
    asksAgain: boolean,
  ): Promise<{ readonly kind: "url"; readonly url: string } | Failure>;
  /** Turns the code into what the provider says of the person. */
  redeem(redirectUri: string, proofs: Proofs, answer: ProviderAnswer): Promise<Said | Failure>;
};

const KEPT_MS = 3_600_000;
const TIMEOUT_S = 10;
/** Clocks of two machines are rarely further apart. */
export const TOLERANCE_S = 30;
/** Signatures that others can check, and no secret that we share; never `none`. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

export function createProvider(settings: ProviderSettings): Provider {
  let kept: { readonly config: oidc.Configuration; readonly until: number } | undefined;
  let underWay: Promise<oidc.Configuration> | undefined;

  /** Many may sign in at once; one request serves them all. What failed isn't kept. */
  function configuration(): Promise<oidc.Configuration> {
    if (kept && performance.now() < kept.until) return Promise.resolve(kept.config);
    underWay ??= discover(settings)
      .then((config) => {
        kept = { config, until: performance.now() + KEPT_MS };
        return config;
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  return {
    async authorizationUrl(redirectUri, { state, nonce, verifier }, asksAgain) {
      try {
        const url = oidc.buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          // With `max_age` the token has to say when they proved it (OpenID Connect Core §3.1.2.1).
          ...(asksAgain && { prompt: "login", max_age: "0" }),
        });
        return { kind: "url", url: url.href };
      } catch (error) {
        return failureOf(error);
      }
    },
    async redeem(redirectUri, proofs, answer) {
      try {
        return await redeem(await configuration(), settings, redirectUri, proofs, answer);
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

/** Asks the provider for what it publishes; the doctor asks by it too. */
export async function discover(settings: ProviderSettings): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith("http:");
  if (isPlain && !mayBePlain(settings)) {
    throw new ProviderAway(
      "it is plain http, which is spoken on this machine alone or where INTERNAL_HOSTS lists it",
    );
  }
  const fetch = createGuardedFetch(settings);
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
    [oidc.customFetch]: fetch,
    timeout: TIMEOUT_S,
    ...(isPlain && { execute: [oidc.allowInsecureRequests] }),
  });
  const { supportsPKCE: _method, ...server } = found.serverMetadata();
  const offered = server.id_token_signing_alg_values_supported ?? ["RS256"];
  const config = new oidc.Configuration(
    { ...server, id_token_signing_alg_values_supported: offered.filter((one) => ALGORITHMS.includes(one)) },
    clientId,
    { [oidc.clockTolerance]: TOLERANCE_S },
    authentication(clientSecret, server.token_endpoint_auth_methods_supported),
  );
  config[oidc.customFetch] = fetch;
  config.timeout = TIMEOUT_S;
  if (isPlain) oidc.allowInsecureRequests(config);
  // A token that came by TLS need not be checked (OpenID Connect Core §3.1.3.7); it is all the same, since proxies end TLS too.
  oidc.enableNonRepudiationChecks(config);
  return config;
}

/** Basic is what every provider has to know (RFC 6749 §2.3.1), unless it says otherwise. */
function authentication(secret: string | undefined, methods: readonly string[] | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const isPost = methods !== undefined && !methods.includes("client_secret_basic");
  return isPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}

async function redeem(
  config: oidc.Configuration,
  settings: ProviderSettings,
  redirectUri: string,
  { state, nonce, verifier }: Proofs,
  answer: ProviderAnswer,
): Promise<Said | Failure> {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, state }))
    if (value !== undefined) url.searchParams.set(name, value);
  const tokens = await oidc.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  if (!idToken) return { kind: "refused", why: "there is no ID token" };
  const { groupsClaim, wantsGroups } = settings;
  const server = config.serverMetadata();
  const asksMore = lacksClaims(idToken, groupsClaim, wantsGroups) && server.userinfo_endpoint !== undefined;
  const userInfo = asksMore ? await oidc.fetchUserInfo(config, tokens.access_token, idToken.sub) : {};
  const claims = readClaims(server.issuer, groupsClaim, { idToken, userInfo });
  if (typeof claims === "string") return { kind: "refused", why: claims };
  const { auth_time: seconds } = idToken;
  const provenAt = seconds === undefined ? null : new Date(seconds * 1_000);
  return { kind: "said", issuer: server.issuer, claims, provenAt };
}

/** Says in words for the operator's log what went wrong; they hold no token and no code. */
export function failureOf(error: unknown): Failure {
  const chain = causesOf(error);
  const away = chain.find((one) => one instanceof ProviderAway);
  if (away) return { kind: "away", why: away.message };
  const timedOut = chain.some((one) => (one as { code?: unknown }).code === "OAUTH_TIMEOUT");
  return { kind: timedOut ? "away" : "refused", why: chain.map(({ message }) => message).join(": ") };
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 5; one = one.cause) chain.push(one);
  return chain;
}
