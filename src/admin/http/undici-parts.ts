import { setFlagsFromString } from "node:v8";
import api from "undici/lib/api/index.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";

// What is used of undici, and no more: its index also loads the copy of it inside Node, which takes 80 ms of a processor and 8 MB.
// The index gives all dispatchers these methods, by one of which a proxy is asked for a tunnel.
Object.assign(Dispatcher.prototype, api);

/** Versions of Node that know the flag; one that does not would say so on stderr. */
const KNOWING_MAJORS = ["20", "22", "24"];

// Its parser of answers is WebAssembly: making more of that than the first compiler does takes 35 MB (Node 20).
const [major = ""] = process.versions.node.split(".");
if (KNOWING_MAJORS.includes(major)) setFlagsFromString("--liftoff-only");

export { Agent, EnvHttpProxyAgent };
