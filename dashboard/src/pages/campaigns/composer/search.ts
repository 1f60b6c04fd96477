/** What the address of the composer holds. */
export type ComposerSearch = { versions?: true | undefined };

export const readComposerSearch = ({ versions }: Record<string, unknown>): ComposerSearch => ({
  versions: versions === true ? versions : undefined,
});
