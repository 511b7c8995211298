import type { Buffer } from "node:buffer";

/** Node's blob in a single executable, found as the loader of each platform finds it; undefined if there is none. */
export function blobOf(file: Buffer): Buffer | undefined {
  if (file.readUInt32BE(0) === 0x7f454c46) return noteOf(file);
  if (file.readUInt32LE(0) === 0xfeedfacf) return sectionOf(file);
  return file.toString("latin1", 0, 2) === "MZ" ? resourceOf(file) : undefined;
}

const NAME = "NODE_SEA_BLOB";

/** ELF, 64 bits: a note of this name in a segment of notes. */
function noteOf(file: Buffer): Buffer | undefined {
  const headers = Number(file.readBigUInt64LE(32));
  for (let index = 0; index < file.readUInt16LE(56); index += 1) {
    const at = headers + index * file.readUInt16LE(54);
    if (file.readUInt32LE(at) !== 4) continue;
    const begin = Number(file.readBigUInt64LE(at + 8));
    const end = begin + Number(file.readBigUInt64LE(at + 32));
    for (let note = begin; note < end; ) {
      const nameLength = file.readUInt32LE(note);
      const length = file.readUInt32LE(note + 4);
      const content = note + 12 + aligned(nameLength);
      if (textAt(file, note + 12) === NAME) return file.subarray(content, content + length);
      note = content + aligned(length);
    }
  }
  return undefined;
}

function aligned(length: number): number {
  return 4 * Math.ceil(length / 4);
}

function textAt(file: Buffer, at: number): string {
  return file.toString("latin1", at, file.indexOf(0, at));
}

/** Mach-O, 64 bits: a section of this name in the segment NODE_SEA. */
function sectionOf(file: Buffer): Buffer | undefined {
  const SEGMENT = 0x19;
  let at = 32;
  for (let index = 0; index < file.readUInt32LE(16); index += 1) {
    if (file.readUInt32LE(at) === SEGMENT && textAt(file, at + 8) === "NODE_SEA") {
      const section = at + 72;
      const begin = file.readUInt32LE(section + 48);
      const isIt = file.toString("latin1", section, section + 16).replaceAll("\0", "") === `__${NAME}`;
      if (isIt) return file.subarray(begin, begin + Number(file.readBigUInt64LE(section + 40)));
    }
    at += file.readUInt32LE(at + 4);
  }
  return undefined;
}

/** PE: a resource of the type RCDATA with this name, in its first language. */
function resourceOf(file: Buffer): Buffer | undefined {
  const header = file.readUInt32LE(0x3c);
  const sections = header + 24 + file.readUInt16LE(header + 20);
  for (let index = 0; index < file.readUInt16LE(header + 6); index += 1) {
    const at = sections + 40 * index;
    if (file.toString("latin1", at, at + 5) !== ".rsrc") continue;
    const root = file.readUInt32LE(at + 20);
    const entries = (folder: number) => {
      const count = file.readUInt16LE(folder + 12) + file.readUInt16LE(folder + 14);
      return Array.from({ length: count }, (_, entry) => {
        const [name, offset] = [16, 20].map((part) => file.readUInt32LE(folder + part + 8 * entry)) as [number, number];
        const isText = name >= 2 ** 31;
        const text = root + (name % 2 ** 31);
        const id = isText ? file.toString("utf16le", text + 2, text + 2 + 2 * file.readUInt16LE(text)) : name;
        return { id, at: root + (offset % 2 ** 31) };
      });
    };
    const RCDATA = 10;
    const named = entries(root)
      .filter(({ id }) => id === RCDATA)
      .flatMap((type) => entries(type.at))
      .find(({ id }) => id === NAME);
    const [language] = named === undefined ? [] : entries(named.at);
    if (language === undefined) return undefined;
    const begin = file.readUInt32LE(language.at) - file.readUInt32LE(at + 12) + root;
    return file.subarray(begin, begin + file.readUInt32LE(language.at + 4));
  }
  return undefined;
}
