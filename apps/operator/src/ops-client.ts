import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '#domain/shared/json/exact-json.js';
import { CommandFailed, WrongUsage } from './command-failed.js';
import { type Fetch, fetchFrom } from './fetch-from.js';

/** A job as shown by HTTP, with the details of its kind. */
export type ShownJob<Details = object> = Readonly<{ id: string; state: string; failure: Readonly<{ message: string }> | null }> & Details;

/** `exact`: reads numbers with all their digits, for values that are only shown. */
type OpsRequest = Readonly<{ method?: string; body?: object; headers?: Readonly<Record<string, string>>; exact?: true }>;

/** Interval between reads of a job, and the time for which the server may be away meanwhile: milliseconds. */
const LOOK_EVERY = 500;
const AWAY_AT_MOST = 60_000;

/** Base URL of a call. @param path without query @throws Unreachable */
export type Address = (path: string) => string;

/** The server cannot be reached. */
export class Unreachable extends CommandFailed {}

/** Calls `/ops` and `/audit` of a running server, for commands. Every failure is a {@link CommandFailed} that says what to do. */
export class OpsClient {
  /** @param fetch used for calls. Default: Node's */
  constructor(
    private readonly address: Address,
    private readonly key: string,
    private readonly fetch: Fetch = globalThis.fetch,
  ) {}

  /** Client for `LOGBOOK_URL` and `LOGBOOK_OPS_KEY`; `undefined` if no server is named. @throws CommandFailed */
  static of(environment: Readonly<Record<string, string | undefined>>): OpsClient | undefined {
    const { LOGBOOK_URL: url = '', LOGBOOK_OPS_KEY: key = '', LOGBOOK_TLS_CERT_FILE: certFile } = environment;
    if (url === '') return undefined;
    if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
      throw new CommandFailed('LOGBOOK_URL is not a URL: give one such as http://127.0.0.1:8080');
    if (key === '') throw new CommandFailed('LOGBOOK_URL is set without LOGBOOK_OPS_KEY: give a key of the operations service, too');
    const named = url.replace(/\/+$/, '');
    return new OpsClient(() => named, key, certFile ? trusting(certFile) : undefined);
  }

  /** JSON of a successful answer; `undefined` if it has no body. */
  async call<T = unknown>(path: string, request: OpsRequest = {}): Promise<T> {
    const response = await this.stream(path, request);
    const text = await response.text().catch((error: unknown) => {
      throw new Unreachable(`the answer of the server was cut off: ${reasonOf(error)}`);
    });
    if (text === '') return undefined as T;
    return (request.exact ? exactJson(text) : JSON.parse(text)) as T;
  }

  get = <T = unknown>(path: string): Promise<T> => this.call<T>(path);

  /** With all digits of numbers. */
  getExact = <T = unknown>(path: string): Promise<T> => this.call<T>(path, { exact: true });

  post = <T = unknown>(path: string, body?: object): Promise<T> => this.call<T>(path, { method: 'POST', ...(body && { body }) });

  /** A successful answer whose body the caller reads. @param also further statuses that count as success */
  async stream(path: string, { method = 'GET', body, headers = {} }: OpsRequest = {}, also: readonly number[] = []): Promise<Response> {
    const given = body && { body: JSON.stringify(body) };
    const sent = { 'x-api-key': this.key, ...(body && { 'content-type': 'application/json' }), ...headers };
    const { fetch } = this; // Node's fetch must not be called as a method
    const url = this.address(path.split('?', 1)[0] ?? '');
    const response = await fetch(`${url}${path}`, { method, headers: sent, ...given }).catch((error: unknown) => {
      throw isUntrusted(error)
        ? new CommandFailed(
            `the certificate of ${url} is not trusted here: ${reasonOf(error)}. Name the file of its authority in NODE_EXTRA_CA_CERTS`,
          )
        : new Unreachable(`nothing answers at ${url}: ${explained(reasonOf(error), url)} (see LOGBOOK_URL)`);
    });
    if (!response.ok && !also.includes(response.status)) throw await refusal(response, url);
    return response;
  }

  /** Begins a job with a POST, and waits for its end, even if the server is restarted. */
  async job<Details>(path: string, body: object | undefined, onProgress: (job: ShownJob<Details>) => void): Promise<ShownJob<Details>> {
    const { href } = await this.post<{ href: string }>(path, body);
    for (let awaySince = 0; ; ) {
      try {
        const job = await this.get<ShownJob<Details>>(href);
        awaySince = 0;
        onProgress(job);
        if (job.state !== 'running' && job.state !== 'switching') return job;
      } catch (error) {
        awaySince ||= performance.now();
        if (!(error instanceof Unreachable) || performance.now() - awaySince > AWAY_AT_MOST) throw error;
      }
      await sleep(LOOK_EVERY);
    }
  }
}

const explained = (reason: string, url: string): string =>
  reason === 'other side closed' && url.startsWith('http:') ? `${reason}; if it speaks https, write that` : reason;

const refusal = async (response: Response, url: string): Promise<CommandFailed> => {
  const { status } = response;
  if (status === 401) return new CommandFailed(`${url} does not know the key: give one of its operations service (see LOGBOOK_OPS_KEY)`);
  const detail = await detailOf(response);
  if (status === 403) return new CommandFailed(`the key may not do this: ${detail} (see LOGBOOK_OPS_KEY)`);
  if (status === 400) return new WrongUsage(detail);
  return status === 503 ? new Unreachable(`${url} cannot answer now: ${detail}`) : new CommandFailed(detail);
};

/** Calls servers that Node trusts, and those with the certificate in this file, under any name. What Node refuses was not sent. */
const trusting =
  (certFile: string): Fetch =>
  async (url, request) => {
    try {
      return await fetch(url, request);
    } catch (error) {
      const own = isUntrusted(error) ? await fetchFrom({ certFile }).catch(() => undefined) : undefined;
      if (!own) throw error;
      return own(url, request);
    }
  };

/** Text of a problem, with the members that it names. */
const detailOf = async (response: Response): Promise<string> => {
  const fallback = `${response.status} ${response.statusText}`;
  try {
    const { detail, errors = [] } = (await response.json()) as { detail?: string; errors?: { member: string; detail: string }[] };
    const members = errors.map((error) => `${error.member} ${error.detail}`);
    return [...new Set([detail ?? fallback, ...members])].join('; ');
  } catch {
    return fallback;
  }
};

/** Codes with which Node rejects a server's certificate. */
const UNTRUSTED = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

const isUntrusted = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  return ('code' in error && UNTRUSTED.test(String(error.code))) || isUntrusted(error.cause);
};

/** The innermost message, because `fetch` itself only reports that it failed. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ECONNREFUSED') return 'connection refused';
  return error.message || code;
};

/** Query of a call, from the options of a command. */
export const queryOf = (options: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};
