import { Agent, request } from 'node:http';
import type { Answer, Told } from '#test/faults/history.js';

export type Request = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}>;

/** Longer than any answer takes that is still of use; then the outcome is open. */
const TIMEOUT_MS = 8_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

type Raw = Readonly<{ status: number; headers: Readonly<Record<string, string | string[] | undefined>>; text: string }>;

/** Resolves with undefined when no whole answer came. */
export const send = (port: number, { method, path, headers, body }: Request): Promise<Raw | undefined> =>
  new Promise((resolve) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const length = method === 'GET' || method === 'DELETE' ? {} : { 'content-length': `${bytes?.length ?? 0}` };
    const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } }, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('error', () => undefined);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: Buffer.concat(pieces).toString('utf8') });
      });
    });
    const timer = setTimeout(() => outgoing.destroy(), TIMEOUT_MS);
    outgoing.on('error', () => undefined);
    outgoing.on('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    outgoing.end(bytes);
  });

const OUTCOMES: Readonly<Record<number, Answer['outcome']>> = { 404: 'absent', 503: 'away' };

/** Sends it and says what came of it; `read` takes what the checker is to know from the body of a success. */
export const ask = async (port: number, request: Request, read: (json: unknown) => Told): Promise<Answer> => {
  const raw = await send(port, request);
  if (!raw) return { outcome: 'lost', status: 0, behind: false, retryAfter: false, told: {}, text: '' };
  const { status, headers, text } = raw;
  const position = headers['logbook-position'];
  const answer = {
    status,
    behind: headers['logbook-read-model'] === 'behind',
    retryAfter: headers['retry-after'] !== undefined,
    ...(typeof position === 'string' ? { position: BigInt(position) } : {}),
    text: text.slice(0, 500),
  };
  if (status < 200 || status > 299) return { ...answer, outcome: OUTCOMES[status] ?? 'refused', told: {} };
  try {
    return { ...answer, outcome: 'done', told: read(text === '' ? undefined : JSON.parse(text)), text: '' };
  } catch {
    // A success that cannot be read is none.
    return { ...answer, outcome: 'refused', told: {} };
  }
};
