import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { refusePlanted } from "../../../src/io/links.ts";
import { makePipe } from "../../helpers/pipes.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const STRANGER = 12_345;
/** Only root can create files of another user. Other users run these tests with the roles exchanged. */
const isRoot = process.geteuid?.() === 0;

const refused = (path: string): unknown => {
  try {
    refusePlanted(path);
    return undefined;
  } catch (error) {
    return (error as { problem?: unknown }).problem;
  }
};

/** A folder as /tmp is: all may write, each removes only what is theirs. */
function sharedFolder(): string {
  const folder = tempDir();
  chmodSync(folder, 0o1777);
  return folder;
}

test.runIf(isRoot)(
  "a link that another user put into a shared folder is refused, wherever it stands in the path",
  () => {
    const shared = sharedFolder();
    const victim = tempDir();
    const link = join(shared, "body.json");
    symlinkSync(join(victim, "precious"), link);
    expect(refused(link)).toBeUndefined();
    lchownSync(link, STRANGER, STRANGER);
    expect(refused(link)).toEqual({ code: "output.planted", file: link, at: link });
    const folder = join(shared, "rejects");
    symlinkSync(victim, folder);
    lchownSync(folder, STRANGER, STRANGER);
    expect(refused(join(folder, "users.ndjson"))).toMatchObject({ at: folder });
    expect(refused(`${shared}/none/../rejects/x`)).toBeUndefined(); // opening it fails: "none" is not there
  },
);

test.runIf(isRoot)("an own link to a planted link is refused", () => {
  const shared = sharedFolder();
  const planted = join(shared, "planted");
  symlinkSync("/etc", planted);
  lchownSync(planted, STRANGER, STRANGER);
  const own = tempDir();
  symlinkSync(`${shared}/./planted/../planted`, join(own, "absolute"));
  expect(refused(join(own, "absolute", "passwd"))).toMatchObject({ at: planted });
});

test.runIf(isRoot)("a pipe of another user is refused in a shared folder and in a folder of that user", () => {
  const shared = sharedFolder();
  const pipe = makePipe("out.json", shared);
  expect(refused(pipe)).toBeUndefined();
  chownSync(pipe, STRANGER, STRANGER);
  expect(refused(pipe)).toMatchObject({ at: pipe });
  const theirs = tempDir();
  onTestFinished(() => chownSync(theirs, 0, 0));
  chownSync(theirs, STRANGER, STRANGER);
  const link = join(theirs, "link");
  symlinkSync("/etc", link);
  lchownSync(link, STRANGER, STRANGER);
  expect(refused(link)).toMatchObject({ at: link });
});

test("own links, links of the system, and missing files and folders are accepted", () => {
  const folder = tempDir();
  mkdirSync(join(folder, "real"));
  writeFileSync(join(folder, "real", "file"), "");
  symlinkSync("real", join(folder, "link"));
  symlinkSync("loop", join(folder, "loop"));
  for (const path of ["link/file", "link/new", "none/new", "link/../real/file", "loop/x"]) {
    expect(refused(join(folder, path))).toBeUndefined();
  }
  for (const path of ["/dev/null", "/dev/stdout", "/dev/fd/1"]) expect(refused(path)).toBeUndefined();
});
