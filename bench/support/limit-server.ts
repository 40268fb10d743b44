/**
 * What the machine can do at all with the same webhooks, with nothing of the platform around it: checks the signature,
 * appends the body to a file together with whatever else came in meanwhile, and answers. Its arguments are the folder of
 * the file, the secret, and `--sync` to have every append on the disk itself before the answer.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { fdatasync, openSync, writev } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const [folder = ".", secret = "", flag] = process.argv.slice(2);
const file = openSync(join(folder, "limit.log"), "a");
const write = promisify(writev);
const sync = promisify(fdatasync);

let waiting: { readonly body: Buffer; readonly response: ServerResponse }[] = [];
let isWriting = false;

async function commit(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    const group = waiting.splice(0, 512);
    await write(
      file,
      group.map(({ body }) => body),
    );
    if (flag === "--sync") await sync(file);
    for (const { response } of group) answer(response, 202);
  }
  isWriting = false;
}

function answer(response: ServerResponse, status: number): void {
  const text = '{"correlationId":"00000000000000000000000000000000"}';
  response.writeHead(status, { "content-type": "application/json", "content-length": text.length }).end(text);
}

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const claimed = Buffer.from(String(request.headers["x-hub-signature-256"]).slice("sha256=".length), "hex");
  const digest = createHmac("sha256", secret).update(body).digest();
  return claimed.length === digest.length && timingSafeEqual(claimed, digest);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    if (!isSigned(request, body)) {
      answer(response, 401);
      return;
    }
    waiting.push({ body, response });
    if (!isWriting) void commit();
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.on("disconnect", () => process.exit(0));
process.send?.({ port: (server.address() as AddressInfo).port });
