import { expect, test } from "vitest";
import { linesOf, type Run } from "../../../../src/commands/start/run-orgferry.ts";
import { exitCodes } from "../../../../src/problem.ts";

function runOf(line: string, code: Run["code"]): Run {
  return { name: line.split(" ")[1] ?? "", line, code };
}

test("commands that were refused and corrected, and files that were replaced, are left out, others that failed are marked", () => {
  const runs = [
    runOf("orgferry migrate auth0", exitCodes.file),
    runOf("orgferry migrate csv", exitCodes.usage),
    runOf("orgferry doctor", exitCodes.usage),
    runOf("orgferry migrate csv --map a=b", exitCodes.partial),
    runOf("orgferry migrate csv --map a=c", exitCodes.done),
    runOf("orgferry import", undefined),
  ];
  expect(linesOf(runs)).toEqual([
    "orgferry doctor  # exit code 2",
    "orgferry migrate csv --map a=c",
    "orgferry import  # not finished",
  ]);
});
