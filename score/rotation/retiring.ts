/** Lets the former keys of a domain retire, and takes their records out of the DNS, as their owner does who is told so. */
import pg from "pg";
import { fromPublicId } from "../../src/platform/ids.ts";
import type { Product } from "../servers/product.ts";
import type { SenderDomain } from "./sender-domain.ts";

type Retiring = { readonly databaseUrl: string; readonly product: Product; readonly domain: SenderDomain };

/** A key retires for a week; nobody waits so long, so the week is taken off in the table. All the rest the product does. */
export async function retireKeys({ databaseUrl, product, domain }: Retiring): Promise<void> {
  const account = await product.must("GET", "/v1/account");
  await execute(
    databaseUrl,
    `update domain_keys set retiring_since = retiring_since - interval '7 days'
     where account_id = $1 and domain_id = $2 and state = 'retiring'`,
    [fromPublicId("acc", account.id), fromPublicId("dom", domain.id)],
  );
  await domain.untilKeys("the former keys are retired", (keys) =>
    keys.every(({ state }) => state !== "retiring"),
  );
  await domain.publish();
  await domain.untilKeys("the retired keys are forgotten", (keys) =>
    keys.every(({ state }) => state !== "retired"),
  );
}

async function execute(databaseUrl: string, statement: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement, [...values]);
  } finally {
    await client.end();
  }
}
