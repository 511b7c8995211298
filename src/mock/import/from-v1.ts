import { isObject, type JsonObject, type JsonValue, listAt, textAt, valueAt } from "../http/json.ts";

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
    ...(triggerActions === undefined ? {} : { triggerActions: triggersOf(org) }),
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

const flows: Readonly<Record<string, number>> = { FLOW_TYPE_EXTERNAL_AUTHENTICATION: 1 };
const triggers: Readonly<Record<string, number>> = {
  TRIGGER_TYPE_POST_AUTHENTICATION: 1,
  TRIGGER_TYPE_PRE_CREATION: 2,
  TRIGGER_TYPE_POST_CREATION: 3,
};

function triggersOf(org: JsonObject): JsonObject[] {
  // A number without a name stays a number when it is decoded.
  const numberOf = (numbers: Readonly<Record<string, number>>, given: JsonValue | undefined): string =>
    String(typeof given === "string" ? (numbers[given] ?? 0) : (given ?? 0));
  return listAt(org, "triggerActions").map((action) => ({
    ...action,
    flowType: numberOf(flows, action["flowType"]),
    triggerType: numberOf(triggers, action["triggerType"]),
  }));
}
