declare module "dns-packet" {
  export type Question = { readonly name: string; readonly type: string };
  export type Resource = {
    readonly name: string;
    readonly type: string;
    readonly ttl?: number;
    readonly data?: unknown;
    readonly udpPayloadSize?: number;
  };
  export type Packet = {
    readonly id?: number;
    readonly type?: "query" | "response";
    /** The last four bits are the code of the answer. */
    readonly flags?: number;
    readonly questions?: readonly Question[];
    readonly answers?: readonly Resource[];
    readonly authorities?: readonly Resource[];
    readonly additionals?: readonly Resource[];
  };
  export const TRUNCATED_RESPONSE: number;
  export const RECURSION_DESIRED: number;
  export const RECURSION_AVAILABLE: number;
  export function encode(packet: Packet): Buffer;
  export function decode(bytes: Buffer): Packet;
}
