import { testVersion } from "./matrix.ts";

testVersion("v4");
