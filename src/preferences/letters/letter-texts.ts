type LetterTexts = {
  readonly subject: string;
  /** `{sender}`, and `{from}` and `{to}` with masked addresses, are filled in. */
  readonly text: string;
  readonly button: string;
};

export type LetterKind = "data" | "delete" | "address" | "new_address";

export type Letters = Readonly<Record<LetterKind, LetterTexts>> & {
  readonly address_changed: Omit<LetterTexts, "button">;
  readonly anHour: string;
  readonly ignore: string;
};
