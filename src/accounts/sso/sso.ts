/**
 * Single sign-on: people prove who they are to a provider of the operator's (OpenID Connect), whose word replaces our password and our
 * second factors (docs/decisions/0069).
 */
import type { GroupRule } from "./group-rules.ts";
import { createProvider, discover, failureOf, type Provider, type ProviderSettings } from "./provider.ts";

export type Sso = {
  /** Undefined where the operator has set none. */
  readonly provider: Provider | undefined;
  readonly issuer: string | undefined;
  readonly name: string;
  readonly groupsClaim: string;
  readonly rules: readonly GroupRule[];
};

/** What the settings say (src/platform/config/settings.ts). */
export type SsoConfig = {
  readonly oidcIssuer?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly oidcClientSecret?: string | undefined;
  readonly oidcName?: string;
  readonly oidcScopes?: string;
  readonly oidcGroupsClaim?: string;
  readonly oidcGroups?: readonly GroupRule[] | undefined;
  readonly internalHosts?: readonly string[] | undefined;
};

export function createSso(config: SsoConfig): Sso {
  const settings = providerSettings(config);
  return {
    provider: settings && createProvider(settings),
    issuer: settings?.issuer,
    name: config.oidcName ?? "",
    groupsClaim: config.oidcGroupsClaim ?? "groups",
    rules: config.oidcGroups ?? [],
  };
}

function providerSettings(config: SsoConfig): ProviderSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (!issuer || !clientId) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    scopes: config.oidcScopes ?? "openid email profile",
    groupsClaim: config.oidcGroupsClaim ?? "groups",
    wantsGroups: (config.oidcGroups ?? []).length > 0,
    internalHosts: config.internalHosts ?? [],
  };
}

export type ProviderLook =
  | { readonly kind: "none" }
  | { readonly kind: "away"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "found"; readonly issuer: string; readonly hasS256: boolean };

/** Asks the provider for what it publishes, for the doctor. */
export async function lookAtProvider(config: SsoConfig): Promise<ProviderLook> {
  const settings = providerSettings(config);
  if (!settings) return { kind: "none" };
  try {
    const server = (await discover(settings)).serverMetadata();
    const methods = server.code_challenge_methods_supported;
    return { kind: "found", issuer: server.issuer, hasS256: methods?.includes("S256") ?? true };
  } catch (error) {
    return failureOf(error);
  }
}
