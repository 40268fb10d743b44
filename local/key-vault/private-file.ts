import { open, readFile, rename, rm, type FileHandle } from "node:fs/promises";

/** Undefined when there is no such file. */
export async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export interface NewFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * Puts a new file, readable by its owner alone, in the place of the old one, whatever mode that had. A crash leaves one
 * or the other, whole.
 */
export async function replaceFile(file: string, text: string): Promise<NewFile> {
  const bytes = Buffer.from(text);
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  const handle = await open(fresh, "wx", 0o600);
  try {
    await writeAt(handle, bytes, 0);
    await rename(fresh, file);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { handle, size: bytes.length };
}

/** All of it is on the disk when it resolves. */
export async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
  await handle.datasync();
}

/** A rename is safe from a power failure once its folder is; Windows neither needs nor offers that. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
