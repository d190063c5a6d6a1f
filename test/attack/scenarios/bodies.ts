import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Outcome } from '#test/attack/attack.js';
import type { Cleanup } from '#test/support/cleanup.js';
import { ADMIN, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { allRoutes, credentialFor, LISTENER_SECRET, takesBody } from '#test/support/documents/all-routes.js';
import { vitalsOf } from '#test/support/neighbours/event-loop-probe.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { answerIn, type RawConnection, rawConnection, requestHead } from '#test/support/raw-connection.js';
import { type HttpClient, httpClient, registerTenant } from '#test/support/status-client.js';

const MIB = 1024 * 1024;
const TENANTS = ['attacker', 'neighbour'] as const;
const [ATTACKER, NEIGHBOUR] = TENANTS.map((name) => `${name}-admin`) as [string, string];

/** What the memory of the process may grow by, in MiB: four bodies of the largest size, and what it takes to read them. */
const MOST_GROWTH = 700;
/** How long the event loop of the server may be busy in one go, in milliseconds: the machine may have other work. */
const LONGEST_PAUSE = 1_000;

type Lab = Readonly<{ url: string; root: HttpClient }>;

/** A server with two tenants and a topic. */
const labOf = async (cleanup: Cleanup, environment: Readonly<Record<string, string>> = {}): Promise<Lab> => {
  const deployment = await embedded();
  cleanup.defer(deployment.dispose);
  const server = await startLogbook({
    ...deployment.environment,
    LOGBOOK_ROLES: 'api,projector',
    LOGBOOK_AMS_LISTENER_SECRETS: LISTENER_SECRET,
    ...environment,
  });
  cleanup.defer(() => server.stop());
  const root = httpClient(server.url);
  for (const name of TENANTS) await registerTenant(httpClient(server.url, '/api/v2'), ADMIN, name, ['admin']);
  for (const [method, path] of [
    ['POST', '/v1/projects/p'],
    ['PUT', '/v1/projects/p/topics/t'],
  ] as const)
    await root.call(method, path, { key: SERVICE_TOKEN, body: {} });
  return { url: server.url, root };
};

/** Attacks while memory and event loop of the server are looked at. `attack` resolves with what was wrong. */
const watched = async ({ root }: Lab, attempts: number, attack: () => Promise<readonly string[]>): Promise<Outcome> => {
  const { memory } = await vitalsOf(root);
  let [peak, longest] = [memory, 0];
  const look = async (): Promise<void> => {
    const now = await vitalsOf(root);
    peak = Math.max(peak, now.memory);
    longest = Math.max(longest, now.pause);
  };
  let attacking = true;
  const looking = (async () => {
    for (; attacking; await pause(250)) await look();
  })();
  const wrong = [...(await attack())];
  attacking = false;
  await looking;
  await look();
  const growth = Math.round((peak - memory) / MIB);
  if (growth > MOST_GROWTH) wrong.push('the memory grew too much');
  if (longest > LONGEST_PAUSE) wrong.push('the event loop was busy for too long');
  const figures = `longest pause of the event loop ${longest.toFixed(0)} ms, memory +${growth} MiB`;
  return { held: wrong.length === 0, attempts, detail: [...wrong.slice(0, 3), figures].join('; ') };
};

/** 60 MiB that begin so and go on with a repeated piece. */
const huge = (piece: string): Buffer => Buffer.alloc(60 * MIB - ((60 * MIB) % piece.length), piece);
const PIECES = ['[],', '{"a":', '0,', '{},', '"x"', '\n'].map((piece) => huge(`${piece}`));

/** Wrong unless an answer refuses: no success, and no error of the server’s but 503. */
const refusalOf = (name: string, status: number): readonly string[] =>
  (status >= 400 && status < 500) || status === 503 ? [] : [`${name}: ${status}`];

const tinyValues = (name: string, withCredential: boolean): Attack => ({
  name: `bodies: 60 MiB of tiny values to every call, ${name}`,
  run: async (cleanup) => {
    const lab = await labOf(cleanup);
    const routes = (await allRoutes(lab.root)).filter((route) => takesBody(route) || route.method === 'OPTIONS');
    return watched(lab, routes.length, async () => {
      const wrong: string[] = [];
      for (const [index, { method, path }] of routes.entries()) {
        const body = PIECES[index % PIECES.length];
        const headers = { 'content-type': 'application/json', ...(withCredential ? credentialFor(path, ATTACKER) : {}) };
        const framing: Record<string, string> = index % 2 === 0 ? {} : { 'transfer-encoding': 'chunked' };
        const { status } = await lab.root.call(method, path, { body, headers: { ...headers, ...framing } });
        wrong.push(...refusalOf(`${method} ${path}`, status));
      }
      return wrong;
    });
  },
});

/** Sends until the server ends the connection. */
const sendOn = async (connection: RawConnection, chunk: Buffer, every: number): Promise<void> => {
  while (connection.isOpen) {
    await connection.send(chunk);
    if (every > 0) await pause(every);
  }
};

const unfinished: Attack = {
  name: 'bodies: 64 connections that announce 64 MiB without a credential, and send or stop',
  run: async (cleanup) => {
    const lab = await labOf(cleanup);
    const targets = [
      ['OPTIONS', '/api/v2/weights'],
      ['POST', '/accounting-system/ams-listener'],
      ['POST', '/api/v2/topology/endpoints'],
      ['POST', '/v1/projects/p/topics/t:publish'],
    ] as const;
    const length = { 'content-length': String(64 * MIB - 1) };
    const chunk = Buffer.alloc(MIB, '[');
    return watched(lab, 64, async () => {
      const ends = Array.from({ length: 64 }, async (_, index) => {
        const [method, path] = targets[index % targets.length] ?? targets[0];
        const connection = await rawConnection(lab.url);
        cleanup.defer(() => connection.close());
        await connection.send(requestHead(method, path, index % 3 === 0 ? { 'transfer-encoding': 'chunked' } : length));
        if (index % 2 === 0) void sendOn(connection, index % 3 === 0 ? Buffer.from(`100000\r\n${chunk}\r\n`) : chunk, 20);
        const { status } = answerIn(await connection.ended);
        return refusalOf(`${method} ${path}`, status);
      });
      return (await Promise.all(ends)).flat();
    });
  },
};

const slow: Attack = {
  name: 'bodies: 400 connections with headers and bodies that never end, at a trickle',
  run: async (cleanup) => {
    const lab = await labOf(cleanup, { LOGBOOK_BODY_TIMEOUT: '3s' });
    const key = { 'x-api-key': ATTACKER };
    return watched(lab, 400, async () => {
      const ends = Array.from({ length: 400 }, async (_, index) => {
        const connection = await rawConnection(lab.url);
        cleanup.defer(() => connection.close());
        if (index % 2 === 0) {
          await connection.send('POST /api/v2/weights HTTP/1.1\r\nhost: x\r\n');
          void sendOn(connection, Buffer.from('x: y\r\n'), 1_000);
        } else {
          await connection.send(`${requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '1000000' })}{`);
          void sendOn(connection, Buffer.from(' '), 1_000);
        }
        const { status } = answerIn(await connection.ended);
        // The caller's share of the budget may be used up.
        return status === 408 || status === 503 ? [] : [`a trickle was answered ${status}`];
      });
      return (await Promise.all(ends)).flat();
    });
  },
};

const greedy: Attack = {
  name: 'bodies: one caller publishes 64 times 10 MiB at once, again and again, while others work',
  run: async (cleanup) => {
    const lab = await labOf(cleanup);
    const list = JSON.stringify(
      Array.from({ length: 1_000 }, (_, index) => ({ group: 'g', type: 't', service: 's', hostname: `h${index}` })),
    );
    const large = Buffer.from(JSON.stringify({ messages: [{ data: 'A'.repeat(10 * MIB) }] }));
    let accepted = 0;
    const outcome = await watched(lab, 64 * 3, async () => {
      const wrong: string[] = [];
      let attacking = true;
      const others = async (): Promise<void> => {
        for (let day = 1; attacking; day++) {
          const date = `20${String(10 + (day % 80)).padStart(2, '0')}-01-${String(1 + Math.floor(day / 80)).padStart(2, '0')}`;
          const calls = [
            lab.root.post(`/api/v2/topology/endpoints?date=${date}`, { key: NEIGHBOUR, body: list }),
            lab.root.post('/api/v2/weights', { key: NEIGHBOUR, body: { name: `w${day}` } }),
          ];
          for (const { status } of await Promise.all(calls)) if (status !== 201) wrong.push(`another caller got ${status}`);
        }
      };
      const working = others();
      for (let round = 0; round < 3; round++) {
        const calls = Array.from({ length: 64 }, () =>
          lab.root.post('/v1/projects/p/topics/t:publish', { key: SERVICE_TOKEN, body: large }),
        );
        for (const { status } of await Promise.all(calls)) {
          if (status === 200) accepted++;
          else if (status !== 503) wrong.push(`a publish was answered ${status}`);
        }
      }
      attacking = false;
      await working;
      return wrong;
    });
    return { ...outcome, held: outcome.held && accepted > 0, detail: `${accepted} taken, the others 503; ${outcome.detail}` };
  },
};

const lying: Attack = {
  name: 'bodies: lengths that lie, framing that contradicts itself, chunks without end',
  run: async (cleanup) => {
    const lab = await labOf(cleanup, { LOGBOOK_BODY_TIMEOUT: '3s' });
    const key = { 'x-api-key': ATTACKER };
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const cases: readonly (readonly [name: string, head: string, body: string, goesOn?: boolean])[] = [
      ['a body longer than announced', requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '2' }), '{}{}garbage\r\n\r\n'],
      ['a body shorter than announced', requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '20' }), '{}'],
      ['two lengths', requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '2, 20' }), '{}'],
      [
        'a length and chunks',
        requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '2', 'transfer-encoding': 'chunked' }),
        '0\r\n\r\n',
      ],
      ['a length below zero', requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '-1' }), '{}'],
      ['a length beyond numbers', requestHead('POST', '/api/v2/weights', { ...key, 'content-length': '9'.repeat(40) }), '{}'],
      ['chunks of no size', requestHead('POST', '/api/v2/weights', { ...key, 'transfer-encoding': 'chunked' }), 'zz\r\n'],
      ['chunks without end', requestHead('POST', '/api/v2/weights', { ...key, 'transfer-encoding': 'chunked' }), chunk, true],
      [
        'chunks without end to a call without a body',
        requestHead('OPTIONS', '/api/v2/weights', { 'transfer-encoding': 'chunked' }),
        chunk,
        true,
      ],
      ['chunks without end behind a GET', requestHead('GET', '/health/live', { 'transfer-encoding': 'chunked' }), chunk, true],
      ['gzip in the framing', requestHead('POST', '/api/v2/weights', { ...key, 'transfer-encoding': 'gzip, chunked' }), chunk, true],
    ];
    return watched(lab, cases.length, async () => {
      const ends = cases.map(async ([name, head, body, goesOn]) => {
        const connection = await rawConnection(lab.url);
        cleanup.defer(() => connection.close());
        await connection.send(head + body);
        if (goesOn) void sendOn(connection, Buffer.from(body), 1);
        const answers = [...(await connection.ended).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
        return answers.some((status) => status >= 500) || answers.length === 0 ? [`${name}: ${answers}`] : [];
      });
      return (await Promise.all(ends)).flat();
    });
  },
};

export const attacks: readonly Attack[] = [
  tinyValues('without a credential', false),
  tinyValues('with one', true),
  unfinished,
  slow,
  greedy,
  lying,
];
