// Types of the files that undici-parts.ts takes out of undici, which describes its types in one piece.
declare module "undici/lib/api/index.js" {
  const methods: object;

  // biome-ignore lint/style/noDefaultExport: that is what a file of CommonJS exports
  export { methods as default };
}
declare module "undici/lib/dispatcher/agent.js" {
  // biome-ignore lint/style/noDefaultExport: that is what a file of CommonJS exports
  export { Agent as default } from "undici";
}
declare module "undici/lib/dispatcher/dispatcher.js" {
  // biome-ignore lint/style/noDefaultExport: that is what a file of CommonJS exports
  export { Dispatcher as default } from "undici";
}
declare module "undici/lib/dispatcher/env-http-proxy-agent.js" {
  // biome-ignore lint/style/noDefaultExport: that is what a file of CommonJS exports
  export { EnvHttpProxyAgent as default } from "undici";
}
