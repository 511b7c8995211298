/** orgferry's own version; a test keeps it equal to package.json's. Reading package.json at run time would slow every start. */
export const version = "0.1.0";

/** The commit of a released build; "" in a build of a clone. The build fills it in. */
const commit = process.env["ORGFERRY_COMMIT"];

/** The answer to `--version --json`. */
export function buildFacts(isExecutable: boolean): object {
  const { platform, arch, versions } = process;
  return {
    version,
    commit: commit === "" || commit === undefined ? null : commit,
    build: isExecutable ? "executable" : "package",
    platform: `${platform}-${arch}`,
    node: versions.node,
  };
}
