import { spawnSync } from "node:child_process";

/** tsc's own: it found type errors but wrote the files all the same. */
const emittedWithErrors = 2;

/** Tests that start the host or the stack as a user does run the built files; this keeps them fresh. */
export function setup(): void {
  const build = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
    { encoding: "utf8" },
  );
  if (build.status === 0) return;
  const said = `The build has errors:\n${build.stdout}${build.stderr}`;
  // Type errors fail `npm run check`; here they are only said, so that the tests of what works still run.
  if (build.status === emittedWithErrors) console.warn(said);
  else throw new Error(said);
}
