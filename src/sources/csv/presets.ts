import type { Preset } from "./preset.ts";
import { auth0 } from "./presets/auth0.ts";
import { clerk } from "./presets/clerk.ts";
import { cognito } from "./presets/cognito.ts";
import { firebaseCsv } from "./presets/firebase.ts";
import { generic } from "./presets/generic.ts";
import { okta } from "./presets/okta.ts";
import { supabase } from "./presets/supabase.ts";

/** What `--preset` knows. */
export const presets: readonly Preset[] = [clerk, cognito, supabase, okta, firebaseCsv, auth0, generic];
