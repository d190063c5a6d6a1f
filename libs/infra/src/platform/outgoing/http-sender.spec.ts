import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyEndpoint } from '#infra/edges/push/verify-endpoint.js';
import { eventually, LONGEST_MS } from '#test/support/eventually.js';
import { LookUps } from './addresses.js';
import { failureText, HttpSender, NoAnswer } from './http-sender.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('the HTTP sender', () => {
  let server: Server;
  let url: string;
  let handle: Handler;
  const sender = new HttpSender('anywhere');

  beforeAll(async () => {
    server = createServer((request, response) => handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?a=1`;
  });
  afterAll(async () => {
    sender.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const send = (timeoutMs = LONGEST_MS, signal?: AbortSignal) =>
    sender.send({ method: 'POST', url, headers: { 'x-test': 'yes' }, body: '{"a":"é"}', timeoutMs, signal });
  const answering =
    (status: number, headers: Record<string, string> = {}): Handler =>
    (_request, response) => {
      response.writeHead(status, headers).end('thanks');
    };

  it('sends body and headers, and returns the status', async () => {
    const seen = new Promise<readonly unknown[]>((resolve) => {
      handle = async (request, response) => {
        let text = '';
        for await (const chunk of request) text += chunk;
        resolve([request.method, request.url, request.headers['x-test'], request.headers['content-length'], text]);
        response.writeHead(204).end();
      };
    });
    expect((await send()).status).toBe(204);
    expect(await seen).toEqual(['POST', '/in?a=1', 'yes', '10', '{"a":"é"}']);
  });

  it('follows no redirect', async () => {
    handle = answering(302, { location: url });
    expect((await send()).status).toBe(302);
  });

  it('takes 102 as the answer if no other one follows', async () => {
    handle = (request, response) => {
      response.writeProcessing();
      setImmediate(() => request.socket.destroy());
    };
    expect((await send()).status).toBe(102);
  });

  it('takes the answer that follows 102', async () => {
    handle = (_request, response) => {
      response.writeProcessing();
      response.writeHead(500).end();
    };
    expect((await send()).status).toBe(500);
  });

  it('does not wait for a body that never ends', async () => {
    handle = (_request, response) => {
      response.writeHead(200);
      response.write('and');
    };
    expect((await send()).status).toBe(200);
  });

  it('ends the connection of an answer whose body is long and not wanted', async () => {
    const ended = new Promise((resolve) => {
      handle = (_request, response) => {
        response.once('close', resolve).writeHead(200);
        const more = (): void => void (response.destroyed || response.write(Buffer.alloc(16 * 1024), more));
        more();
      };
    });
    expect((await send()).status).toBe(200);
    await ended;
  });

  it('does not count the wait of an owner for its turn to look up a name as time without an answer', async () => {
    const begun: string[] = [];
    const lookUps = new LookUps('anywhere', (host, _options, callback) => {
      begun.push(host);
      setTimeout(() => callback(null, [{ address: '127.0.0.1', family: 4 }]), host === 'dead.test' ? 2_500 : 0);
    });
    const patient = new HttpSender('anywhere', lookUps);
    handle = answering(200);
    const from = (owner: string | undefined, timeoutMs: number) =>
      patient.send({ method: 'GET', url: url.replace('127.0.0.1', `${owner}.test`), timeoutMs, ...(owner !== 'nobody' && { owner }) });
    const outcomes = await Promise.allSettled([from('dead', 500), from('live', 2_000), from('nobody', 200)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(begun).toEqual(['dead.test', 'live.test']);
    patient.close();
  });

  it('fails when the other side switches to another protocol, also on a kept connection', async () => {
    const switching: Handler = ({ socket }) =>
      void socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    handle = switching;
    await expect(send()).rejects.toThrow('the connection was closed without an answer');
    let kept = false;
    const seen = new Set<object>();
    handle = (request, response) => {
      kept = seen.has(request.socket);
      if (kept) return switching(request, response);
      seen.add(request.socket);
      answering(200)(request, response);
    };
    const failed = await eventually(() => send().then(() => undefined, failureText)).until(() => kept);
    expect(failed).toBe('the connection was closed without an answer');
  });

  it.each<[string, number, (response: ServerResponse) => void]>([
    ['answered', 200, (response) => void response.writeHead(200, { 'content-length': 1_000 }).write('a')],
    ['accepted with 102', 102, (response) => response.writeProcessing()],
  ])('does not repeat a request on a kept connection that is reset once it was %s', async (_how, status, begin) => {
    const kept = new Set<object>();
    let reset: Promise<unknown> | undefined;
    let onKept = 0;
    let others = 0;
    handle = (request, response) => {
      if (onKept === 0 && kept.has(request.socket)) {
        onKept += 1;
        reset = once(request.socket, 'close');
        begin(response);
        setTimeout(() => request.socket.resetAndDestroy(), 30); // once the client has what was said
        return;
      }
      others += 1;
      kept.add(request.socket);
      answering(204)(request, response);
    };
    let sent = 0;
    const next = () => send().finally(() => sent++);
    const { status: received } = await eventually(next).until(() => onKept > 0);
    expect(received).toBe(status);
    await reset;
    for (let later = 0; later < 10; later++) expect((await next()).status).toBe(204);
    expect(onKept + others).toBe(sent);
  });

  it('gives up at the time limit', async () => {
    handle = () => undefined;
    await expect(send(50)).rejects.toThrow(new NoAnswer(50));
  });

  it('fails with the reason of the signal', async () => {
    const abort = new AbortController();
    handle = () => abort.abort(new Error('enough'));
    await expect(send(LONGEST_MS, abort.signal)).rejects.toThrow('enough');
    await expect(send(LONGEST_MS, abort.signal)).rejects.toThrow('enough');
  });

  it('describes in words why there is no connection', async () => {
    const refused = sender.send({ method: 'GET', url: 'http://localhost:1/', timeoutMs: LONGEST_MS });
    expect(await refused.catch(failureText)).toMatch(/ECONNREFUSED/);
  });

  it.each([
    ['http://example.org/', 'only https is allowed'],
    ['https://127.0.0.1/', '127.0.0.1 has no public address'],
    ['https://localhost/', 'localhost has no public address'],
    ['https://unknown.invalid/', 'unknown.invalid has no public address'],
  ])('refuses %s unless private addresses are allowed', async (address, text) => {
    const strict = new HttpSender('public');
    await expect(strict.send({ method: 'GET', url: address, timeoutMs: LONGEST_MS })).rejects.toThrow(text);
    strict.close();
  });

  describe('verifying an endpoint', () => {
    const verify = () => verifyEndpoint({ pushEndpoint: url, verificationHash: 'abc' }, sender, 'p');

    it('asks the host of the endpoint', async () => {
      let path: string | undefined;
      handle = (request, response) => {
        path = `${request.method} ${request.url}`;
        response.end('abc');
      };
      expect(await verify()).toBeUndefined();
      expect(path).toBe('GET /ams_verification_hash');
    });

    it.each([
      ['another status', 201, 'abc', 'Wrong response status code'],
      ['a redirect', 301, '', 'Wrong response status code'],
      ['another hash', 200, 'abd', 'Wrong verification hash'],
      ['more than the hash', 200, 'abc\n', 'Wrong verification hash'],
      ['less than the hash', 200, 'ab', 'Wrong verification hash'],
      ['very much more', 200, 'abc'.repeat(1_000_000), 'Wrong verification hash'],
    ])('is not content with %s', async (_what, status, body, reason) => {
      handle = (_request, response) => {
        response.writeHead(status).end(body);
      };
      expect(await verify()).toBe(reason);
    });

    it('reports why there is no answer', async () => {
      handle = (request) => request.socket.destroy();
      expect(await verify()).toBe('socket hang up');
    });

    it('needs a host', async () =>
      expect(await verifyEndpoint({ pushEndpoint: 'nowhere', verificationHash: '' }, sender, 'p')).toBe(
        'Could not retrieve push endpoint host',
      ));
  });
});
