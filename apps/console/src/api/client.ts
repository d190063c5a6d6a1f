import { exactJson } from '#domain/shared/json/exact-json.js';
import { consolePath } from '../place.js';
import { notePutOff } from './put-off.js';
import { saidBy } from './said-by.js';
import { noteDate } from './server-time.js';

/** Values of a query: those that are `undefined` or empty are left out, lists are repeated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `asOf`: instant or position (`Logbook-As-Of`). `tenant`: of the status service, for auditors (`Logbook-Tenant`). */
export type ReadOptions = Readonly<{
  asOf?: string | undefined;
  tenant?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Set to read numbers with all their digits, for values that are only shown. */
  exact?: boolean;
  /** Set for what the page can do without: it is not asked for again by itself. */
  once?: boolean;
}>;

/** An answer that is an error, as the server says it; without `status` (0) the server could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    /** Id of the request, by which the server's log has it. */
    readonly instance?: string,
    /** Seconds after which the server can answer, where it says so (503, `Retry-After`) and is the one to answer. */
    readonly againAfter?: number,
    /** The whole answer; `null` where it is no JSON. */
    readonly body?: unknown,
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

/** Calls that a read is made of at most, while the server says that it can answer later. */
const MOST_CALLS = 10;
/** Nobody waits longer for the next one. */
const LONGEST_PAUSE_S = 10;

const errorOf = async (response: Response): Promise<ApiError> => {
  const body = await response.json().catch(() => null);
  const { title, detail, instance } = saidBy(body);
  const { status, headers } = response;
  const own = title ?? `The server refused this with the status ${status}`;
  const after = headers.get('retry-after');
  const isOfThisNode = status === 503 && !headers.has('logbook-elsewhere');
  const againAfter = isOfThisNode && after !== null && Number(after) <= LONGEST_PAUSE_S ? Number(after) : undefined;
  return new ApiError(status, own, detail, instance ?? headers.get('x-request-id') ?? undefined, againAfter, body);
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
  noteDate(response.headers.get('date'));
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

const pause = async (seconds: number, signal: AbortSignal | null): Promise<void> => {
  signal?.throwIfAborted();
  const ended = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, 1_000 * seconds);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { signal: ended.signal });
  }).finally(() => ended.abort());
};

/** A read is made again by itself, a few times, where the server says when it can answer. @throws ApiError */
const read = async (path: string, query: Query, options: ReadOptions, more: Readonly<Record<string, string>> = {}): Promise<Response> => {
  const { signal = null, once = false } = options;
  const init = { headers: { ...readHeaders(options), ...more }, signal };
  try {
    for (let calls = 1; ; calls += 1) {
      try {
        return await call(withQuery(path, query), init);
      } catch (error) {
        if (!(error instanceof ApiError) || error.againAfter === undefined || once || calls === MOST_CALLS) throw error;
        notePutOff(init, error.message);
        await pause(error.againAfter, signal);
      }
    }
  } finally {
    notePutOff(init);
  }
};

/** A read, by default as JSON. `T` is best an `AnswerOf<…>`. @throws ApiError */
export const get = async <T>(path: string, query: Query = {}, options: ReadOptions = {}): Promise<T> => {
  const response = await read(path, query, options);
  return options.exact ? (exactJson(await response.text()) as T) : response.json();
};

/** A read as text, such as a table or a list of lines. `accept`: its type. @throws ApiError */
export const getText = async (path: string, accept: string, query: Query = {}, options: ReadOptions = {}): Promise<string> => {
  const response = await read(path, query, options, { accept });
  return response.text();
};

const withQuery = (path: string, query: Query): string => addressOf(path, query).slice(originPath.length);

/** Browsers have `randomUUID` over https only. */
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('');

/** A repeat later than this is a new wish. */
const REPEAT_MS = 5 * 60_000;

/** Refusals of a call that leave open whether an earlier one was done. */
const UNDECIDED: readonly number[] = [401, 408, 429];

/** Keys of writes without an answer, by the write: the same one until then is a repeat. */
const unanswered = new Map<string, Readonly<{ key: string; until: number }>>();

/** A write, under an `Idempotency-Key` of its own; `null` where there is no body to answer. @throws ApiError */
export const send = async <T = void>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T> => {
  const write = `${method} ${path} ${JSON.stringify(body)}`;
  const kept = unanswered.get(write);
  const key = kept && Date.now() < kept.until ? kept.key : newKey();
  const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': key } : {};
  if (body) headers['content-type'] = 'application/json';
  unanswered.set(write, { key, until: Date.now() + REPEAT_MS }); // also while it is under way
  try {
    const response = await call(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    unanswered.delete(write);
    return JSON.parse(text || 'null');
  } catch (error) {
    const isDecided = error instanceof ApiError && error.status >= 400 && error.status < 500 && !UNDECIDED.includes(error.status);
    if (isDecided) unanswered.delete(write);
    else unanswered.set(write, { key, until: Date.now() + REPEAT_MS });
    throw error;
  }
};
