import { spawnSync } from "node:child_process";

/** Tests that start the host or the stack as a user does run the built files; this keeps them fresh. */
export function setup(): void {
  const build = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
    {
      encoding: "utf8",
    },
  );
  if (build.status !== 0) throw new Error(`The build failed:\n${build.stdout}${build.stderr}`);
}
