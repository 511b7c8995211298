import { describe, expect, test } from "vitest";
import { annotationLines, jobSummary, maskLine } from "../../../../src/ui/machine/github.ts";
import type { AnyReport, ListedProblem } from "../../../../src/ui/report.ts";
import { ENDED } from "../../../helpers/report-values.ts";

function report({
  problems = [],
  ...given
}: {
  readonly problems?: readonly Omit<ListedProblem, "code">[];
  readonly [field: string]: unknown;
}): AnyReport {
  const listed = problems.map((problem) => ({ code: "row.malformed", ...problem }));
  return { ...ENDED, command: "import", exitCode: 1, durationMs: 12_000, ...given, problems: listed } as AnyReport;
}

describe("annotations", () => {
  test("there are none for a run that went well", () => {
    expect(annotationLines(report({ exitCode: 0, problems: [{ message: "x" }] }))).toEqual([]);
  });

  test("name file and line, with what would end them written out", () => {
    const problems = [{ message: "100 % wrong\nsecond: line", file: "a,b:c.json", line: 3 }];
    expect(annotationLines(report({ problems }))).toEqual([
      "::error file=a%2Cb%3Ac.json,line=3::100 %25 wrong%0Asecond: line",
    ]);
  });

  test("of stdin there is no file to name", () => {
    const problems = [{ message: "broken", file: "-", line: 3 }];
    expect(annotationLines(report({ problems }))).toEqual(["::error::broken"]);
  });

  test("the problem that ended the run comes first", () => {
    const problems = [{ message: "row", file: "a", line: 1 }, { message: "the end" }];
    expect(annotationLines(report({ problems }))).toEqual(["::error::the end", "::error file=a,line=1::row"]);
  });

  test.each([
    [10, 10, "::error file=b.json,line=10::human_user u10: taken"],
    [11, 10, "::error::… and 2 more; the report lists them."],
    [1_234, 10, "::error::… and 1,225 more; the report lists them."],
  ])("%i failures are %i lines", (failed, expected, last) => {
    const failures = Array.from({ length: failed }, (_, at) => ({
      type: "human_user",
      id: `u${at + 1}`,
      message: "taken",
      file: "b.json",
      line: at + 1,
    }));
    const lines = annotationLines(report({ failures }));
    expect(lines).toHaveLength(expected);
    expect(lines.at(-1)).toBe(last);
  });

  test("what a comparison misses is named", () => {
    const missing = [{ type: "user", id: "u1", line: 4 }];
    const different = [{ type: "user", id: "u2", fields: ["email", "hash"] }];
    expect(annotationLines(report({ missing, different }))).toEqual([
      "::error::missing: user u1",
      "::error::different: user u2: email,hash",
    ]);
  });

  test("an id that is a password hash is not shown, neither beside the log nor on the job's page", () => {
    const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const failures = [{ type: "human_user", id: hash, message: `${hash} is taken` }];
    const given = report({ problems: [{ message: `no ${hash}` }], failures, target: hash });
    for (const text of [...annotationLines(given), jobSummary(given)]) {
      expect(text).toContain("a hash, not shown");
      expect(text).not.toContain("C9hB01");
    }
  });

  test("a service's words are no command to the runner", () => {
    const problems = [{ message: "x\n::set-output name=a::b\u001b[2J" }];
    const [line = ""] = annotationLines(report({ problems }));
    expect(line.split("\n")).toHaveLength(1);
    expect(line).not.toContain("\u001b");
  });
});

test("a secret is announced to the runner in one line", () => {
  expect(maskLine("pat%1")).toBe("::add-mask::pat%251");
});

describe("the summary", () => {
  test("says reasons in words, and each place once", () => {
    const problems = [{ message: "a.json:3: email: not an address", file: "a.json", line: 3 }];
    const text = jobSummary(report({ problems, reasons: { "field.email": 2 } }));
    expect(text).toContain("| not an e-mail address that the service accepts | 2 |");
    expect(text).toContain("- `a.json:3` email: not an address\n");
  });

  test("has every number and the first failures", () => {
    const failures = [{ type: "human_user", id: "u|1", message: "<b>taken</b> `now`", file: "b.json", line: 2 }];
    const text = jobSummary(
      report({ target: "example.com", mails: 1_200, users: { read: 5_000, failed: 1 }, failures }),
    );
    expect(text).toBe(`### orgferry import: ❌ exit 1 (12 s)

|  |  |
| --- | ---: |
| target | example.com |
| mails | 1,200 |

| users |  |
| --- | ---: |
| read | 5,000 |
| failed | 1 |

- \`b.json:2\` human\\_user u\\|1: \\<b\\>taken\\</b\\> \\\`now\\\`
`);
  });

  test("of a run that went well says so", () => {
    expect(jobSummary(report({ exitCode: 0 }))).toContain("### orgferry import: ✅ done (12 s)");
  });
});
