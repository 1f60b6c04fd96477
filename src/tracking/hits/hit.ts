/** A hit is one request for the pixel or a link of a mail, as it arrived. */
export type Hit = {
  readonly accountId: string;
  readonly sourceId: string;
  /** Null where the mail was tracked for nobody in particular. */
  readonly contactId: string | null;
  /** The number of the link; null for the pixel. */
  readonly link: number | null;
  readonly at: Date;
  /** How many there were of it at once: the same person, link, program and address. */
  readonly times: number;
  readonly isHead: boolean;
  /** Whether the request says that it comes ahead of a person's wish. */
  readonly isPrefetch: boolean;
  readonly userAgent: string;
  /** Whether the request has a From header, which robots send and browsers don't (RFC 9110 §10.1.2). */
  readonly hasFrom: boolean;
  /** The address that it came from. It is forgotten once the hit is counted. */
  readonly address: string;
};

/** Hits that are stored together. A group is stored once, however often it is tried. */
export type HitGroup = { readonly id: string; readonly hits: readonly Hit[] };

/** Hits that differ in nothing but their moment become one. */
export function mergeHits(hits: readonly Hit[]): Hit[] {
  const byKey = new Map<string, Hit>();
  for (const hit of hits) {
    const key = `${hit.sourceId} ${hit.contactId} ${hit.link} ${hit.isHead} ${hit.isPrefetch} ${hit.hasFrom} ${hit.address} ${hit.userAgent}`;
    const known = byKey.get(key);
    byKey.set(key, known ? { ...known, times: known.times + hit.times } : hit);
  }
  return [...byKey.values()];
}

/** As it is written to disk. */
export function toEntry({ id, hits }: HitGroup): unknown {
  return { id, hits: hits.map((hit) => ({ ...hit, at: hit.at.getTime() })) };
}

type StoredHit = Omit<Hit, "at"> & { readonly at: number };

export function fromEntry(entry: unknown): HitGroup {
  const { id, hits } = entry as { id: string; hits: readonly StoredHit[] };
  return { id, hits: hits.map((hit) => ({ ...hit, at: new Date(hit.at) })) };
}
