import { expect, test } from "vitest";
import { firstDuplicate } from "../../../../src/mock/protojson/duplicates.ts";
import { createMessageTable, messageNamed } from "../../../../src/mock/protojson/message-table.ts";

const request = messageNamed(createMessageTable(), "ImportDataRequest");

test.each([
  ['{"timeout":"1m","timeout":"2m"}', { key: "timeout", at: 16 }],
  ['{"timeout":"1m","dataOrgs":{"orgs":[{"orgId":"1"},{"orgId":"2","orgId":"3"}]}}', { key: "orgId", at: 63 }],
  ['{"tim\\u0065out":"1m","timeout":"2m"}', { key: "timeout", at: 21 }],
  // Both spellings of one field are told where fields are read, not here.
  ['{"dataOrgs":{},"data_orgs":{}}', undefined],
  ['{"dataOrgs":{"orgs":[{"orgId":"1"},{"orgId":"2"}]}}', undefined],
  // What nobody knows may have what it likes.
  ['{"unknown":{"a":1,"a":2},"unknown":3}', undefined],
  ['{"dataOrgs":{"orgs":[{"orgId":"\\"orgId\\":{,"}]},"timeout":"{\\"timeout\\":"}', undefined],
  ["[]", undefined],
  ["5", undefined],
])("%s", (text, found) => {
  expect(firstDuplicate(request, text)).toEqual(found);
});
