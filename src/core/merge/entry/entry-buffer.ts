import { type Text, viewOf } from "../../json/words.ts";
import { unpackBcrypt } from "../join/bcrypt.ts";
import type { SourceUser } from "../source-user.ts";
import { type BesideList, besideLists, besidesOf } from "./entry-layout.ts";
import { SEPARATOR } from "./entry-template.ts";
import { JOINED_HASH, type PackedTemplate } from "./packed-template.ts";
import { UserEntries } from "./user-entries.ts";

/** A bcrypt hash, and what texts and ranges may reach beyond their ends, since they are copied in words. */
const SPARE_BYTES = 64;
/** Bytes that a character takes at most, of those that a string counts. */
const UTF8_BYTES = 3;

/**
 * Entries of `humanUsers` as bytes, each led by a comma and a line break, and the elements of the lists beside them. The same users
 * always give the same bytes. All of them belong to one organization.
 */
export class EntryBuffer {
  readonly #userEntries: UserEntries;
  #bytes = Buffer.allocUnsafeSlow(2 ** 18);
  #view = viewOf(this.#bytes);
  #length = 0;
  /** The bytes that texts were last taken from, and the same as a view. */
  #source: Uint8Array = this.#bytes;
  #sourceView = this.#view;
  /** One past the last byte of each entry. */
  readonly #ends: number[] = [];
  /** Elements of the lists beside the entries, and which entry each belongs to. */
  readonly #beside: { readonly list: BesideList; readonly entry: number; readonly text: string }[] = [];

  /** @param userEntries may be shared with other buffers. */
  constructor(userEntries = new UserEntries()) {
    this.#userEntries = userEntries;
  }

  get count(): number {
    return this.#ends.length;
  }

  /** The bytes of entries [from, to). Valid until the next entry is added, or `clear`. */
  slice(from: number, to: number): Buffer {
    const start = from === 0 ? 0 : (this.#ends[from - 1] as number);
    return this.#bytes.subarray(start, to === 0 ? 0 : (this.#ends[to - 1] as number));
  }

  /** The elements of a list that belong to entries [from, to), "" when there are none. */
  beside(list: BesideList, from: number, to: number): string {
    if (this.#beside.length === 0) return "";
    return this.#beside
      .filter((element) => element.list === list && element.entry >= from && element.entry < to)
      .map(({ text }) => text)
      .join("");
  }

  clear(): void {
    this.#length = 0;
    this.#ends.length = 0;
    this.#beside.length = 0;
  }

  /** Adds any user. */
  add(user: SourceUser): void {
    const text = this.#userEntries.write(user);
    this.#reserve(text.length * UTF8_BYTES);
    this.#length += this.#bytes.write(text, this.#length);
    if (user.metadata !== undefined || user.idpLinks !== undefined) this.#addBeside(user);
    this.#ends.push(this.#length);
  }

  #addBeside(user: SourceUser): void {
    for (const list of besideLists) {
      for (const element of besidesOf[list](user)) {
        this.#beside.push({ list, entry: this.count, text: SEPARATOR + JSON.stringify(element) });
      }
    }
  }

  /**
   * Adds a user whose texts are the insides of JSON strings without escapes: the same bytes as `add` makes.
   *
   * @param spans where in `bytes` the texts are, from `at` on: start and end of each, first the user id.
   * @param hashAt where in `hashes` the packed hash begins, for a template with a hole for it.
   */
  addRow(
    template: PackedTemplate,
    bytes: Buffer,
    spans: Uint32Array,
    at: number,
    hashes: Uint32Array,
    hashAt: number,
  ): void {
    const { texts, holes, beside } = template;
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#sourceView = viewOf(bytes);
    }
    let length = template.length + SPARE_BYTES;
    for (let hole = 0; hole < holes.length; hole += 1) {
      const span = at + 2 * (holes[hole] as number);
      if (holes[hole] !== JOINED_HASH) length += (spans[span + 1] as number) - (spans[span] as number);
    }
    this.#reserve(length);
    for (let hole = 0; hole < holes.length; hole += 1) {
      this.#put(texts[hole] as Text);
      const span = at + 2 * (holes[hole] as number);
      if (holes[hole] === JOINED_HASH) this.#length = unpackBcrypt(hashes, hashAt, this.#view, this.#length);
      else this.#range(spans[span] as number, spans[span + 1] as number);
    }
    this.#put(texts[holes.length] as Text);
    for (const { list, texts: around } of beside) {
      const text = around.join(bytes.toString("utf8", spans[at], spans[at + 1]));
      this.#beside.push({ list, entry: this.count, text });
    }
    this.#ends.push(this.#length);
  }

  #put({ words, length }: Text): void {
    const view = this.#view;
    const to = this.#length;
    for (let word = 0; word < words.length; word += 1) view.setInt32(to + 4 * word, words[word] as number, true);
    this.#length = to + length;
  }

  /** Copies a text four bytes at a time; the bytes that are too many are overwritten by what follows. */
  #range(start: number, end: number): void {
    const from = this.#sourceView;
    const into = this.#view;
    let to = this.#length;
    this.#length = to + end - start;
    if (end + 3 > from.byteLength) {
      for (let byte = start; byte < end; byte += 1, to += 1) into.setUint8(to, from.getUint8(byte));
      return;
    }
    for (let byte = start; byte < end; byte += 4, to += 4) into.setInt32(to, from.getInt32(byte, true), true);
  }

  #reserve(bytes: number): void {
    if (this.#bytes.length - this.#length >= bytes) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}
