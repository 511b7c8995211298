import fc from "fast-check";
import { expect, test } from "vitest";
import { BrokenMessage, createMessageReader } from "../../../../src/admin/grpc-web/message-reader.ts";
import { runs } from "../../../helpers/runs.ts";

/** All callbacks for a message, in order; field 1 of the root is read in parts. */
function read(pieces: readonly Buffer[]): string[] {
  const told: string[] = [];
  const reader = createMessageReader({
    enters: (path) => path.length === 1 && path[0] === 1,
    opened: (path) => told.push(`open ${path.join(".")}`),
    closed: (path) => told.push(`close ${path.join(".")}`),
    field: (path, bytes, raw) => told.push(`${path.join(".")}=${bytes.toString("hex")} of ${raw.toString("hex")}`),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return told;
}

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
};
const delimited = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);

/** Cuts bytes into pieces at the places given. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => Buffer.from(bytes.subarray(at[index], end)));
}

const field = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 5_000 }), fc.nat())
    .map(([number, value]) => Buffer.concat([varint(number * 8), varint(value)])),
  fc
    .tuple(fc.integer({ min: 2, max: 5_000 }), fc.uint8Array({ maxLength: 300 }))
    .map(([number, value]) => delimited(number, value)),
  fc.integer({ min: 1, max: 50 }).map((number) => Buffer.concat([varint(number * 8 + 1), Buffer.alloc(8, 7)])),
  fc.integer({ min: 1, max: 50 }).map((number) => Buffer.concat([varint(number * 8 + 5), Buffer.alloc(4, 7)])),
);
const message = fc.array(
  fc.oneof(
    field,
    fc.array(field, { maxLength: 10 }).map((fields) => delimited(1, Buffer.concat(fields))),
  ),
  { maxLength: 10 },
);

test("a message in chunks of any size has the same fields", () => {
  fc.assert(
    fc.property(message, fc.array(fc.nat(), { maxLength: 20 }), (fields, places) => {
      const bytes = Buffer.concat(fields);
      expect(read(cut(bytes, places))).toEqual(read([bytes]));
    }),
    { numRuns: runs(300) },
  );
});

test("any bytes are read or raise BrokenMessage", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        read([Buffer.from(bytes)]);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenMessage);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test.each([
  ["a field that is longer than the message it stands in", Buffer.from([0x0a, 0x02, 0x12, 0x05, 1, 2, 3, 4, 5])],
  ["a message that ends too early", Buffer.from([0x0a, 0x05, 0x10])],
  ["a field that ends too early", Buffer.from([0x12, 0x05, 0x10])],
  ["a number without end", Buffer.alloc(11, 0xff)],
  ["field 0", Buffer.from([0x00, 0x01])],
  ["a group", Buffer.from([0x13, 0x14])],
  ["a field of more than 64 MiB", Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1])],
])("%s is broken", (_, bytes) => expect(() => read([bytes])).toThrow(BrokenMessage));
