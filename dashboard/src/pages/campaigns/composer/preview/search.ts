/** What the address of the composer holds of the preview. */
const VIEWS = ["desktop", "text", "off"] as const;

export type PreviewSearch = {
  /** A phone is shown where it says nothing. */
  readonly preview?: (typeof VIEWS)[number] | undefined;
  readonly dark?: true | undefined;
};
export type PreviewView = "phone" | (typeof VIEWS)[number];

export const readPreviewSearch = ({ preview, dark }: Record<string, unknown>): PreviewSearch => ({
  preview: VIEWS.find((view) => view === preview),
  dark: dark === true ? dark : undefined,
});
