/** One wrong member of a request. */
export type MemberProblem = Readonly<{ member: string; detail: string }>;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

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
      title: TITLES[status] ?? 'Error',
      status,
      detail,
      instance: requestId,
      ...(errors && { errors }),
    });
  }
}

/** For `catch`: converts errors of these classes to a problem with the same text, and passes on all others. */
export const problemOf =
  (status: number, ...classes: readonly (abstract new (...of: never[]) => Error)[]) =>
  (error: unknown): never => {
    throw error instanceof Error && classes.some((one) => error instanceof one) ? new Problem(status, error.message) : error;
  };
