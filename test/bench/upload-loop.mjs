// The least an upload can be: every file is one ready-made batch, posted as it is, one after the other.
import { readFileSync } from "node:fs";

const [url, ...files] = process.argv.slice(2);
for (const file of files) {
  const body = readFileSync(file);
  const response = await fetch(`${url}/admin/v1/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env["PAT_IMPORT_TOKEN"]}`, "content-type": "application/json" },
    body,
  });
  if (!response.ok) throw new Error(`${file}: ${response.status} ${await response.text()}`);
  const { errors = [] } = await response.json();
  const lost = errors.filter(({ type }) => type === "human_user");
  if (lost.length > 0) throw new Error(`${file}: ${lost.length} users failed, such as ${JSON.stringify(lost[0])}`);
  process.stdout.write(".");
}
