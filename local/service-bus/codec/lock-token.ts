/** On a link a lock token travels as the delivery tag, in the byte order of a .NET Guid. */
export function tagOfToken(token: string): Buffer {
  const bytes = Buffer.from(token.replaceAll("-", ""), "hex");
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}
