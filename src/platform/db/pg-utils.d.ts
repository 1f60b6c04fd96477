declare module "pg/lib/utils.js" {
  /** Converts a value into what the driver would send: text, bytes or null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
