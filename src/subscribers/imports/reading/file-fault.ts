/** A file with this fault can't be imported at all: the upload is refused, or the import that met it ends. */
export class FileFault extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.name = "FileFault";
    this.code = code;
  }
}
