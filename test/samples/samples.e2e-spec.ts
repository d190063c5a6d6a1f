import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { createProject, type ProjectCalls } from '#test/e2e/messaging/calls.js';
import { deliveriesOf } from '#test/e2e/messaging/deliveries/deliveries.js';
import { trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { given } from '#test/e2e/status/metric-data/metric-points.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { accountingClient } from '#test/support/accounting/accounting-client.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { embedded, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { python, type Sample, startSample, typeScript } from './running.js';
import { startUnreliableProxy } from './unreliable-proxy.js';

const directory = mkdtempSync(join(tmpdir(), 'logbook-samples-'));
afterAll(() => rmSync(directory, { recursive: true }));

const hasPython = spawnSync('python3', ['--version']).status === 0;
const LANGUAGES = [
  ['TypeScript', describe, (name: string) => typeScript(name, directory)],
  ['Python (needs python3)', hasPython ? describe : describe.skip, python],
] as const;

const scene = serving(embedded, { LOGBOOK_HISTORY: 'off' });
let p: ProjectCalls;
const { publish, offsets, pullTexts } = trafficOf(() => p);
const { share } = deliveriesOf(() => p);
beforeAll(async () => {
  p = await createProject(scene, 'p');
});

const running: Sample[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((sample) => sample.end()));
});

const start = (command: readonly string[], environment: Readonly<Record<string, string>>, input?: string): Sample => {
  const sample = startSample(command, { LOGBOOK_URL: scene.server.url, ...environment }, input);
  running.push(sample);
  return sample;
};

/** What a sample that ends by itself has printed. */
const finished = async ({ exited, lines, errors }: Sample) => ({ code: await exited, lines, errors });

/** A member of the project who is the only one in the ACL of a topic or subscription; the token. */
const onlyMember = async (role: string, resource: string): Promise<string> => {
  const name = `${role}-${resource.replaceAll(/[^a-z]+/gi, '-')}`;
  const token = await p.member(name, role);
  await p.post(`/${resource}:modifyAcl`, { authorized_users: [name] });
  return token;
};

