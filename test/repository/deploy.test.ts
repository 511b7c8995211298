import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { at, manifestsIn } from "../helpers/manifests.ts";

/** The files with manifests, and the path of the pod in each; test/e2e runs what their containers are started with. */
const PODS = {
  "kubernetes-copy.yaml": ["spec", "jobTemplate", "spec", "template", "spec"],
  "kubernetes-import.yaml": ["spec", "template", "spec"],
  "kubernetes-merge.yaml": ["spec", "template", "spec"],
} as const;

test("every file of fixtures/deploy is a manifest for Kubernetes or the workflow", () => {
  const files = readdirSync("fixtures/deploy").filter((name) => name.endsWith(".yaml"));
  expect(files.sort()).toEqual(["github-actions-copy.yaml", ...Object.keys(PODS)].sort());
});

test.each(Object.entries(PODS))("%s starts orgferry without rights that it does not need", (file, path) => {
  const job = manifestsIn(file).find(({ kind }) => kind === "Job" || kind === "CronJob");
  const pod = at(job, ...path);
  expect(at(pod, "containers", 0, "args", 0)).toBe("orgferry");
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
