import { mappedOptions, presetOption } from "../mapped/options.ts";
import type { OptionTable, Settings } from "../source.ts";
import { presets } from "./presets.ts";

const { mapping, ...others } = mappedOptions("column");

/** The flags of `migrate csv` alone. */
export const options = { mapping, preset: presetOption(presets, "the first row"), ...others } satisfies OptionTable;

/** What `migrate csv` was asked for. */
export type CsvSettings = Settings<typeof options>;
