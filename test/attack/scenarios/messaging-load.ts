import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Outcome } from '#test/attack/attack.js';
import { type Outcome as Answer, inWords, type MessagingLab, messagingLab, statusesOf } from '#test/support/messaging/messaging-lab.js';
import { startPushReceiver, status } from '#test/support/messaging/push-receiver.js';
import type { NeighbourReport } from '#test/support/neighbours/neighbour.js';

const MIB = 1024 * 1024;
/** What a neighbour may wait for, at most and typically, in milliseconds, and what the memory of the server may grow by, in MiB: the machine has other work. */
const LONGEST_WAIT = 1_000;
const TYPICAL_WAIT = 100;
const MOST_GROWTH = 600;

/** `late`: what the machine itself kept the neighbour waiting for is nobody's fault. */
const holds = ({ longest, typical, late, memoryBefore, memoryPeak }: NeighbourReport): boolean =>
  longest <= LONGEST_WAIT + 5 * late && typical <= TYPICAL_WAIT && memoryPeak - memoryBefore <= MOST_GROWTH;

const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** @throws unless it succeeds */
const must = async (answer: Promise<Answer>): Promise<void> => {
  const { status, start } = await answer;
  if (status !== 200) throw new Error(`${status} ${start}`);
};

/** A topic whose messages are judged by a schema. */
const judgedTopic = async ({ call }: MessagingLab, name: string, schema: object): Promise<void> => {
  await must(call('POST', `/schemas/${name}`, { type: 'json', schema }));
  await must(call('PUT', `/topics/${name}`, { schema: `projects/attacked/schemas/${name}` }));
};

const publishBody = (data: string, count = 1): Buffer => Buffer.from(`{"messages":[${Array(count).fill(`{"data":"${data}"}`).join()}]}`);

/** Runs calls while a neighbour watches. `right`: whether an answer is as it should be. */
const attacked = async (
  lab: MessagingLab,
  calls: () => readonly Promise<Answer>[],
  right: (answer: Answer) => boolean,
): Promise<Outcome> => {
  const { result, neighbour, seconds } = await lab.watched(() => Promise.all(calls()));
  const held = holds(neighbour) && result.every(right);
  return { held, attempts: result.length, detail: `${statusesOf(result)} in ${seconds.toFixed(1)} s; ${inWords(neighbour)}` };
};

const one = async (lab: MessagingLab, method: string, path: string, body: Buffer | object, right: (answer: Answer) => boolean) =>
  attacked(lab, () => [lab.call(method, path, body)], right);

const is =
  (...statuses: readonly number[]) =>
  ({ status }: Answer): boolean =>
    statuses.includes(status);

/** Thousands of states are active at every character. */
const MANY_STATES = {
  type: 'object',
  properties: { text: { type: 'string', pattern: '(a?){900}(a{0,900}){18}b$'.replace('{18}', '{9}') } },
};

const largeText = (bytes: number): string => inBase64(JSON.stringify({ text: 'a'.repeat(bytes) }));

const pattern: Attack = {
  name: 'messaging: a pattern of thousands of states over a message of 10 MiB',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    await judgedTopic(lab, 'pattern', MANY_STATES);
    return one(lab, 'POST', '/topics/pattern:publish', publishBody(largeText(7 * MIB)), is(400));
  },
};

const enumeration: Attack = {
  name: 'messaging: an enum of 40,000 values and 5,000 violations of it',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    const values = Array.from({ length: 40_000 }, (_, index) => `value-${index}`);
    await judgedTopic(lab, 'enum', { type: 'array', items: { enum: values } });
    const data = inBase64(JSON.stringify(Array(5_000).fill('no')));
    return one(lab, 'POST', '/topics/enum:publish', publishBody(data), is(400));
  },
};

const tiny = (name: string, path: string, begin: string, value: string, end: string): Attack => ({
  name: `messaging: ${name}`,
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    await must(lab.call('PUT', '/topics/t', {}));
    await must(lab.call('PUT', '/subscriptions/s', { topic: 'projects/attacked/topics/t' }));
    const count = Math.floor((60 * MIB) / (value.length + 1));
    const body = Buffer.from(`${begin}${Array(count).fill(value).join()}${end}`);
    return one(lab, 'POST', path, body, is(400, 413));
  },
});

const floods: readonly Attack[] = [
  tiny('publish with 20 million empty messages', '/topics/t:publish', '{"messages":[', '{}', ']}'),
  tiny(
    'publish with a message of millions of attributes',
    '/topics/t:publish',
    '{"messages":[{"data":"eA==","attributes":{',
    '"a":""',
    '}}]}',
  ),
  tiny('acknowledge with 20 million ids', '/subscriptions/s:acknowledge', '{"ackIds":[', '""', ']}'),
  tiny('pull with 20 million values beside', '/subscriptions/s:pull', '{"other":[', '{}', ']}'),
];

const largePublishes: Attack = {
  name: 'messaging: 64 publishes of 10 MiB at once',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    for (let index = 0; index < 8; index++) await must(lab.call('PUT', `/topics/t${index}`, {}));
    const body = publishBody('a'.repeat(10 * MIB));
    return attacked(
      lab,
      () => Array.from({ length: 64 }, (_, index) => lab.call('POST', `/topics/t${index % 8}:publish`, body)),
      is(200, 503),
    );
  },
};

