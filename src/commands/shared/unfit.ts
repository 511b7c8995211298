import type { UnfitInput } from "../../core/rows/documents.ts";

/** What the command needs, as a sentence: "Name the body or the export." */
type Needed = string;

/** Files that orgferry writes for itself, by their first bytes, and where they belong. */
const OWN_FILES = [
  {
    begins: /^\{"kind":"manifest"/,
    what: "the manifest of an import or a copy",
    instead: "To delete the users that it lists, use orgferry undo.",
  },
  {
    begins: /^\{"kind":"job"/,
    what: "the journal of an import that is not finished",
    instead: "orgferry status <file> has the command that continues the import.",
  },
  {
    begins: /^(?:\{"orgferry":"state"|orgferry state )/,
    what: "the state file of a copy",
    instead: "It belongs to orgferry copy --state.",
  },
  {
    begins: /^\{"file":"(?:[^"\\]|\\.)*",(?:"line":\d+,)?(?:"rejectLine":\d+,)?"code":"/,
    what: "the list of reasons why users were rejected or failed",
    instead: "The users are in the other files of its folder; those of an import in body.json.",
  },
] as const;

const SAVE_TABLE = 'Of a spreadsheet, save the table as "CSV UTF-8" for orgferry migrate csv; unpack an archive.';

/** Files that hold no text of users, by their first bytes, as Latin-1. */
const STRANGE_FILES = [
  { begins: ["PK\x03\x04"], what: "a spreadsheet (xlsx, ods) or a ZIP archive, not text", instead: SAVE_TABLE },
  { begins: ["\xd0\xcf\x11\xe0"], what: "an old spreadsheet (xls), not text", instead: SAVE_TABLE },
  { begins: ["\x89PNG", "\xff\xd8\xff", "GIF8"], what: "an image" },
  { begins: ["%PDF-"], what: "a PDF document" },
  {
    begins: ["<!DOCTYPE", "<!doctype", "<html", "<?xml"],
    what: "a web page or XML",
    instead: "A download that needs a login often gives a page in place of the file.",
  },
] as const;

/**
 * The first packet of an encrypted message of OpenPGP, in hex (RFC 4880, 4.2, 5.1 and 5.3): a session key for a public key or for a
 * passphrase. No text begins so.
 */
const PGP_PACKET = /^(?:84..|85....|c1(?:[0-b].|[cd]...))0[36]|^(?:8c|c3)..(?:040[1-9a-d]0[0-4]|06..0[1-9a-d])/;

/** A byte of this kind in fifty: no text has as many. Random bytes have five. */
const CONTROL_BYTES_SHARE = 0.02;

/**
 * What a file is that no command can take for users, a body or an export, with any fields; undefined: it may be one.
 * @param beginning decompressed, without a byte order mark
 * @param onStdin the command that reads the file from stdin; undefined: the file must be named
 */
export function findUnfit(beginning: Buffer, needed: Needed, onStdin?: string): UnfitInput | undefined {
  const text = beginning.toString("latin1");
  const own = OWN_FILES.find(({ begins }) => begins.test(text));
  if (own !== undefined) return { what: own.what, instead: `${own.instead} ${needed}` };
  const strange = STRANGE_FILES.find(({ begins }) => begins.some((bytes) => text.trimStart().startsWith(bytes)));
  if (strange !== undefined)
    return { what: strange.what, instead: "instead" in strange ? `${strange.instead} ${needed}` : needed };
  if (text.trimStart().startsWith("-----BEGIN PGP MESSAGE") || PGP_PACKET.test(beginning.toString("hex", 0, 8)))
    return {
      what: "encrypted with PGP",
      instead: `Decrypt it: gpg --decrypt <file> ${onStdin === undefined ? "> <new file>" : `| ${onStdin}`}`,
    };
  const encoding = utf16WithoutMark(beginning);
  if (encoding !== undefined)
    return {
      what: `${encoding} without a byte order mark`,
      instead: `Save the file as UTF-8 (a table as "CSV UTF-8"), or convert it: iconv -f ${encoding} -t UTF-8 <file> > <new file>`,
    };
  const controls = beginning.reduce((sum, byte) => (isControl(byte) ? sum + 1 : sum), 0);
  return controls > beginning.length * CONTROL_BYTES_SHARE
    ? { what: "binary data, not text", instead: needed }
    : undefined;
}

/** A table, where JSON is needed; undefined: it may be JSON, also with a broken first line. */
export function findTable(beginning: Buffer): UnfitInput | undefined {
  const text = beginning.toString();
  const [first = ""] = text.trimStart().split("\n", 1);
  const isTable = /^[^{["]*[,;\t|]/.test(first) || /^"[^"]*"\s*[,;\t|]/.test(first);
  if (!isTable || /^\s*[{[]/m.test(text)) return undefined;
  return {
    what: "a table",
    instead:
      "Make an import body of it: orgferry migrate csv --org <id> --users <file>. Auth0's is read by orgferry migrate csv --preset auth0.",
  };
}

/** Texts in Latin letters have a zero in every second byte. */
function utf16WithoutMark(beginning: Buffer): "UTF-16LE" | "UTF-16BE" | undefined {
  const zeros = [0, 0];
  for (const [at, byte] of beginning.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isOne = even + odd > 0 && even + odd >= beginning.length / 4 && Math.min(even, odd) * 4 < Math.max(even, odd);
  return isOne ? (even > odd ? "UTF-16BE" : "UTF-16LE") : undefined;
}

/** Of these, texts have tabs, line breaks, form feeds and escapes only. */
function isControl(byte: number): boolean {
  return byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b;
}
