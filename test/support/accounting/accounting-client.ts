import { type Answer, type Call, httpClient } from '#test/support/status-client.js';

export type AccountingCall = Omit<Call, 'key'> &
  Readonly<{
    /** Default `application/json` when there is a body; `null`: no such header. */
    contentType?: string | null;
  }>;

/** A client of the accounting service, paths relative to `/accounting-system`. Without a token it sends none. */
export const accountingClient = (base: string, token?: string) => {
  const http = httpClient(base, '/accounting-system');
  const call = (method: string, path: string, { contentType, ...rest }: AccountingCall = {}): Promise<Answer> => {
    const type = contentType === undefined && rest.body !== undefined ? 'application/json' : contentType;
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(type ? { 'content-type': type } : {}),
      ...rest.headers,
    };
    return http.call(method, path, { ...rest, headers });
  };
  return {
    call,
    get: (path: string, options?: AccountingCall) => call('GET', path, options),
    post: (path: string, body?: unknown, options?: AccountingCall) => call('POST', path, { body, ...options }),
    put: (path: string, body?: unknown, options?: AccountingCall) => call('PUT', path, { body, ...options }),
    patch: (path: string, body?: unknown, options?: AccountingCall) => call('PATCH', path, { body, ...options }),
    delete: (path: string, options?: AccountingCall) => call('DELETE', path, options),
  };
};

export type AccountingClient = ReturnType<typeof accountingClient>;
