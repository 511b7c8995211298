import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { jsonAnswer, startRawServer } from "../helpers/raw-server.ts";
import { runCli } from "../helpers/run-cli.ts";

const TOKEN = "pat-0123456789";
const HASH = "5f4dcc3b5aa765d61d8327deb882cf99";
const OTP = "JBSWY3DPEHPK3PXP";
const PASSWORD = 'correct "horse" battery';
const secrets = [TOKEN, HASH, OTP, PASSWORD];

const body = testBody([
  testUser(1, { hashedPassword: { value: HASH } }),
  testUser(2, { hashedPassword: undefined, password: PASSWORD, otpCode: OTP }),
]);

/** A text with every secret of a request in every form that a service may send it back in. */
function echo(request: string): string {
  return secrets
    .filter((secret) => request.includes(JSON.stringify(secret).slice(1, -1)))
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      secret.replaceAll('"', "&quot;"),
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("hex"),
    ])
    .join(" ");
}

/** Every file of a folder and below, in one text. */
function filesIn(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== "body.json" && !entry.name.includes("journal"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

test.each([
  [
    "in errors of entries, their ids and types",
    (request: string) =>
      jsonAnswer({
        errors: [
          { type: `t ${echo(request)}`, id: `i ${echo(request)}`, message: echo(request) },
          { type: "human_user", id: "u1", message: `ID=X Message=${echo(request)}` },
        ],
        success: {},
      }),
  ],
  [
    "in errors of OTP secrets, which go in a call of their own",
    (request: string) =>
      jsonAnswer(
        request.includes(OTP)
          ? {
              errors: [
                { type: "human_user", id: "u2", message: "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting" },
                { type: "human_user_otp", id: `u2 ${echo(request)}`, message: echo(request) },
              ],
            }
          : { success: { orgs: [{ orgId: "org1", humanUserIds: ["u1", "u2"] }] } },
      ),
  ],
  ["in a refusal", (request: string) => jsonAnswer({ code: 3, message: echo(request) }, "400 Bad Request")],
  ["in a refusal that is no JSON", (request: string) => `HTTP/1.1 500 No\r\nconnection: close\r\n\r\n${echo(request)}`],
  [
    "in a redirect",
    () => `HTTP/1.1 302 Found\r\nlocation: https://x.example/${encodeURIComponent(TOKEN)}\r\ncontent-length: 0\r\n\r\n`,
  ],
])("what a service hands back %s is nowhere to be seen", async (_, answer) => {
  const server = await startRawServer((socket, request) => {
    if (request.includes("/events/")) socket.write(jsonAnswer({}));
    else if (request.includes("/permissions/")) socket.end(jsonAnswer({ result: ["iam.write"] }));
    else if (request.includes("/orgs/_search")) socket.end(jsonAnswer({ result: [{ id: "org1" }] }));
    else socket.end(answer(request));
  });
  const { cwd, file } = inFolder(body);
  const env = { ZITADEL_IMPORT_DOMAIN: server.url, PAT_IMPORT_TOKEN: TOKEN };
  const flags = ["--verbose", "--json", "--report", "report.json", "--rejects", "rejects"];
  const { stdout, stderr, exitCode } = await runCli(["import", file, ...flags], { cwd, env });
  expect(exitCode).not.toBe(70);
  const everything = stdout + stderr + filesIn(cwd);
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    for (const form of [secret, encodeURIComponent(secret), bytes.toString("base64"), bytes.toString("hex")]) {
      expect(everything).not.toContain(form);
    }
  }
  expect(everything).toContain("redacted");
});
