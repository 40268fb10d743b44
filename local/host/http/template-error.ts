/** What is wrong with a route template; whoever knows the function adds its name. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
