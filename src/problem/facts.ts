/** Where in an input a problem is. `line` counts from 1; `file` of stdin is "-". */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly field?: string;
}

/** Where in a body or an export an element is, and its id: on a document of one line, the line alone says little. */
export interface InDocument {
  /** `orgs[0].humanUsers[1]`. */
  readonly path?: string;
  /** The id of the user or object. */
  readonly id?: string;
}

/** A file, as it was named; "-" is stdin. */
export interface OfFile {
  readonly file: string;
}

/** A line of a file. */
export interface AtLine extends OfFile {
  readonly line: number;
}

/** What a command does to a target. */
export type Deed = "send" | "delete";

/** Of the command of the run; absent: it writes files. */
export interface OfDeed {
  readonly deed?: Deed;
}

/** The host, and port, of an instance or tenant. */
export interface OfHost {
  readonly host: string;
}

/** The words of a host. */
export interface WithMessage extends OfHost {
  readonly message: string;
}

/** One of the two instances of a copy; `export` talks to the source, `import` to the target. */
export type Side = "source" | "target";
/** A service that receives calls. */
export type Peer = Side | "auth0";