for (const [language, describeIt, command] of LANGUAGES) {
  const name = language.slice(0, 2);

  describeIt(`The samples in ${language}`, () => {
    it('publish each line once, although calls are put off and answers get lost', async () => {
      const topic = `news-${name}`;
      await p.topic(topic);
      await p.subscription(topic, topic);
      const key = await onlyMember('publisher', `topics/${topic}`);
      const proxy = await startUnreliableProxy(
        scene.server.url,
        ':publish',
        'answer lost',
        { refused: 502, text: 'Bad Gateway', breaksOff: true },
        { refused: 429, retryAfter: '1' },
        { refused: 503, retryAfter: new Date(Date.now() + 1_000).toUTCString() },
      );
      try {
        const environment = { MESSAGING_KEY: key, LOGBOOK_URL: proxy.url };
        const publisher = start([...command('publisher'), 'p', topic, 'site=A=B'], environment, 'one\r\n\ntwö\u2028or\rthree');
        expect(await finished(publisher)).toEqual({ code: 0, lines: ['0', '1'], errors: [] });
        expect(proxy.seen).toHaveLength(5);
        expect(new Set(proxy.seen.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
        expect(proxy.seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
        expect((proxy.seen[3]?.at ?? 0) - (proxy.seen[2]?.at ?? 0)).toBeGreaterThan(900);
      } finally {
        await proxy.close();
      }
      expect(await offsets(topic)).toMatchObject({ max: 2 });
      expect(await pullTexts(topic)).toEqual(['one', 'twö\u2028or\rthree']);
    });

    it('give up where a repeat cannot help', async () => {
      const publisher = start([...command('publisher'), 'p', 'nowhere'], { MESSAGING_KEY: 'none' }, 'one\n');
      const { code, errors } = await finished(publisher);
      expect(code).toBe(1);
      expect(errors.join('\n')).toContain('401');
    });

    it('say how they are called', async () => {
      for (const [sample, words] of [
        ['publisher', '<project> <topic>'],
        ['subscriber', '<project> <subscription>'],
      ] as const) {
        const { code, errors } = await finished(start(command(sample), {}));
        expect([code, errors.join('\n')]).toEqual([1, expect.stringContaining(words)]);
        expect(errors.filter((line) => /^ +at /.test(line))).toEqual([]);
      }
    });

    it('acknowledge what is done and give back what fails', async () => {
      const dead = `dead-${name}`;
      const work = `work-${name}`;
      await p.topic(dead);
      await p.subscription(dead, dead);
      await share(work, { deadLetterPolicy: { deadLetterTopic: `projects/p/topics/${dead}` } });
      const environment = { MESSAGING_KEY: await onlyMember('consumer', `subscriptions/${work}`) };
      const subscriber = start([...command('subscriber'), 'p', work], environment);
      await publish(work, [
        { data: Buffer.from('one').toString('base64') },
        { data: '/w==' },
        { data: Buffer.from('two').toString('base64') },
      ]);
      await eventually(() => offsets(dead)).until(({ max }) => max === 1);
      await eventually(() => offsets(work)).until(({ current }) => current === 3);
      expect(await subscriber.end()).toBe(0);
      expect(subscriber.lines).toEqual(['0 one', '2 two']);
      expect(subscriber.errors).toHaveLength(5);
    });

    it('go on from where the cursor stands, also where the answer to an acknowledgement gets lost', async () => {
      const topic = `cursor-${name}`;
      await p.topic(topic);
      await p.subscription(topic, topic);
      const proxy = await startUnreliableProxy(scene.server.url, ':acknowledge', 'answer lost');
      try {
        const environment = { MESSAGING_KEY: await onlyMember('consumer', `subscriptions/${topic}`), LOGBOOK_URL: proxy.url };
        for (const [offset, error] of [
          [0, 'no ack pending'],
          [1, ''],
        ] as const) {
          const subscriber = start([...command('subscriber'), 'p', topic], environment);
          await publish(topic, [{ data: Buffer.from('news').toString('base64') }]);
          await eventually(() => offsets(topic)).until(({ current }) => current === offset + 1);
          expect(await subscriber.end()).toBe(0);
          expect(subscriber.lines).toEqual([`${offset} news`]);
          expect(/"message": "([^"]*)"/.exec(subscriber.errors.join())?.[1] ?? '').toBe(error);
        }
        expect(proxy.seen).toHaveLength(3);
      } finally {
        await proxy.close();
      }
    });
  });
}

const withPython = hasPython ? it : it.skip;

describe('The accounting reporter', () => {
  const admin = () => accountingClient(scene.server.url, SYSTEM_ADMIN);
  const day = (number: number, value: string) => `2024-05-0${number}T00:00:00Z,2024-05-0${number}T23:59:59Z,${value}`;
  /** An installation whose usage is reported, by the sample or by other calls, and its sum. */
  const newInstallation = async () => {
    const made = records(admin);
    const { project, provider } = await made.pair();
    const { id } = await made.installation(project, provider);
    const { metric_definition_id: definition = '' } = await made.definition({ metric_type: 'aggregated' });
    return {
      report: (lines: readonly string[], environment: Readonly<Record<string, string>> = {}, command = python('accounting_reporter')) =>
        finished(start([...command, String(id), definition], { ACCOUNTING_TOKEN: SYSTEM_ADMIN, ...environment }, `${lines.join('\n')}\n`)),
      post: (body: object) => admin().post(`/installations/${id}/metrics`, { metric_definition_id: definition, ...body }),
      total: async () => (await admin().get(`/projects/${project}/report?start=2024-05-01&end=2024-05-31`)).text,
    };
  };

  withPython('counts each line of usage once, and names those that are refused (needs python3)', async () => {
    const { report, total } = await newInstallation();
    expect(await report([day(1, '42'), '', day(2, '8')])).toMatchObject({ code: 0, errors: [] });
    expect(await report([day(1, '42'), day(2, '9'), day(3, 'much'), day(3, '1')])).toEqual({
      code: 1,
      lines: [expect.stringMatching(/^2024-05-01T00:00:00Z .* 42 [0-9a-f]{24}$/), expect.stringMatching(/^2024-05-03/)],
      errors: [
        expect.stringMatching(/^line 2: [0-9a-f]{24} was reported with the value 8/),
        expect.stringContaining('line 3: could not convert'),
      ],
    });
    expect(await total()).toContain('"total_value":51.0');
  });

  withPython('finds what was reported before, whose key the server may have forgotten (needs python3)', async () => {
    const { report, post, total } = await newInstallation();
    const period = { time_period_start: '2024-05-01T00:00:00Z', time_period_end: '2024-05-01T23:59:59.000Z' };
    expect((await post({ ...period, value: 5, group_id: 'of somebody' })).status).toBe(201);
    const others = { ...period, time_period_start: '2024-05-01T00:00:01Z', value: 0 };
    const posted = await Promise.all(Array.from({ length: 100 }, () => post(others))); // more than a page
    expect(new Set(posted.map(({ status }) => status))).toEqual(new Set([201]));
    const { metric_id: id } = (await post({ ...period, value: 42 })).json as { metric_id: string };
    expect(await report([day(1, '42')])).toEqual({ code: 0, lines: [`${day(1, '42').replaceAll(',', ' ')} ${id}`], errors: [] });
    expect(await total()).toContain('"total_value":47.0');
  });

  withPython('says how it is called (needs python3)', async () => {
    const { code, errors } = await finished(start(python('accounting_reporter'), {}));
    expect([code, errors[0]]).toEqual([1, expect.stringContaining('<installation> <metric definition>')]);
  });

  withPython('ends at the first line that finds no server (needs python3)', async () => {
    const { report } = await newInstallation();
    const once =
      'import sys; sys.path.insert(0, "python"); import logbook; logbook.ATTEMPTS = 1; import accounting_reporter as a; sys.exit(a.main(*sys.argv[1:]))';
    for (const refused of [429, 500]) {
      const proxy = await startUnreliableProxy(scene.server.url, '/metrics', { refused });
      try {
        const { code, lines } = await report([day(1, '1'), day(2, '1')], { LOGBOOK_URL: proxy.url }, ['python3', '-c', once]);
        expect([code, lines, proxy.seen.length]).toEqual([1, [], 1]);
      } finally {
        await proxy.close();
      }
    }
  });
});

describe('The status page', () => {
  it('shows the status of each group now, and its availability by day', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      await smallReport(tenant, 'Critical <EGI>');
      const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
      await given(tenant, ...pointsOf(yesterday, ['00:00:00', 'OK'], ['06:00:00', 'CRITICAL'], ['07:30:00', 'OK']));
      const page = start([...typeScript('status-page', directory), 'Critical <EGI>'], { STATUS_KEY: `${tenant.name}-viewer` });
      const { code, lines, errors } = await finished(page);
      expect([code, errors]).toEqual([0, []]);
      expect(lines).toContain('<h1>Status of Critical &lt;EGI&gt;</h1>');
      const row = lines.find((line) => line.includes('SITE-A')) ?? '';
      expect(row).toContain('<th scope="row">SITE-A<small>NGI-A</small></th><td>OK</td>');
      expect(row).toContain('<td class="fair">93.75 %</td>');
    }));
});
