/** `npm run bench -- NAME [options]` runs one benchmark, `npm run bench` all of them. */
import { readdirSync } from "node:fs";

const [name] = process.argv.slice(2);
const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".js") && file !== "main.js")
  .map((file) => file.slice(0, -3));

if (name !== undefined && !name.startsWith("-") && !all.includes(name)) {
  console.error(`There is no benchmark '${name}'; there are ${all.join(", ")}`);
  process.exitCode = 2;
} else {
  for (const each of name === undefined || name.startsWith("-") ? all : [name]) {
    console.log(`\n${each} (Node ${process.version})`);
    await import(`./${each}.js`);
  }
}
