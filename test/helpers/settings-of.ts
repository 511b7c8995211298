import type { OptionTable, Settings, Source } from "../../src/sources/source.ts";

/** The values of a source's options: what is given, the defaults of all others. */
export function settingsOf(
  source: Source,
  given: Readonly<Record<string, readonly string[]>> = {},
): Settings<OptionTable> {
  const noFile = (path: string): string => {
    throw new Error(`a test reads ${path}`);
  };
  return Object.fromEntries(
    Object.entries(source.options).map(([name, option]) => [name, option.read(given[name] ?? [], noFile)]),
  );
}
