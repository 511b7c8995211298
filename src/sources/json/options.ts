import { mappedOptions, presetOption } from "../mapped/options.ts";
import { OptionFault, type OptionTable, ofLast, type Settings, type SourceOption } from "../source.ts";
import { readPath } from "./paths.ts";
import { lists, presets } from "./presets.ts";

const list: SourceOption<readonly string[] | undefined> = {
  flag: "--list <path>",
  description: `where in the document the users are, such as result.users (default: ${lists.join(", ")}, or rows)`,
  read: (given) => ofLast(given, keysIn),
};

function keysIn(text: string): readonly string[] {
  return readPath(text).map((step) => {
    if ("key" in step) return step.key;
    throw new OptionFault("it must be keys with dots between them, such as result.users.");
  });
}

const { mapping, ...others } = mappedOptions("path");

/** The flags of `migrate json` alone. */
export const options = {
  mapping,
  preset: presetOption(presets, "the first users"),
  list,
  ...others,
} satisfies OptionTable;

/** What `migrate json` was asked for. */
export type JsonSettings = Settings<typeof options>;
