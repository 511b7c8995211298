/** orgferry's own version; a test keeps it equal to package.json's. Reading package.json at run time would slow every start. */
export const version = "0.1.0";
