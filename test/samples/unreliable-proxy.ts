import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What happens to a call: refused before Logbook sees it, with a text or without, perhaps half of it; or its answer is lost after Logbook has taken it. */
export type Fate = Readonly<{ refused: number; retryAfter?: string; text?: string; breaksOff?: true }> | 'answer lost';

/** A call as it arrived, with the time of the monotonic clock in milliseconds. */
export type Seen = Readonly<{ path: string; key: string | undefined; body: string; at: number }>;

const forward = async (base: string, { method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer): Promise<Response> => {
  const passed = ['x-api-key', 'authorization', 'content-type', 'idempotency-key'];
  const sent = passed.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []));
  return fetch(base + url, { method, headers: Object.fromEntries(sent), ...(body.length > 0 && { body: new Uint8Array(body) }) });
};

const refuse = ({ refused, retryAfter, text = '', breaksOff }: Exclude<Fate, string>, response: ServerResponse): void => {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  response.writeHead(refused, { 'content-length': text.length * (breaksOff ? 2 : 1) });
  if (breaksOff) response.write(text, () => response.destroy());
  else response.end(text);
};

/** A proxy before a server. The first calls whose path ends so have these fates, one each; everything else passes. */
export const startUnreliableProxy = async (base: string, ending: string, ...fates: readonly Fate[]) => {
  const waiting = [...fates];
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = await buffer(request);
    const isMeant = new URL(path, base).pathname.endsWith(ending);
    const fate = isMeant ? waiting.shift() : undefined;
    if (isMeant) {
      const key = headers['idempotency-key'];
      seen.push({ path, key: typeof key === 'string' ? key : undefined, body: body.toString(), at: performance.now() });
    }
    if (typeof fate === 'object') {
      refuse(fate, response);
      return;
    }
    const answer = await forward(base, request, body);
    if (fate === 'answer lost') request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: seen as readonly Seen[],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
