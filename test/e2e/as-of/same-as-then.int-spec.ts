import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogMoment } from '#domain/operations/moments.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { type Read, readsOf } from '#test/support/as-of/reads.js';
import { World } from '#test/support/as-of/world.js';
import { type Deployment, deployments } from '#test/support/deployments.js';
import { SEED } from '#test/support/test-runs.js';

/** Links in answers do not name the port, which is another one after a start. */
const PLACE = { LOGBOOK_PUBLIC_URL: 'https://logbook.example.org' };
const MOMENTS = 3;
const CHANGES = 20;

type Recorded = Readonly<{ read: Read; moment: LogMoment; status: number; text: string }>;

const SECRET = /("(?:token|activation_token|api_key|username|password|secret|verificationHash)":\s*)"[^"]+"/g;
const AUTHORIZATION = /("type": "autogen",\s*"value": )"[^"]+"/g;

/** The history holds no secrets: what was there is not compared, only that there was something. */
const withoutSecrets = (text: string): string => text.replace(SECRET, '$1"[secret]"').replace(AUTHORIZATION, '$1"[secret]"');

describe.each(deployments)(`reads as of the past on %s (seed ${SEED})`, (_, open) => {
  let deployment: Deployment;
  let lab: PastLab;
  const recorded: Recorded[] = [];
  const world = new World(() => lab.http, SEED);
  beforeAll(async () => {
    deployment = await open();
    lab = await openPastLab(deployment, PLACE);
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const answer = async ({ method, path, headers, body }: Read, asOf?: string) => {
    const moment = asOf === undefined ? headers : { ...headers, 'logbook-as-of': asOf };
    return lab.http.call(method, path, { headers: moment, ...(body !== undefined && { body }) });
  };

  /** Compares all that was recorded with reads as of then. @param asOfOf how the moment is named */
  const expectSameAsThen = async (asOfOf: (moment: LogMoment, index: number) => string): Promise<void> => {
    expect(recorded).not.toEqual([]);
    for (const [index, { read, moment, status, text }] of recorded.entries()) {
      const asOf = asOfOf(moment, index);
      const then = await answer(read, asOf);
      expect([then.headers.get('logbook-as-of'), then.headers.get('logbook-as-of-time')]).toEqual([`${moment.position}`, moment.time]);
      const gone = world.erased.filter((one) => text.includes(one));
      if (gone.length > 0) expect([read.path, then.status, gone.filter((one) => then.text.includes(one))]).toEqual([read.path, status, []]);
      else expect([read.path, asOf, then.status, withoutSecrets(then.text)]).toEqual([read.path, asOf, status, text]);
    }
  };

  it('answer what they would have answered then, byte for byte, on every route', async () => {
    await world.begin();
    for (let moment = 0; moment < MOMENTS; moment++) {
      for (let change = 0; moment > 0 && change < CHANGES; change++) {
        lab.advance(1 + ((change * 7_919) % 40_000_000));
        await world.change();
      }
      const at = await lab.settled();
      for (const read of readsOf(lab.routes, world, 2)) {
        const { status, text } = await answer(read);
        recorded.push({ read, moment: at, status, text: withoutSecrets(text) });
      }
    }
    const found = new Set(recorded.filter(({ status }) => status === 200).map(({ read }) => read.route));
    const never = [...new Set(recorded.map(({ read }) => read.route))].filter((route) => !found.has(route));
    expect(never).toEqual([]);
    await expectSameAsThen((moment, index) => (index % 2 === 0 ? `${moment.position}` : moment.time));
  });

  it('answer the same where the documents are built from the log later', async () => {
    await lab.close();
    await rm(join(deployment.dataDirectory, 'documents'), { recursive: true });
    lab = await openPastLab(deployment, PLACE);
    const { position } = await lab.settled();
    expect(await lab.runtime.past?.history.reach(position, 60_000)).toBe('reached');
    // By position: with a clock that was moved on, what a start writes has the time of the last moment.
    await expectSameAsThen(({ position: at }) => `${at}`);
  });
});