const largePulls: Attack = {
  name: 'messaging: 64 pulls of 16 MiB at once',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    await must(lab.call('PUT', '/topics/t', {}));
    for (let index = 0; index < 64; index++)
      await must(lab.call('PUT', `/subscriptions/s${index}`, { topic: 'projects/attacked/topics/t' }));
    const body = publishBody('a'.repeat(64 * 1024), 64);
    for (let index = 0; index < 4; index++) await must(lab.call('POST', '/topics/t:publish', body));
    const pull = { maxMessages: '10000' };
    return attacked(
      lab,
      () => Array.from({ length: 64 }, (_, index) => lab.call('POST', `/subscriptions/s${index}:pull`, pull)),
      is(200, 503),
    );
  },
};

const samePulls: Attack = {
  name: 'messaging: 1,000 pulls of one message of 10 MB at once',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    await must(lab.call('PUT', '/topics/t', {}));
    await must(lab.call('PUT', '/subscriptions/s', { topic: 'projects/attacked/topics/t' }));
    await must(lab.call('POST', '/topics/t:publish', publishBody('a'.repeat(10_000_000))));
    return attacked(
      lab,
      () => Array.from({ length: 1_000 }, () => lab.call('POST', '/subscriptions/s:pull', { maxMessages: '1' })),
      ({ status, bytes }) => status === 200 && bytes > 10_000_000,
    );
  },
};

/** Once more where the system has reset the connection: so many at once are too many for some machines. */
const persistently = async (call: () => Promise<Answer>): Promise<Answer> => {
  for (let attempts = 1; ; attempts++) {
    const answer = await call();
    if (answer.status !== 0 || attempts === 5) return answer;
  }
};

const waiting: Attack = {
  name: 'messaging: 10,000 waiting pulls and one message for all of them',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    await must(lab.call('PUT', '/topics/t', {}));
    await must(lab.call('PUT', '/subscriptions/s', { topic: 'projects/attacked/topics/t' }));
    const pull = { maxMessages: '1', returnImmediately: 'false' };
    const { result, neighbour, seconds } = await lab.watched(async () => {
      const pulls: Promise<Answer>[] = [];
      while (pulls.length < 10_000) {
        for (let count = 0; count < 100; count++) pulls.push(persistently(() => lab.call('POST', '/subscriptions/s:pull', pull)));
        await pause(20);
      }
      await pause(1_000);
      await must(lab.call('POST', '/topics/t:publish', publishBody('eA==')));
      return Promise.all(pulls);
    });
    const delivered = result.filter(({ status, start }) => status === 200 && start.includes('"messageId":"0"')).length;
    return {
      held: holds(neighbour) && delivered === result.length,
      attempts: result.length,
      detail: `${statusesOf(result)}, ${delivered} with the message, in ${seconds.toFixed(1)} s; ${inWords(neighbour)}`,
    };
  },
};

const failingPush: Attack = {
  name: 'messaging: 50 push subscriptions with a period of 1 ms to an endpoint that fails',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup, { LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' });
    const receiver = await startPushReceiver();
    cleanup.defer(() => receiver.close());
    receiver.answer(status(500));
    await must(lab.call('PUT', '/topics/t', {}));
    const names = Array.from({ length: 50 }, (_, index) => `s${index}`);
    const pushConfig = { pushEndpoint: receiver.url, retryPolicy: { type: 'linear', period: 1 } };
    for (const name of names) {
      const { start } = await lab.call('PUT', `/subscriptions/${name}`, { topic: 'projects/attacked/topics/t', pushConfig });
      receiver.hash.current = /"verificationHash": "(\w+)"/.exec(start)?.[1] ?? '';
      await must(lab.call('POST', `/subscriptions/${name}:verifyPushEndpoint`));
    }
    await must(lab.call('POST', '/topics/t:publish', publishBody('eA==')));
    const { neighbour, seconds } = await lab.watched(() => pause(30_000));
    const counts = await Promise.all(names.map((name) => lab.call('GET', `/subscriptions/${name}:metrics`)));
    const events = counts.reduce((sum, { start }) => sum + Number(/"value": (\d+)/.exec(start)?.[1] ?? 1_000), 0);
    return {
      held: holds(neighbour) && events <= 2 * names.length && receiver.deliveries.length > names.length,
      attempts: receiver.deliveries.length,
      detail: `${events} events in ${seconds.toFixed(0)} s; ${inWords(neighbour)}`,
    };
  },
};

const schemaList: Attack = {
  name: 'messaging: a list of 200 schemas of 1 MiB',
  run: async (cleanup) => {
    const lab = await messagingLab(cleanup);
    const schema = { description: 'a'.repeat(MIB - 100) };
    const created: Answer[] = [];
    for (let index = 0; index < 200; index++) created.push(await lab.call('POST', `/schemas/s${index}`, { type: 'json', schema }));
    const outcome = await attacked(lab, () => [1, 2, 3, 4].map(() => lab.call('GET', '/schemas')), is(200));
    return { ...outcome, attempts: 204, detail: `${statusesOf(created)}; ${outcome.detail}` };
  },
};

export const attacks: readonly Attack[] = [
  pattern,
  enumeration,
  ...floods,
  largePublishes,
  largePulls,
  samePulls,
  waiting,
  failingPush,
  schemaList,
];
