import { Fault, type FieldError } from "../faults.ts";
import { SchemaProblems } from "../json/schema.ts";

/** The request does not have the right form: each thing that is wrong, with where it stands. */
export function invalid(...errors: readonly FieldError[]): Fault {
  return new Fault("request-invalid", undefined, { errors });
}

/** What does not fit its schema is a fault that says where: `part` is the path of what was read, such as `body`. */
export function fitting<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SchemaProblems)) throw error;
    throw invalid(...error.problems.map(({ path, message }) => ({ path: joined(part, path), message })));
  }
}

function joined(part: string, path: string): string {
  if (path === "") return part;
  return path.startsWith("[") ? `${part}${path}` : `${part}.${path}`;
}
