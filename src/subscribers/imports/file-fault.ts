/** A file that can't be imported at all: refused at the upload, or the end of the import that met it. */
export class FileFault extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.name = "FileFault";
    this.code = code;
  }
}
