import { constants, gunzipSync } from "node:zlib";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";
import { isGzip, markLength, utf16Of } from "./encoding.ts";

/**
 * The beginning of a file as its readers get it: decompressed if it is gzip, in UTF-8 if it is UTF-16, without a byte order mark. Of a damaged file, what can be
 * decompressed, or the bytes as they are.
 */
export function decodedBeginning(head: Buffer): Buffer {
  const plain = isGzip(head) ? unzippedBeginning(head) : head;
  const utf16 = utf16Of(plain);
  return utf16 === undefined ? plain.subarray(markLength(plain)) : Buffer.from(new TextDecoder(utf16).decode(plain));
}

function unzippedBeginning(head: Buffer): Buffer {
  try {
    // The end of the file is not there.
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, BEGINNING_BYTES);
  } catch {
    return head;
  }
}
