declare module "html-to-text" {
  /** A node of the HTML; only elements have names and attributes. */
  export type Element = {
    readonly type: string;
    readonly name?: string;
    readonly attribs: Readonly<Record<string, string | undefined>>;
    readonly children: readonly Element[];
    readonly parent?: Element | null;
    readonly prev?: Element | null;
  };
  export type Builder = {
    readonly addInline: (text: string) => void;
    readonly openBlock: (options: { readonly leadingLineBreaks: number }) => void;
    readonly closeBlock: (options: { readonly trailingLineBreaks: number }) => void;
  };
  export type Walk = (nodes: readonly Element[], builder: Builder) => void;
  export type Formatter = (element: Element, walk: Walk, builder: Builder) => void;
  type Options = {
    readonly wordwrap: false;
    readonly selectors: readonly { selector: string; format?: string; options?: Record<string, unknown> }[];
    readonly formatters: Readonly<Record<string, Formatter>>;
    readonly limits?: Readonly<Record<string, number>>;
  };
  export function convert(html: string, options: Options): string;
}
