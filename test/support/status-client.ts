import { Agent, type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { noteAnswered } from './events/answered-positions.js';
import { eventually } from './eventually.js';
import { loadOnce } from './processes/load-once.js';

/** Has a compiled schema of each kind of answer that it has seen. */
const { differenceFromDescription } = loadOnce<typeof import('./documents/described-answers.js')>(
  'test/support/documents/described-answers',
);

/** An answer with its body as text and, when it is JSON, parsed. */
export type Answer = Readonly<{ status: number; headers: Headers; text: string; json: unknown }>;

export type Call = Readonly<{
  /** Value of `x-api-key`; left out: no such header. */
  key?: string;
  /** Default `application/json`; `null`: no such header. */
  accept?: string | null;
  /** A string or bytes go out as they are, anything else as JSON. Nothing adds a content type. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Hands over an answer that says that reads are behind. Default: a write waits until its node shows it, and a read that is refused as too early is made again. */
  mayBeBehind?: boolean;
}>;

/** Shared by all clients; its idle connections do not keep the process alive. */
const agent = new Agent({ keepAlive: true });

const bytesOf = (body: unknown): Buffer | undefined => {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

const answerOf = ({ statusCode = 0, headersDistinct }: IncomingMessage, text: string): Answer => {
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) for (const value of values ?? []) headers.append(name, value);
  const json = /[/+]json/.test(headers.get('content-type') ?? '') && text ? JSON.parse(text) : undefined;
  return { status: statusCode, headers, text, json };
};

const BEHIND = 'logbook-read-model';
/** Answers of a server that had no more patience: on a busy machine that happens right after a write. */
const TOO_EARLY =
  /the audit index has not reached the head of the log yet|The history has not reached this point in time yet|what was there at position \d+ cannot be read now/;

const isTooEarly = ({ status, text }: Answer): boolean => status === 503 && TOO_EARLY.test(text);

/** Waits until a node shows all that it has acknowledged: until then its reads say that they are behind. Not when it goes away. */
const untilShown = (look: () => Promise<Answer>): Promise<unknown> =>
  eventually(() => look().catch(() => undefined)).until((answer) => answer?.headers.has(BEHIND) !== true);

const isRead = (method: string, path: string): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || path.split('?')[0]?.endsWith('/search') === true;

/** Every successful write of every service says where its last event stands (operations contract 0): checked wherever tests write. */
const isWithoutPosition = (method: string, path: string, { status, headers }: Answer): boolean =>
  !isRead(method, path) && status >= 200 && status < 300 && !/^[1-9]\d*$/.test(headers.get('logbook-position') ?? '');

/**
 * An HTTP client that changes nothing on the way: no headers of its own but `Host` and `Content-Length`, paths as they are given
 * (dot segments, double slashes), redirects handed over. Rejects when the connection ends before the answer.
 * @param ca certificates that it trusts, of a server that speaks https: then each call has a connection of its own
 */
export const httpClient = (base: string, prefix = '', ca?: Buffer) => {
  const { hostname, port } = new URL(base);
  const ask = ca ? requestSecurely : request;
  const connection = ca ? { ca, agent: false as const } : { agent };
  const send = (method: string, path: string, options: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { key, accept = 'application/json', body, headers = {} } = options;
      const bytes = bytesOf(body);
      const sized = !('transfer-encoding' in headers) && (bytes !== undefined || ['POST', 'PUT', 'PATCH'].includes(method));
      const length = sized ? { 'content-length': String(bytes?.length ?? 0) } : {};
      const access = { ...(key === undefined ? {} : { 'x-api-key': key }), ...(accept === null ? {} : { accept }) };
      const outgoing = ask({ ...connection, hostname, port, method, path, headers: { ...length, ...access, ...headers } }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const answer = answerOf(incoming, Buffer.concat(chunks).toString('utf8'));
          noteAnswered(answer.headers);
          const undescribed = differenceFromDescription(method, path, answer);
          if (isWithoutPosition(method, path, answer)) reject(new Error(`${method} ${path} answers no Logbook-Position`));
          else if (undescribed !== undefined) reject(new Error(undescribed));
          else resolve(answer);
        });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed the connection, idle for long, just when it was used again.
        const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        if (outgoing.reusedSocket && isClosed && isRead(method, path)) resolve(send(method, path, options));
        else reject(error);
      });
      outgoing.end(bytes);
    });
  const call = async (method: string, relative: string, options: Call = {}): Promise<Answer> => {
    const path = prefix + relative;
    if (options.mayBeBehind) return send(method, path, options);
    if (isRead(method, path)) return eventually(() => send(method, path, options)).until((answer) => !isTooEarly(answer));
    const answer = await send(method, path, options);
    if (answer.status < 300 && answer.headers.has(BEHIND)) await untilShown(() => send('GET', '/health/live', {}));
    return answer;
  };
  return {
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, options?: Call) => call('POST', path, options),
    put: (path: string, options?: Call) => call('PUT', path, options),
    delete: (path: string, options?: Call) => call('DELETE', path, options),
  };
};

export type HttpClient = ReturnType<typeof httpClient>;

/** A client that knows only the contract; paths are relative to `/api/v2`. */
export const statusClient = (base: string): HttpClient => httpClient(base, '/api/v2');

/** Registers a tenant with one user per role, each with the key `<tenant>-<role>`; returns its id. @throws unless it was created */
export const registerTenant = async (client: HttpClient, adminKey: string, name: string, roles: readonly string[]): Promise<string> => {
  const users = roles.map((role) => ({ name: role, email: `${role}@example.org`, api_key: `${name}-${role}`, roles: [role] }));
  const answer = await client.post('/admin/tenants', { key: adminKey, body: { info: { name }, users } });
  if (answer.status !== 201) throw new Error(`tenant ${name} was not created: ${answer.status} ${answer.text}`);
  return idOf(answer);
};

export type StatusRecord = Readonly<Record<string, unknown>>;

/** The id of a record just created. */
export const idOf = ({ json }: Answer): string => (json as { data: { id: string } }).data.id;
/** The records of a list, or the one of a single read. */
export const recordsOf = ({ json }: Answer): readonly StatusRecord[] => (json as { data: readonly StatusRecord[] }).data;
