import { type JsonObject, textAt } from "../http/json.ts";

/** Whether one text fits the text and the method of a query, which are looked at once. */
export function textMatcherOf(query: JsonObject): (text: string) => boolean {
  const method = textAt(query, "method").replace(/^TEXT_(QUERY|FILTER)_METHOD_/, "");
  const cased = method.endsWith("_IGNORE_CASE") ? (text: string) => text.toLowerCase() : (text: string) => text;
  const wanted = cased(wantedOf(query));
  switch (method.replace("_IGNORE_CASE", "")) {
    case "STARTS_WITH":
      return (text) => cased(text).startsWith(wanted);
    case "ENDS_WITH":
      return (text) => cased(text).endsWith(wanted);
    case "CONTAINS":
      return (text) => cased(text).includes(wanted);
    default:
      return (text) => cased(text) === wanted;
  }
}

/** The text that is looked for, whatever its key is called; "" where there is none. */
function wantedOf(query: JsonObject): string {
  const [, wanted] = Object.entries(query).find(([key, value]) => key !== "method" && typeof value === "string") ?? [];
  return typeof wanted === "string" ? wanted : "";
}
