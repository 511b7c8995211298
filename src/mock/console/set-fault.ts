import type { Answer } from "../http/answer.ts";
import { checkedFault, explainFault } from "../http/explain.ts";
import type { FaultInput } from "../http/faults.ts";
import type { Call, Instance } from "../state/instance.ts";
import { pageAnswer } from "./console-page.ts";
import { hrefOf, type Looking } from "./looking.ts";

const HERE: Looking = { view: "requests", wanted: "", org: "", page: 1 };

/** `POST /ui/console/faults`: the console's form sets a fault, or removes all, and leads back; what is wrong is said on the page. */
export async function setFault(call: Call, instance: Instance): Promise<Answer> {
  const given = Object.fromEntries(
    [...new URLSearchParams(Buffer.from(call.body).toString())].filter(([, value]) => value.trim() !== ""),
  );
  if (given["clear"] !== undefined) {
    instance.faults.clear();
    return back();
  }
  try {
    instance.faults.add(checkedFault(given as unknown as FaultInput)); // whatever it is, that looks at it
    return back();
  } catch (error) {
    return pageAnswer(HERE, instance, explainFault(error));
  }
}

/** Reloading the page must not set the fault once more. */
function back(): Answer {
  return {
    status: 303,
    headers: { location: hrefOf(HERE, {}), "content-type": "text/plain; charset=utf-8" },
    body: "",
  };
}
