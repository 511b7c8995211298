import { serviceLimits } from "../../contract/service-limits.ts";

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/**
 * The language tag as the service keeps it (`pt-BR`), or undefined when it would not take it: more than ten characters refuse the
 * whole call, an unknown language is silently lost (service behaviour 1.4, 0.30). Extensions (`-u-…`, `-x-…`) are left out.
 */
export function languageOf(text: string): string | undefined {
  try {
    const { language, script, region } = new Intl.Locale(text.trim().replaceAll("_", "-"));
    if (names.of(language) === undefined) return undefined;
    const tag = [language, script, region].filter((part) => part !== undefined).join("-");
    return tag.length <= serviceLimits.preferredLanguage ? tag : language;
  } catch {
    return undefined; // not the form of a language tag
  }
}

/** A source has a handful of languages, and each lookup takes longer than the rest of its row. */
const REMEMBERED_LANGUAGES = 1_000;

/** `languageOf` with a memory. */
export function createLanguageReader(): (text: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (text) => {
    if (!known.has(text) && known.size < REMEMBERED_LANGUAGES) known.set(text, languageOf(text));
    return known.has(text) ? known.get(text) : languageOf(text);
  };
}
