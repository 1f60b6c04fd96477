import type { Ctx } from "../platform/context.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../platform/http/schemas.ts";
import { fromPublicId, requireId, toPublicId } from "../platform/ids.ts";
import { confirmationRequired, missing } from "../platform/problems.ts";
import { type AccountRow, findAccount } from "./account-store.ts";
import { type AccountInput, accountEtag, type HoldFile, updateAccount } from "./accounts.ts";
import {
  type ApiKeyRow,
  apiKeyEtag,
  countKeys,
  createApiKey,
  findKey,
  listKeys,
  makerFor,
  readNetworks,
  refuseOtherNetworks,
  refuseOutliving,
  refuseWiderScopes,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from "./api-keys/api-keys.ts";
import { type EmailChangeOptions, emailChangeRoutes } from "./email-changes/routes.ts";
import { findHolds } from "./holds/holds.ts";
import { type InvitationMail, invitationRoutes } from "./invitations/routes.ts";
import { noFactor, noSession } from "./problems.ts";
import {
  Account,
  AccountPatch,
  ApiKey,
  ApiKeyCreate,
  ApiKeyPage,
  ApiKeyPatch,
  ApiKeyRotation,
  NewApiKey,
} from "./schema.ts";
import type { Scope } from "./scopes.ts";
import { securityRoutes } from "./security/routes.ts";
import { refuseTwoFactorChange } from "./security/security.ts";
import { createSignInTools, type SessionOptions, sessionRoutes } from "./sessions/routes.ts";
import { bounceLimitsOf, guardrailsOf } from "./settings/settings.ts";
import { type SignUpOptions, signUpRoutes } from "./sign-ups/routes.ts";
import { type SsoOptions, ssoRoutes } from "./sso/routes.ts";
import { readPlanLimits } from "./standing/standing.ts";
import { shapeUpdatedBy } from "./updated-by.ts";
import { userRoutes } from "./users/routes.ts";
import { visitRoutes } from "./visits/routes.ts";

const KeyParams = Strict({ id: PublicId("key") });

type AccountOptions = {
  /** It is called once a change of keys has committed. */
  readonly keysChanged: () => void;
  readonly holdFile: HoldFile;
  readonly invitationMail: InvitationMail;
};

/** Returns the routes of this folder and its rooms. */
export function accountRoutes(
  options: AccountOptions & SessionOptions & EmailChangeOptions & SsoOptions & SignUpOptions,
): readonly Route[] {
  const signIn = createSignInTools(options);
  return [
    ...accountAndKeyRoutes(options),
    ...userRoutes(signIn),
    ...visitRoutes(),
    ...invitationRoutes(options),
    ...sessionRoutes(options, signIn),
    ...securityRoutes(options, signIn),
    ...emailChangeRoutes(options),
    ...ssoRoutes(options, signIn),
    ...signUpRoutes(options, signIn),
  ];
}

function accountAndKeyRoutes(options: AccountOptions): readonly Route[] {
  return [
    readRoute({
      path: "/v1/account",
      scope: "account:read",
      tag: "Account",
      summary: "Get the account",
      success: { status: 200, schema: Account, description: "The account of the key." },
      async handler({ ctx }) {
        const account = await findAccount(ctx.sql, ctx.accountId);
        if (!account) throw missing("account");
        return { status: 200, body: await shapeAccount(ctx, account), etag: accountEtag(account) };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/account",
      scope: "account:write",
      audit: { action: "account.updated", of: "account" },
      tag: "Account",
      summary: "Change the account",
      description:
        "What is left out stays as it is; null clears. Sender, reply address and postal address are what campaigns use where " +
        "neither they nor their list have one. `branding` is how the pages look that recipients see, `blocks_style` how mails made of blocks " +
        "look; it is replaced as a whole. `guardrails` and `bounces` may be given in " +
        "part; null restores a default, or all of them. `require_two_factor` is changed by people alone, and needs a confirmation.",
      body: AccountPatch,
      success: { status: 200, schema: Account, description: "The account as it now is." },
      problems: [noFactor, noSession, confirmationRequired],
      async handler({ ctx, body, ifMatch, principal }) {
        const { require_two_factor: isRequired } = body;
        if (isRequired !== undefined) await refuseTwoFactorChange(ctx, principal, isRequired);
        const account = await updateAccount(ctx, toInput(body), ifMatch, options.holdFile);
        return { status: 200, body: await shapeAccount(ctx, account), etag: accountEtag(account) };
      },
    }),
    readRoute({
      path: "/v1/api_keys",
      scope: "api_keys:read",
      tag: "API keys",
      summary: "List API keys",
      description: "Newest first. Revoked keys are not listed.",
      query: PageQuery({}),
      success: { status: 200, schema: ApiKeyPage, description: "A page of keys." },
      handler: (call) => pageByAge(call, { list: listKeys, count: countKeys, shape: shapeKey }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/api_keys",
      scope: "api_keys:write",
      audit: { action: "api_key.created", of: "answer" },
      needsConfirmation: true,
      tag: "API keys",
      summary: "Make an API key",
      description:
        "The key is in this answer and never again. It can't have a scope that the caller lacks, nor outlive a calling key, nor work where that doesn't.",
      body: ApiKeyCreate,
      shownOnce: ["key"],
      success: { status: 201, schema: NewApiKey, description: "The key, shown once." },
      async handler({ ctx, body, principal, baseUrl }) {
        const expiresAt = toDate(body.expires_at) ?? null;
        refuseWiderScopes(principal.scopes, body.scopes);
        refuseOutliving(principal.expiresAt, expiresAt);
        const allowedNetworks = readNetworks(body.allowed_networks ?? []);
        refuseOtherNetworks(principal.allowedNetworks, allowedNetworks);
        const { row, key } = await createApiKey(ctx, {
          name: body.name,
          scopes: body.scopes,
          expiresAt,
          unlimited: false,
          allowedNetworks,
          madeBy: makerFor(principal),
        });
        const shaped = shapeKey(row);
        return {
          status: 201,
          body: { ...shaped, key },
          headers: { location: `${baseUrl}/v1/api_keys/${shaped.id}` },
          etag: apiKeyEtag(row),
        };
      },
    }),
    readRoute({
      path: "/v1/api_keys/:id",
      scope: "api_keys:read",
      tag: "API keys",
      summary: "Get an API key",
      params: KeyParams,
      hot: true,
      success: { status: 200, schema: ApiKey, description: "The key, without its secret." },
      async handler({ ctx, params }) {
        const row = await findKey(ctx.sql, ctx.accountId, keyId(params.id));
        if (!row) throw missing("API key");
        return { status: 200, body: shapeKey(row), etag: apiKeyEtag(row) };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/api_keys/:id",
      scope: "api_keys:write",
      audit: { action: "api_key.updated", of: "path" },
      needsConfirmation: true,
      tag: "API keys",
      summary: "Rename an API key, or change when it expires and where it works",
      description: "The caller must hold every scope of the key.",
      params: KeyParams,
      body: ApiKeyPatch,
      success: { status: 200, schema: ApiKey, description: "The key as it now is." },
      async handler({ ctx, params, body, ifMatch, principal }) {
        const expiresAt = toDate(body.expires_at);
        const allowedNetworks = body.allowed_networks && readNetworks(body.allowed_networks);
        const patch = {
          ...(body.name !== undefined && { name: body.name }),
          ...(expiresAt !== undefined && { expiresAt }),
          ...(allowedNetworks && { allowedNetworks }),
        };
        refuseOutliving(principal.expiresAt, expiresAt);
        refuseOtherNetworks(principal.allowedNetworks, allowedNetworks);
        const row = await updateApiKey(ctx, principal.scopes, keyId(params.id), patch, ifMatch);
        ctx.sql.afterCommit(options.keysChanged);
        return { status: 200, body: shapeKey(row), etag: apiKeyEtag(row) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/api_keys/:id/rotate",
      scope: "api_keys:write",
      audit: { action: "api_key.rotated", of: "path" },
      needsConfirmation: true,
      tag: "API keys",
      summary: "Give an API key another secret",
      description:
        "The key keeps its id, scopes and expiry. What worked before works for some hours more, 24 unless you say otherwise; " +
        "what worked before that ends. The caller must hold every scope of the key, and a key may rotate itself.",
      params: KeyParams,
      body: ApiKeyRotation,
      bodyOptional: true,
      shownOnce: ["key"],
      success: { status: 200, schema: NewApiKey, description: "The key with its new secret, shown once." },
      async handler({ ctx, params, body, principal }) {
        const grace = body?.grace_hours ?? 24;
        const { row, key } = await rotateApiKey(ctx, principal, keyId(params.id), grace);
        ctx.sql.afterCommit(options.keysChanged);
        return { status: 200, body: { ...shapeKey(row), key }, etag: apiKeyEtag(row) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/api_keys/:id",
      scope: "api_keys:write",
      audit: { action: "api_key.deleted", of: "path" },
      tag: "API keys",
      summary: "Revoke an API key",
      description:
        "At once, and within 5 seconds at the very latest; a stream that it opened ends within 30. A key may revoke itself, and no key that has a scope it lacks.",
      params: KeyParams,
      success: { status: 204, schema: null, description: "Revoked." },
      async handler({ ctx, params, principal }) {
        await revokeApiKey(ctx, principal.scopes, keyId(params.id));
        ctx.sql.afterCommit(options.keysChanged);
        return { status: 204 };
      },
    }),
  ];
}

function keyId(text: string): string {
  const id = fromPublicId("key", text);
  if (!id) throw missing("API key");
  return id;
}

/** Keeps undefined and null apart, because a merge patch tells "leave it" from "clear it". */
function toDate(text: string | null | undefined): Date | null | undefined {
  return typeof text === "string" ? new Date(text) : text;
}

function toInput({ branding, checklist, ...plain }: AccountPatch): AccountInput {
  const cleared = { colour: null, logo_file_id: null };
  const { colour, logo_file_id: logo } = branding === null ? cleared : (branding ?? {});
  return {
    ...plain,
    ...(colour !== undefined && { brand_colour: colour?.toLowerCase() ?? null }),
    ...(logo !== undefined && { logo_file_id: logo && requireId("fil", logo, "file") }),
    ...(checklist?.dismissed !== undefined && { checklist_dismissed: checklist.dismissed }),
    ...(checklist?.skipped && { checklist_skipped: checklist.skipped }),
  };
}

async function shapeAccount({ sql, accountId }: Ctx, row: AccountRow): Promise<Account> {
  const holds = await findHolds(sql, accountId);
  const { contacts, members, features } = await readPlanLimits(sql, accountId);
  return {
    object: "account",
    id: toPublicId("acc", row.account_id),
    name: row.name,
    time_zone: row.time_zone,
    locale: row.locale,
    from_name: row.from_name,
    from_email: row.from_email,
    reply_to: row.reply_to,
    postal_address: row.postal_address,
    tracking: row.tracking,
    honeypot_link: row.honeypot_link,
    require_two_factor: row.require_two_factor,
    branding: {
      colour: row.brand_colour,
      logo_file_id: row.logo_file_id && toPublicId("fil", row.logo_file_id),
    },
    blocks_style: row.blocks_style,
    guardrails: guardrailsOf(row),
    bounces: bounceLimitsOf(row),
    holds: holds.map(({ kind, stops, since, reason }) => ({
      kind,
      stops,
      since: since.toISOString(),
      reason,
    })),
    daily_mail_limit: row.daily_mail_limit,
    subscriber_limit: row.subscriber_limit,
    plan_limits: { contacts, members, features: features && [...features] },
    checklist: { dismissed: row.checklist_dismissed, skipped: [...row.checklist_skipped] },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

function shapeKey(row: ApiKeyRow): ApiKey {
  return {
    object: "api_key",
    id: toPublicId("key", row.id),
    name: row.name,
    scopes: row.scopes as Scope[],
    hint: row.hint,
    unlimited: row.unlimited,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    allowed_networks: row.allowed_networks,
    previous_until: row.previous_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
