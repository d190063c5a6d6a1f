import { exactJson } from '#domain/shared/json/exact-json.js';
import { consolePath } from '../place.js';
import { saidBy } from './said-by.js';

/** Values of a query: those that are `undefined` or empty are left out, lists are repeated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `asOf`: instant or position (`Logbook-As-Of`). `tenant`: of the status service, for auditors (`Logbook-Tenant`). */
type ReadOptions = Readonly<{
  asOf?: string | undefined;
  tenant?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Set to read numbers with all their digits, for values that are only shown. */
  exact?: boolean;
}>;

/** An answer that is an error, as the server says it; without `status` (0) the server could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    /** Id of the request, by which the server's log has it. */
    readonly instance?: string,
  ) {
    super(detail || title);
  }
}

/** Where sessions begin and end. */
export const SESSION = '/console/session';

/** Nobody is signed in any more. The shell listens, and shows the form over what was typed. */
export const SIGNED_OUT = 'logbook:signed-out';

/** Whether the server has said so, and nobody has signed in since: until then no other call is of use, and each would count as a failed login. */
const session = { hasEnded: false };

/** Where the server's paths begin: before `/console` there may be the prefix of a proxy. */
const originPath = consolePath.replace(/\/console$/, '');

/** Address of a path of the server, for links and downloads. `path` begins with a slash. */
const addressOf = (path: string, query: Query = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, `${one}`);
  }
  const text = parameters.toString();
  return `${originPath}${path}${text === '' ? '' : `?${text}`}`;
};

/** A part of a path, percent-encoded, whatever characters it has: half of a surrogate pair stands as U+FFFD. */
export const encoded = (part: string): string => encodeURIComponent(part.toWellFormed());

/** A path of parts, each percent-encoded: `pathOf('/audit/streams', 'a/b')`. */
export const pathOf = (path: string, ...parts: readonly string[]): string => [path, ...parts.map(encoded)].join('/');

const errorOf = async (response: Response): Promise<ApiError> => {
  const { title, detail, instance } = saidBy(await response.json().catch(() => null));
  const own = title ?? `The server refused this with the status ${response.status}`;
  return new ApiError(response.status, own, detail, instance ?? response.headers.get('x-request-id') ?? undefined);
};

/** One call, with the session. @throws ApiError */
export const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const isOfSession = path === SESSION;
  if (session.hasEnded && !isOfSession) throw new ApiError(401, 'Nobody is signed in', 'The session has ended.');
  const headers = new Headers(init.headers);
  headers.set('x-logbook-console', '1');
  let response: Response;
  try {
    response = await fetch(addressOf(path), { ...init, headers, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The server cannot be reached', 'Nothing was lost here: try again once the connection is back.');
  }
  if (response.ok) {
    if (isOfSession) session.hasEnded = false;
    return response;
  }
  if (response.status === 401 && !isOfSession) {
    session.hasEnded = true;
    dispatchEvent(new Event(SIGNED_OUT));
  }
  throw await errorOf(response);
};

const readHeaders = ({ asOf, tenant }: ReadOptions): Record<string, string> => ({
  ...(asOf && { 'logbook-as-of': asOf }),
  ...(tenant && { 'logbook-tenant': tenant }),
});

/** A read, by default as JSON. `T` is best an `AnswerOf<…>`. @throws ApiError */
export const get = async <T>(path: string, query: Query = {}, options: ReadOptions = {}): Promise<T> => {
  const { signal = null, exact = false } = options;
  const response = await call(withQuery(path, query), { headers: readHeaders(options), signal });
  return exact ? (exactJson(await response.text()) as T) : response.json();
};

/** A read as text, such as a table or a list of lines. `accept`: its type. @throws ApiError */
export const getText = async (path: string, accept: string, query: Query = {}, options: ReadOptions = {}): Promise<string> => {
  const { signal = null } = options;
  const response = await call(withQuery(path, query), { headers: { ...readHeaders(options), accept }, signal });
  return response.text();
};

const withQuery = (path: string, query: Query): string => addressOf(path, query).slice(originPath.length);

/** Browsers have `randomUUID` over https only. */
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('');

/** A write, under an `Idempotency-Key` of its own; `null` where there is no body to answer. @throws ApiError */
export const send = async <T = void>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T> => {
  const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': newKey() } : {};
  if (body) headers['content-type'] = 'application/json';
  const response = await call(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return JSON.parse(text || 'null');
};
