import { ClassifiedError } from "../failures/classify.ts";

const refused = { mayHaveHappened: false } as const;

/** The route itself is wrong: no event could be sent with it. */
export function configInvalid(message: string): ClassifiedError {
  return new ClassifiedError({ ...refused, classification: "Poison", code: "CONFIG_INVALID", message });
}

/** The route is fine, but not for this event: a value that the request needs is not there or does not fit. */
export function payloadUnfit(message: string): ClassifiedError {
  return new ClassifiedError({ ...refused, classification: "Validation", code: "PAYLOAD_UNFIT", message });
}

export function secretMissing(secretName: string): ClassifiedError {
  const message = `The tenant has no secret named ${secretName} that could be sent.`;
  return new ClassifiedError({ ...refused, classification: "Auth", code: "SECRET_MISSING", message });
}

export function secretUnavailable(secretName: string, cause: unknown): ClassifiedError {
  const message = `The vault did not answer when asked for the secret ${secretName}.`;
  return new ClassifiedError(
    { ...refused, classification: "Transient", code: "SECRET_UNAVAILABLE", message },
    { cause },
  );
}
