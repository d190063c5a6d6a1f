import { STATUS_CODES } from 'node:http';

/** One wrong member of a request. */
export type MemberProblem = Readonly<{ member: string; detail: string }>;

/** Names of RFC 9110, where those of Node 20 are older. */
const RENAMED: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/** An answer as problem details (RFC 9457); `instance` is the request id. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly errors?: readonly MemberProblem[],
  ) {
    super(detail);
  }

  /** Under the name that errors of the framework have. */
  get statusCode(): number {
    return this.status;
  }

  body(requestId: string): string {
    const { status, detail, errors } = this;
    return JSON.stringify({
      type: 'about:blank',
      title: RENAMED[status] ?? STATUS_CODES[status] ?? 'Error',
      status,
      detail,
      instance: requestId,
      ...(errors && { errors }),
    });
  }
}

/** The audit index lacks events that were acknowledged before the call. */
export const indexBehind = (): Problem => new Problem(503, 'the audit index has not reached the head of the log yet, try again later');

/** For `catch`: converts errors of these classes to a problem with the same text, and passes on all others. */
export const problemOf =
  (status: number, ...classes: readonly (abstract new (...of: never[]) => Error)[]) =>
  (error: unknown): never => {
    throw error instanceof Error && classes.some((one) => error instanceof one) ? new Problem(status, error.message) : error;
  };
