/** An environment cannot be opened. The message is a sentence for operators and names the path. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  constructor(
    readonly path: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`${path} ${what}`, options);
  }
}
