import { describe, expect, it } from '@jest/globals';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { servingAlone } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { createProject, inProject, WITH_TOKEN } from './calls.js';

const KILLS = runs(4, 2);
const PUBLISHERS = 8;
const MESSAGES = 5;

/** What publishers were told over the lives of the server: the first id of each call by the call's name. */
type Ledger = Readonly<{ sent: Set<string>; acknowledged: Map<string, readonly number[]> }>;

const messagesOf = (call: string): readonly string[] => Array.from({ length: MESSAGES }, (_, index) => `${call}/${index}`);

describe(`Messages published while the server is killed (seed ${SEED})`, () => {
  const random = randomNumbers(SEED);
  const scene = servingAlone(embedded, WITH_TOKEN);
  const ledger: Ledger = { sent: new Set(), acknowledged: new Map() };

  /** Publishes until a connection ends without an answer. */
  const publishUntilCut = async (publisher: number): Promise<void> => {
    const { publish } = trafficOf(() => inProject(scene, 'p'));
    for (;;) {
      const call = `${publisher}-${ledger.sent.size}`;
      ledger.sent.add(call);
      try {
        ledger.acknowledged.set(call, (await publish('t', texts(...messagesOf(call)))).map(Number));
      } catch (error) {
        if (!/^\d{3} /.test(String((error as Error).message))) return; // the server is gone
        throw error;
      }
    }
  };

  it('are stored if their call was answered: at their ids, in order, once, and all of the call', async () => {
    await createProject(scene, 'p');
    const { prepare, pull, acknowledge, offsets } = trafficOf(() => inProject(scene, 'p'));
    await prepare('t');
    for (let kill = 0; kill < KILLS; kill++) {
      const publishers = Array.from({ length: PUBLISHERS }, (_, publisher) => publishUntilCut(publisher));
      const enough = ledger.acknowledged.size + 20 + Math.floor(random() * 60);
      await eventually(async () => ledger.acknowledged.size).until((acknowledged) => acknowledged >= enough);
      await scene.server.kill();
      await Promise.all(publishers);
      await scene.restart();
      await untilReady(scene.root);
    }

    const stored: string[] = [];
    for (;;) {
      const batch = await pull('t', { maxMessages: '500' });
      const last = batch.at(-1);
      if (!last) break;
      for (const { message } of batch) {
        expect(message.messageId).toBe(`${stored.length}`);
        stored.push(Buffer.from(message.data, 'base64').toString());
      }
      expect((await acknowledge('t', Number(last.message.messageId))).status).toBe(200);
    }
    expect((await offsets('t')).max).toBe(stored.length);
    for (const [call, ids] of ledger.acknowledged) expect(ids.map((id) => stored[id])).toEqual(messagesOf(call));
    // What was not acknowledged is there as a whole, or not at all; nothing is there twice.
    const calls = stored.filter((_, index) => index % MESSAGES === 0).map((text) => text.split('/')[0] ?? '');
    expect(stored).toEqual(calls.flatMap(messagesOf));
    expect(new Set(calls).size).toBe(calls.length);
    for (const call of calls) expect(ledger.sent.has(call)).toBe(true);
  });
});
