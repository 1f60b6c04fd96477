declare module "pg/lib/utils.js" {
  /** A value as the driver would send it: text, bytes or null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
