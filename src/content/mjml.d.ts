declare module "mjml" {
  type Options = {
    readonly validationLevel: "soft";
    readonly ignoreIncludes: true;
    readonly fonts: Readonly<Record<string, string>>;
  };
  type Problem = { readonly line: number; readonly message: string; readonly tagName: string };
  type Result = { readonly html: string; readonly errors: readonly Problem[] };
  export default function compile(source: string, options: Options): Promise<Result>;
}
