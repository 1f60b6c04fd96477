declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  type Claims = Readonly<Record<string, unknown>>;
  type Account = { readonly accountId: string; claims(): Claims };
  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
  }
  export type FindAccount = (ctx: unknown, subject: string) => Promise<Account | undefined>;
}
