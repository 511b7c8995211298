import { getCountries } from "libphonenumber-js/min";
import { describe, expect, test } from "vitest";
import {
  chooseMetadata,
  idpOption,
  metadataOption,
  phoneCountryOption,
  toIdpLinks,
} from "../../../../src/sources/shared/options.ts";
import { OptionFault } from "../../../../src/sources/source.ts";

const noFile = (): string => "";
const choose = (...given: string[]) => metadataOption.read(given, noFile);

describe("--phone-country", () => {
  const read = (text: string) => phoneCountryOption.read([text], noFile);

  test("takes each country with phone numbers, in small letters too, and UK for GB", () => {
    for (const country of getCountries()) expect(read(country)).toBe(country);
    expect([read("de"), read("UK")]).toEqual(["DE", "GB"]);
  });

  test("takes nothing else", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const known: readonly string[] = getCountries();
    for (const text of letters.flatMap((first) => letters.map((second) => first + second))) {
      try {
        expect(known, text).toContain(read(text));
      } catch (error) {
        expect(error, text).toBeInstanceOf(OptionFault);
      }
    }
    for (const text of ["", "D", "DEU", "+49", "49", "D1"]) expect(() => read(text), text).toThrow(OptionFault);
  });
});

describe("--metadata", () => {
  const attributes = new Map([
    ["department", ["R&D"]],
    ["tags", ["a", "b"]],
    ["empty", [""]],
    ["none", []],
  ]);

  test("keeps what is named, by its own name or another", () => {
    expect(chooseMetadata(attributes, choose("department=unit", "tags", "empty"))).toEqual({
      metadata: [
        { key: "unit", value: "R&D" },
        { key: "tags", value: '["a","b"]' },
      ],
      lost: [],
      leftOut: [],
    });
  });

  test("all keeps everything, and may rename", () => {
    const { metadata, leftOut } = chooseMetadata(attributes, choose("all", "tags=labels"));
    expect(metadata.map(({ key }) => key)).toEqual(["department", "labels"]);
    expect(leftOut).toEqual([]);
  });

  test("tells what was not asked for, and what the service does not take", () => {
    expect(chooseMetadata(attributes, choose())).toMatchObject({ metadata: [], leftOut: ["department", "tags"] });
    const long = new Map([["k".repeat(201), ["v"]]]);
    expect(chooseMetadata(long, choose("all"))).toMatchObject({ metadata: [], lost: ["k".repeat(201)] });
    const twice = new Map([...attributes, ["unit", ["taken"]]]);
    const { metadata, lost } = chooseMetadata(twice, choose("all", "department=unit"));
    expect([metadata[0], lost]).toEqual([{ key: "unit", value: "R&D" }, ["unit"]]);
  });

  test.each([["=x"], ["x="], ["a=k", "b=k"], ["a", "a"], [`a=${"k".repeat(201)}`]])("refuses %j %j", (...given) => {
    expect(() => choose(...given.filter((text) => text !== undefined))).toThrow(OptionFault);
  });
});

describe("--idp", () => {
  const ids = idpOption("alias").read(["google=155", "corp=a=b"], noFile);

  test("makes links of accounts that have a provider on the target", () => {
    const google = { provider: "google", userId: "1", userName: "ada" };
    expect(toIdpLinks([google, { ...google, userName: "" }], ids)).toEqual({
      links: [
        { idpId: "155", externalUserId: "1", displayName: "ada" },
        { idpId: "155", externalUserId: "1", displayName: "1" },
      ],
      isLost: false,
      unlinked: [],
    });
    expect(toIdpLinks([{ provider: "corp", userId: "1" }], ids).links[0]?.idpId).toBe("a=b");
  });

  test("names the providers that are not on the target, each once", () => {
    const github = { provider: "github", userId: "1" };
    expect(toIdpLinks([github, github], ids)).toEqual({ links: [], isLost: true, unlinked: ["github"] });
  });

  test.each([
    { provider: undefined, userId: "1" },
    { provider: "google", userId: undefined },
    { provider: "google", userId: "x".repeat(201) },
  ])("tells of others: %j", (identity) => {
    expect(toIdpLinks([identity], ids)).toEqual({ links: [], isLost: true, unlinked: [] });
  });

  test.each(["google", "=1", "google="])("refuses %j", (text) => {
    expect(() => idpOption("alias").read([text], noFile)).toThrow(OptionFault);
  });
});
