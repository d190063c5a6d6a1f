import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectBody, expectEmpty, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';

const NO_SUBSCRIPTION = "NOT_FOUND: Subscription doesn't exist";
const MALFORMED = 'INVALID_ARGUMENT: Invalid Offset Arguments';
const OUTSIDE = 'INVALID_ARGUMENT: Offset out of bounds';
const NO_TIME = 'INVALID_ARGUMENT: Time is not in valid Zulu format.';
const TOO_LATE = "CONFLICT: Timestamp is out of bounds for the subscription's topic/partition";

describe('Offsets', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, offsets, modifyOffset } = trafficOf(() => p);
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await prepare('s');
    await publish('s', texts('a', 'b', 'c'));
  });

  it('are those of the log and of the subscription', async () => {
    expectBody(await p.get('/subscriptions/s:offsets'), { max: 3, min: 0, current: 0 });
    expectError(await p.get('/subscriptions/missing:offsets'), NO_SUBSCRIPTION);
    expectError(await p.get('/subscriptions/a.b:offsets'), 'INVALID_ARGUMENT: Invalid subscription name');
    await p.subscription('later', 's');
    expectBody(await p.get('/subscriptions/later:offsets'), { max: 3, min: 0, current: 3 });
  });

  it.each([3, 0, 2])('can be moved to %i', async (offset) => {
    await p.subscription(`to-${offset}`, 's');
    expectEmpty(await modifyOffset(`to-${offset}`, offset));
    expect(await offsets(`to-${offset}`)).toEqual({ max: 3, min: 0, current: offset });
    expect(await pullTexts(`to-${offset}`)).toEqual(['a', 'b', 'c'].slice(offset));
  });

  it('are moved to 0 by a body that names none', async () => {
    await modifyOffset('later', 3);
    expectEmpty(await p.post('/subscriptions/later:modifyOffset', '{}'));
    expect(await offsets('later')).toMatchObject({ current: 0 });
  });

  it.each(['', '{"offset":"1"}'])('cannot be moved by %s', async (body) => {
    expectError(await p.post('/subscriptions/s:modifyOffset', body), MALFORMED);
    expectError(await p.post('/subscriptions/missing:modifyOffset', body), MALFORMED);
  });

  it.each(['-1', '4', '9223372036854775807'])('cannot be moved to %s: nothing changes', async (offset) => {
    const body = `{"offset":${offset}}`;
    const before = await offsets('s');
    expectError(await p.post('/subscriptions/s:modifyOffset', body), OUTSIDE);
    expectError(await p.post('/subscriptions/missing:modifyOffset', body), NO_SUBSCRIPTION);
    expect(await offsets('s')).toEqual(before);
  });

  it('cannot be moved in the log of a deleted topic', async () => {
    await prepare('gone');
    await publish('gone', texts('a'));
    await p.delete('/topics/gone');
    expect((await p.get('/subscriptions/gone:offsets')).status).toBe(200);
    expectError(await modifyOffset('gone', 1), OUTSIDE);
    expectEmpty(await modifyOffset('gone', 0));
    const time = '2020-01-01T00:00:00.000Z';
    expectError(await p.get(`/subscriptions/gone:timeToOffset?time=${time}`), 'INTERNAL_SERVER_ERROR: Backend Error');
    expectError(await p.get('/subscriptions/gone:timeToOffset?time=x'), NO_TIME);
  });

  it('are moved once under an idempotency key', async () => {
    const move = (offset: number) => p.post('/subscriptions/later:modifyOffset', { offset }, { 'idempotency-key': 'k' });
    expectEmpty(await move(1));
    await modifyOffset('later', 2);
    expectEmpty(await move(1));
    expect(await offsets('later')).toMatchObject({ current: 2 });
    expect((await move(2)).status).toBe(422);
  });

  describe('of instants', () => {
    const times: number[] = [];
    beforeAll(async () => {
      await prepare('timed');
      for (let batch = 0; batch < 6; batch++) {
        while (times.at(-1) === Date.now()) await pull('timed'); // each batch at an instant of its own
        await publish('timed', texts('x', 'y', 'z'));
        await modifyOffset('timed', batch * 3);
        const [message] = await pull('timed');
        times.push(Date.parse(message?.message.publishTime ?? ''));
      }
      expect(new Set(times).size).toBe(6);
    });
    const ask = (time: string) => p.get(`/subscriptions/timed:timeToOffset?time=${encodeURIComponent(time)}`);
    const at = (index: number, shift = 0) => new Date((times[index] ?? 0) + shift).toISOString();

    it('are those of the first message at or after them', async () => {
      for (const index of times.keys()) {
        expectBody(await ask(at(index)), { offset: index * 3 }, JSON.stringify);
        expectBody(
          await ask(at(index, -1)),
          { offset: times[index - 1] === (times[index] ?? 0) - 1 ? index * 3 - 3 : index * 3 },
          JSON.stringify,
        );
      }
      expectBody(await ask('1970-01-01T00:00:00.000Z'), { offset: 0 }, JSON.stringify);
      expectError(await ask(at(5, 1)), TOO_LATE);
      expectError(await ask('9999-12-31T23:59:59.999Z'), TOO_LATE);
    });

    it('are found also if the instant is written with a blank', async () => {
      expectBody(await ask(at(2).replace('T', ' ')), { offset: 6 }, JSON.stringify);
      expectBody(await p.get(`/subscriptions/timed:timeToOffset?time=${at(2).replace('T', '+')}`), { offset: 6 }, JSON.stringify);
    });

    it.each(['x', '2020-02-30T00:00:00.000Z'])('cannot be found for the instant %j', async (time) => expectError(await ask(time), NO_TIME));

    it('are looked up after the subscription', async () => {
      expectError(await p.get('/subscriptions/timed:timeToOffset'), NO_TIME);
      expectError(await p.get('/subscriptions/missing:timeToOffset?time=x'), NO_SUBSCRIPTION);
      await prepare('silent');
      expectError(await p.get('/subscriptions/silent:timeToOffset?time=2020-01-01T00:00:00.000Z'), TOO_LATE);
    });
  });
});
