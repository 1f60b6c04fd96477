declare module "html-to-text" {
  type Element = { readonly attribs: Readonly<Record<string, string | undefined>> };
  type Builder = { readonly addInline: (text: string) => void };
  type Options = {
    readonly wordwrap: false;
    readonly selectors: readonly { selector: string; format?: string; options?: Record<string, unknown> }[];
    readonly formatters: Readonly<
      Record<string, (element: Element, walk: unknown, builder: Builder) => void>
    >;
    readonly limits?: Readonly<Record<string, number>>;
  };
  export function convert(html: string, options: Options): string;
}
