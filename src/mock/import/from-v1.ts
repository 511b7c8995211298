import { isObject, type JsonObject, type JsonValue, listAt, textAt, valueAt } from "../http/json.ts";
import { numberedTrigger } from "./triggers.ts";

/**
 * An organization as the first major version exported it, in the current shape (service behaviour 1.3, 2.11): iamPolicy becomes
 * domainPolicy, flow and trigger become number texts, the lists of second factors, multi factors and identity
 * providers move into the login policy. Decoding has dropped the fields that v1 does not have (domainPolicy, orgState, OTP texts).
 */
export function fromV1(org: JsonObject): JsonObject {
  const { iamPolicy, secondFactors: _second, multiFactors: _multi, idps: _idps, triggerActions, ...rest } = org;
  const login = loginPolicyOf(org);
  return {
    ...rest,
    ...(isObject(iamPolicy) ? { domainPolicy: iamPolicy } : {}),
    ...(login === undefined ? {} : { loginPolicy: login }),
    ...(triggerActions === undefined ? {} : { triggerActions: listAt(org, "triggerActions").map(triggerOf) }),
  };
}

/** undefined without a login policy: the factors are then dropped. */
function loginPolicyOf(org: JsonObject): JsonObject | undefined {
  const policy = valueAt(org, "loginPolicy");
  if (!isObject(policy)) return undefined;
  const typesOf = (field: string): JsonValue[] => listAt(org, field).map((factor) => textAt(factor, "type"));
  const lists = {
    secondFactors: typesOf("secondFactors"),
    multiFactors: typesOf("multiFactors"),
    idps: [...listAt(org, "idps")],
  };
  const filled = Object.entries(lists).filter(([, items]) => items.length > 0);
  return { ...policy, ...Object.fromEntries(filled) };
}

/** A number without a name stays a number when it is decoded. */
function triggerOf({ flowType = 0, triggerType = 0, ...action }: JsonObject): JsonObject {
  return numberedTrigger({ ...action, flowType: String(flowType), triggerType: String(triggerType) });
}
