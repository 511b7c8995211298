import type { Answer } from "../http/answer.ts";
import { checkedFault, explainFault } from "../http/explain.ts";
import type { FaultInput } from "../http/faults.ts";
import type { Call, Instance } from "../state/instance.ts";
import { pageAnswer } from "./console-page.ts";
import { type ConsoleQuery, hrefOf } from "./query.ts";

const HERE: ConsoleQuery = { view: "requests", search: "", org: "", page: 1 };

/**
 * `POST /ui/console/faults`: adds the fault of the console's form, or removes all faults, and leads back to the page. The page
 * shows the error of a fault that is not valid.
 */
export async function setFault(call: Call, instance: Instance): Promise<Answer> {
  const given = Object.fromEntries(
    [...new URLSearchParams(Buffer.from(call.body).toString())].filter(([, value]) => value.trim() !== ""),
  );
  if (given["clear"] !== undefined) {
    instance.faults.clear();
    return back();
  }
  try {
    instance.faults.add(checkedFault(given as unknown as FaultInput)); // any object: the schema checks it
    return back();
  } catch (error) {
    return pageAnswer(HERE, instance, explainFault(error));
  }
}

/** A redirect, so that reloading the page does not add the fault again. */
function back(): Answer {
  const headers = { location: hrefOf(HERE, {}), "content-type": "text/plain; charset=utf-8" };
  return { status: 303, headers, body: "" };
}
