import { type JsonObject, textAt } from "../http/json.ts";

/** Returns the comparison that a query asks for. */
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

/** The text of a query, whose key differs by query; "" where there is none. */
function wantedOf(query: JsonObject): string {
  const [, wanted] = Object.entries(query).find(([key, value]) => key !== "method" && typeof value === "string") ?? [];
  return typeof wanted === "string" ? wanted : "";
}
