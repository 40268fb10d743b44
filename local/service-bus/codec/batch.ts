import { decode } from "./decode.ts";
import { readContent, type MessageContent } from "./message-content.ts";
import { MalformedEncoding } from "./scan.ts";
import { section, splitSections } from "./sections.ts";

/** The message format that marks a batch: every data section is a whole encoded message. */
export const batchFormat = 0x80_01_37_00;

/** The messages one transfer carries: several for a batch, otherwise one. */
export function readTransfer(payload: Buffer, format: number): readonly MessageContent[] {
  if (format !== batchFormat) return [readContent(payload)];
  const contents = splitSections(payload)
    .filter(({ code }) => code === section.data)
    .map(({ value, end }) => {
      const message = decode(payload, value, end);
      if (!Buffer.isBuffer(message))
        throw new MalformedEncoding("a batch holds something that is no message");
      return readContent(message);
    });
  if (contents.length === 0) throw new MalformedEncoding("the batch is empty");
  return contents;
}
