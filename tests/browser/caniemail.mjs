// Says what of an HTML mail is not known to the mail programs that our readers use, as one JSON
// document on standard output; what of it may be is said by the tests of the mail crate.
//
// node caniemail.mjs < MAIL
//
// REAPER_TEST_NODE is the folder in which tests/run has installed what package.json names.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const CLIENTS = ["gmail.*", "outlook.*", "apple-mail.*"];

const require = createRequire(join(resolve(process.env.REAPER_TEST_NODE), "package.json"));
const { caniemail } = await import(pathToFileURL(require.resolve("caniemail")).href);
const { issues, success } = caniemail({ clients: CLIENTS, html: readFileSync(0, "utf8") });

// Program → what it does not show at all, and what it shows in part.
const told = (found) =>
  Object.fromEntries(
    [...found].map(([client, list]) => [client, [...new Set(list.map((issue) => issue.title))].sort()]),
  );
console.log(JSON.stringify({ success, missing: told(issues.errors), partial: told(issues.warnings) }));
