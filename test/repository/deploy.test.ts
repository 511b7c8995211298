import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { at, manifestsIn } from "../helpers/manifests.ts";

/** The files with manifests, and the path of the pod in each; test/e2e runs what their containers are started with. */
const PODS = {
  "kubernetes-copy.yaml": ["spec", "jobTemplate", "spec", "template", "spec"],
  "kubernetes-import.yaml": ["spec", "template", "spec"],
  "kubernetes-merge.yaml": ["spec", "template", "spec"],
} as const;

const OTHERS = ["github-actions-copy.yaml", "gitlab-ci-copy.yaml", "kustomization.yaml"];

test("every file of fixtures/deploy is a manifest for Kubernetes or a workflow", () => {
  const files = readdirSync("fixtures/deploy").filter((name) => name.endsWith(".yaml"));
  expect(files.sort()).toEqual([...OTHERS, ...Object.keys(PODS)].sort());
});

/** "int-or-string" and others say more about a type that the schema has anyway. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isKubernetes = ajv.compile(JSON.parse(readFileSync("fixtures/deploy/kubernetes.schema.json", "utf8")));

test.each(Object.keys(PODS))("%s is what Kubernetes accepts, with no key that it does not know", (file) => {
  for (const manifest of manifestsIn(file)) {
    expect(isKubernetes(manifest), JSON.stringify(isKubernetes.errors)).toBe(true);
    expect(isKubernetes({ ...manifest, spce: {} })).toBe(false);
  }
});

/** The version of the package, which the files name. */
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const IMAGE = "ghcr.io/orgferry/orgferry";

test("the kustomization changes the image and makes the secret that the manifest names", () => {
  const [kustomization] = manifestsIn("kustomization.yaml");
  const [resource] = at(kustomization, "resources") as readonly string[];
  const [cronJob] = manifestsIn(resource as string);
  const pod = at(cronJob, ...PODS["kubernetes-copy.yaml"]);
  expect(at(pod, "containers", 0, "image")).toBe(`${IMAGE}:${version}`);
  expect(at(kustomization, "images")).toEqual([{ name: IMAGE, newTag: version }]);
  expect(at(kustomization, "secretGenerator", 0, "name")).toBe(at(pod, "volumes", 0, "secret", "secretName"));
});

test("the files name the image, the action and the version of this release", () => {
  const files = readdirSync("fixtures/deploy").filter((name) => !name.endsWith(".json"));
  for (const file of files) {
    const text = readFileSync(`fixtures/deploy/${file}`, "utf8");
    for (const [, named] of text.matchAll(
      /\b(?:ghcr\.io\/orgferry\/orgferry:|actions\/orgferry@v|ORGFERRY_VERSION: |version: )(\d[\w.]*)/g,
    ))
      expect(named, file).toBe(version);
  }
  expect(readFileSync("fixtures/deploy/github-actions-copy.yaml", "utf8")).toContain(`actions/orgferry@v${version}`);
});

test("the image has the executable as its program, no shell, and a user without rights", () => {
  const lines = readFileSync("fixtures/deploy/Dockerfile", "utf8").split("\n");
  const words = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(" ")[0]);
  expect(words).toEqual(["FROM", "ARG", "COPY", "COPY", "COPY", "USER", "WORKDIR", "ENTRYPOINT"]);
  expect(lines).toContain("USER 65532:65532");
  expect(lines.find((line) => line.startsWith("FROM"))).toContain("distroless");
});

test.each(Object.entries(PODS))("%s starts orgferry without rights that it does not need", (file, path) => {
  const job = manifestsIn(file).find(({ kind }) => kind === "Job" || kind === "CronJob");
  const pod = at(job, ...path);
  expect(at(pod, "containers", 0, "securityContext", "readOnlyRootFilesystem")).toBe(true);
  expect(at(pod, "automountServiceAccountToken")).toBe(false);
  expect(at(pod, "securityContext", "runAsNonRoot")).toBe(true);
  const mounts = at(pod, "containers", 0, "volumeMounts") as readonly { readonly name: string }[];
  const volumes = at(pod, "volumes") as readonly { readonly name: string }[];
  expect(mounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
});

test("the workflow has no permissions, and takes its tokens from an environment", () => {
  const [workflow] = manifestsIn("github-actions-copy.yaml");
  expect(at(workflow, "permissions")).toEqual({});
  expect(at(workflow, "jobs", "copy", "environment")).toBe("identity-copy");
  expect(at(workflow, "on", "schedule", 0, "cron")).toMatch(/^(\S+ ){4}\S+$/);
});

test("runners that keep no files save the state with the lock of a killed run, and the report, also of a failed night", () => {
  const [workflow] = manifestsIn("github-actions-copy.yaml");
  const steps = at(workflow, "jobs", "copy", "steps") as readonly {
    readonly uses?: string;
    readonly if?: string;
    readonly run?: string;
    readonly with?: { readonly path: string; readonly key: string };
  }[];
  const step = (action: string) => steps.find(({ uses }) => uses?.startsWith(`actions/${action}@`));
  const [restore, save, upload] = [step("cache/restore"), step("cache/save"), step("upload-artifact")];
  const [, state, report] = steps.flatMap(({ run }) => run?.match(/--state (\S+) .*--report (\S+)/) ?? []);
  expect([save?.if, upload?.if]).toEqual(["always()", "always()"]);
  expect(save?.with?.path.split("\n")).toEqual([state, `${state}.lock`]);
  // The paths are a part of what identifies a cache.
  expect(restore?.with).toMatchObject(save?.with ?? {});
  const files = [`${state}*.manifest.ndjson`, report];
  expect(upload?.with?.path.split("\n")).toEqual(files);
  const [pipeline] = manifestsIn("gitlab-ci-copy.yaml");
  expect(at(pipeline, "copy", "cache")).toMatchObject({ when: "always", paths: save?.with?.path.split("\n") });
  expect(at(pipeline, "copy", "artifacts")).toMatchObject({ when: "always", paths: files });
});
