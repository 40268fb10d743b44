/**
 * A request that got no answer. `code` is the operating system's, Node's, undici's or the guard's; what it means for
 * the caller stands in `failures/classify.ts`.
 */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly code: string;
  /** Whether any of the request may have reached the other side. False is a promise, true is a doubt. */
  readonly sent: boolean;

  constructor(code: string, sent: boolean, options?: ErrorOptions) {
    super(`The request got no answer: ${code}`, options);
    this.code = code;
    this.sent = sent;
  }
}
