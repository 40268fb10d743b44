/** Whether storage, or the vault, answered with this status. The SDKs put it on the error they throw. */
export function isStatus(error: unknown, status: number): boolean {
  return error instanceof Error && "statusCode" in error && error.statusCode === status;
}
