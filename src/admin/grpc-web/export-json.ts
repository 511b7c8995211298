import type { DescField, DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { BrokenMessage, createMessageReader } from "./message-reader.ts";

/** The functions and schemas of the two libraries. */
export type ProtobufLibrary = Awaited<ReturnType<typeof loadProtobuf>>;

/** Loads both libraries, which takes half a second and 40 MB: only for an export that is too large for the documented call. */
export async function loadProtobuf() {
  const [{ fromBinary, fromJsonString, toBinary, toJson }, { DataOrgSchema, ExportDataRequestSchema }] =
    await Promise.all([import("@bufbuild/protobuf"), import("@zitadel/proto/zitadel/admin_pb")]);
  return { fromBinary, fromJsonString, toBinary, toJson, DataOrgSchema, ExportDataRequestSchema };
}

/** ExportDataResponse has one field, the list of organizations (service behaviour 1.7). */
const ORGS = 1;
const FLUSH_BYTES = 64 * 1024;

/**
 * Converts an ExportDataResponse to the JSON of the documented call, element by element: names in camel case, no default values, enums by
 * name, bytes in base64. `onUnknown` is called once for each field that the schemas do not have; the JSON does not contain it. Raises
 * BrokenMessage.
 */
export async function* toExportJson(
  message: AsyncIterable<Buffer>,
  library: ProtobufLibrary,
  onUnknown: (field: string) => void,
): AsyncGenerator<Buffer> {
  const writer = new ExportWriter(library, onUnknown);
  const reader = createMessageReader(writer);
  for await (const chunk of message) {
    reader.push(chunk);
    if (writer.size >= FLUSH_BYTES) yield writer.take();
  }
  reader.end();
  writer.finish();
  yield writer.take();
}

class ExportWriter {
  readonly #library: ProtobufLibrary;
  readonly #onUnknown: (field: string) => void;
  readonly #fields: ReadonlyMap<number, DescField>;
  readonly #unknown = new Set<string>();
  #pieces: string[] = [];
  #orgs = 0;
  /** The written fields of the open organization; the last one may be an open list. */
  #written = new Set<number>();
  #openList: number | undefined;
  size = 0;

  constructor(library: ProtobufLibrary, onUnknown: (field: string) => void) {
    this.#library = library;
    this.#onUnknown = onUnknown;
    this.#fields = new Map(library.DataOrgSchema.fields.map((field) => [field.number, field]));
  }

  enters(path: readonly number[]): boolean {
    return path.length === 1 && path[0] === ORGS;
  }

  opened(): void {
    this.#write(this.#orgs === 0 ? '{"orgs":[{' : ",{");
    this.#orgs += 1;
    this.#written = new Set();
  }

  closed(): void {
    this.#closeList();
    this.#write("}");
  }

  field([first, number]: readonly number[], bytes: Buffer, raw: Buffer): void {
    const field = number === undefined ? undefined : this.#fields.get(number);
    if (number === undefined || field === undefined) this.#reportUnknown(`field ${number ?? first}`);
    else if (field.fieldKind === "list") this.#element(field, bytes);
    else this.#single(field, bytes, raw);
  }

  /** The text that was written since the last call. */
  take(): Buffer {
    const bytes = Buffer.from(this.#pieces.join(""));
    this.#pieces = [];
    this.size = 0;
    return bytes;
  }

  finish(): void {
    this.#write(this.#orgs === 0 ? "{}" : "]}");
  }

  #element(field: DescField, bytes: Buffer): void {
    if (field.fieldKind !== "list" || field.listKind !== "message") throw new BrokenMessage("malformed");
    if (this.#openList === field.number) this.#write(",");
    else {
      this.#member(field);
      this.#write("[");
      this.#openList = field.number;
    }
    this.#message(field.message, bytes);
  }

  #single(field: DescField, bytes: Buffer, raw: Buffer): void {
    if (field.fieldKind === "message") {
      this.#member(field);
      this.#message(field.message, bytes);
      return;
    }
    // A text, a number or an enum: an organization with this field alone gives its JSON.
    const alone = this.#decode(this.#library.DataOrgSchema, raw) as Readonly<Record<string, unknown>>; // a message is an object
    const value = alone[field.jsonName];
    if (value === undefined) return;
    this.#member(field);
    this.#write(JSON.stringify(value));
  }

  #message(schema: DescMessage, bytes: Buffer): void {
    this.#write(JSON.stringify(this.#decode(schema, bytes)));
  }

  #decode(schema: DescMessage, bytes: Buffer): JsonValue {
    try {
      const message = this.#library.fromBinary(schema, bytes);
      this.#checkKnown(message);
      return this.#library.toJson(schema, message);
    } catch (cause) {
      throw new BrokenMessage(schema.typeName, { cause });
    }
  }

  /** Begins a member. A field that continues after another one would repeat its key. */
  #member({ number, jsonName }: DescField): void {
    this.#closeList();
    if (this.#written.has(number)) throw new BrokenMessage("malformed");
    this.#write(`${this.#written.size === 0 ? "" : ","}${JSON.stringify(jsonName)}:`);
    this.#written.add(number);
  }

  #closeList(): void {
    if (this.#openList !== undefined) this.#write("]");
    this.#openList = undefined;
  }

  #write(text: string): void {
    this.#pieces.push(text);
    this.size += text.length;
  }

  /** A newer service may send fields that the schemas do not have. */
  #checkKnown(message: Message): void {
    for (const { no } of message.$unknown ?? []) this.#reportUnknown(`${message.$typeName} field ${no}`);
    for (const value of Object.values(message)) {
      if (Array.isArray(value)) for (const element of value) if (isMessage(element)) this.#checkKnown(element);
      if (isMessage(value)) this.#checkKnown(value);
      else if (isOneof(value) && isMessage(value.value)) this.#checkKnown(value.value);
    }
  }

  #reportUnknown(field: string): void {
    if (this.#unknown.has(field)) return;
    this.#unknown.add(field);
    this.#onUnknown(field);
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}

function isOneof(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && "case" in value && "value" in value;
}
