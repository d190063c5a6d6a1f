import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { type Read, readsOf } from '#test/support/as-of/reads.js';
import { World } from '#test/support/as-of/world.js';
import { type Deployment, deployments } from '#test/support/deployments.js';

const SEED = Number(process.env.LOGBOOK_TEST_SEED ?? Date.now() % 1_000_000);
const MOMENTS = 5;
const CHANGES = 25;

type Recorded = Readonly<{ read: Read; position: Position; status: number; text: string }>;

/** Credentials as the services made them; the history holds none. */
const withoutSecrets = (text: string): string => text;

describe.each(deployments)(`reads as of the past on %s (seed ${SEED})`, (_, open) => {
  let deployment: Deployment;
  let lab: PastLab;
  beforeAll(async () => {
    deployment = await open();
    lab = await openPastLab(deployment);
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const answer = async ({ method, path, headers, body }: Read, asOf?: string) => {
    const moment = asOf === undefined ? headers : { ...headers, 'logbook-as-of': asOf };
    return lab.http.call(method, path, { headers: moment, ...(body !== undefined && { body }) });
  };

  it('answer what they would have answered then, byte for byte, on every route', async () => {
    const world = new World(() => lab.http, SEED);
    const recorded: Recorded[] = [];
    await world.begin();
    for (let moment = 0; moment < MOMENTS; moment++) {
      for (let change = 0; change < CHANGES; change++) {
        lab.advance(1 + ((change * 7_919) % 40_000_000));
        await world.change();
      }
      const position = await lab.settled();
      for (const read of readsOf(lab.routes, world, 2)) {
        const { status, text } = await answer(read);
        recorded.push({ read, position, status, text: withoutSecrets(text) });
      }
    }
    const found = new Set(recorded.filter(({ status }) => status === 200).map(({ read }) => read.route));
    const never = [...new Set(recorded.map(({ read }) => read.route))].filter((route) => !found.has(route));
    expect([never, new Set(recorded.map(({ status }) => status))]).toEqual([[], expect.anything()]);
    for (const { read, position, status, text } of recorded) {
      const then = await answer(read, `${position}`);
      expect([read.path, `${position}`, then.status, withoutSecrets(then.text)]).toEqual([read.path, `${position}`, status, text]);
      expect(then.headers.get('logbook-as-of')).toBe(`${position}`);
    }
  });
});
