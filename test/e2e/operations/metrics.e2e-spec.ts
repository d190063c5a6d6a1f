import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expressions, metricsIn } from '#test/deployment/monitoring-files.js';
import { createProject, type ProjectCalls } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type PushReceiver, startPushReceiver } from '#test/support/messaging/push-receiver.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

type Line = Readonly<Record<string, unknown>>;
type Span = Readonly<{ traceId: string; parentSpanId?: string; spanId: string; name: string }>;

const numberOf = (text: string, series: string): number => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  if (!line) throw new Error(`there is no ${series}`);
  return Number(line.slice(series.length + 1));
};

describe('watching a server', () => {
  const environment: Record<string, string> = { LOGBOOK_ACCESS_LOG: 'true' };
  const scene = serving(embedded, environment);
  let collector: PushReceiver;
  let project: ProjectCalls;

  const metrics = async (): Promise<string> => (await scene.root.get('/metrics', { accept: null })).text;
  const lines = (message: string): readonly Line[] =>
    scene.server.lines.filter((line) => line.includes(`"${message}"`)).map((line) => JSON.parse(line) as Line);

  beforeAll(async () => {
    project = await createProject(scene, 'watched');
    await project.topic('t');
    await project.subscription('s', 't');
  });
  afterAll(() => collector?.close());

  it('shows every metric that dashboard, alerts and documentation name, by the conventions of Prometheus', async () => {
    const text = await metrics();
    const shown = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name));
    const document = readFileSync('docs/running/watching.md', 'utf8');
    const [, section = ''] = /\n## Metrics\n([\s\S]*?)\n## Results in Prometheus\n/.exec(document) ?? [];
    const named = [...metricsIn(expressions().join('\n')), ...metricsIn(section)];
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !shown.has(name))).toEqual([]);
    const unexplained = [...shown].filter((name) => name?.startsWith('logbook_') && !document.includes(`\`${name}\``));
    expect(unexplained).toEqual([]);
    const misnamed = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm)).filter(
      ([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'),
    );
    expect(misnamed.map(([line]) => line)).toEqual([]);
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    if (checked.error) return; // no promtool on the PATH
    expect(checked.stderr).toBe('');
  });

  it('counts messages that are published, pulled and wait', async () => {
    const before = await metrics();
    const messages = ['a', 'b', 'c'].map((text) => ({ data: Buffer.from(text).toString('base64') }));
    expect((await project.post('/topics/t:publish', { messages })).status).toBe(200);
    expect((await project.post('/subscriptions/s:pull', { maxMessages: '2' })).status).toBe(200);
    const after = await metrics();
    const grown = (name: string): number => numberOf(after, name) - numberOf(before, name);
    expect([grown('logbook_messages_published_total'), grown('logbook_messages_pulled_total')]).toEqual([3, 2]);
    expect(grown('logbook_event_store_append_seconds_count')).toBeGreaterThan(0);
    expect(grown('logbook_read_store_commit_seconds_count')).toBeGreaterThan(0);
    await eventually(metrics).until((text) => numberOf(text, 'logbook_log_events') > 0); // indexed soon after
    expect(numberOf(after, 'logbook_disk_free_bytes')).toBeGreaterThan(0);
    // Nothing was acknowledged. What waits is counted anew at once after a restart.
    await scene.restart();
    const anew = await metrics();
    expect([numberOf(anew, 'logbook_messages_waiting'), numberOf(anew, 'logbook_subscriptions')]).toEqual([3, 1]);
  });

  it('counts and logs credentials that are refused, one line for many, without the credential', async () => {
    const key = 'nobody-has-this-key';
    for (let attempt = 0; attempt < 5; attempt++) expect((await scene.status.get('/weights', { key })).status).toBe(401);
    expect((await scene.status.get('/weights')).status).toBe(401);
    const text = await metrics();
    expect(numberOf(text, 'logbook_failed_logins_total{service="status",credential="refused"}')).toBe(5);
    expect(numberOf(text, 'logbook_failed_logins_total{service="status",credential="none"}')).toBe(1);
    expect(lines('a credential was refused')).toEqual([
      expect.objectContaining({
        level: 'warn',
        service: 'logbook',
        refusedBy: 'status',
        path: '/api/v2/weights',
        ip: '127.0.0.1',
        others: 0,
      }),
    ]);
    expect(scene.server.lines.join('\n')).not.toContain(key);
  });

  it('takes the trace of a caller into the log lines, the events and the audit', async () => {
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    expect((await project.post('/topics/t:publish', { messages: [{ data: 'eA==' }] }, headers)).status).toBe(200);
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const found = await eventually(
      async () =>
        (await scene.root.get('/audit/events?type=MessagePublished&order=desc&limit=2', { key })).json as { items: readonly Line[] },
    ).until(({ items }) => items[0]?.traceparent !== undefined);
    expect(found.items.map(({ traceparent }) => traceparent)).toEqual([headers.traceparent, undefined]);
    expect(lines('request').filter(({ traceId }) => traceId !== undefined)).toEqual([
      expect.objectContaining({ traceId: TRACE, method: 'POST' }),
    ]);
    // What is no traceparent is ignored.
    const odd = { traceparent: `00-${'0'.repeat(32)}-${CALLER}-01` };
    expect((await project.post('/topics/t:publish', { messages: [{ data: 'eA==' }] }, odd)).status).toBe(200);
  });

  it('sends spans to a collector once one is configured, which events then name', async () => {
    collector = await startPushReceiver();
    environment.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    environment.OTEL_EXPORTER_OTLP_HEADERS = 'x-team=a%20b';
    await scene.restart();
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    expect((await project.post('/topics/t:publish', { messages: [{ data: 'eA==' }] }, headers)).status).toBe(200);
    const spans = () =>
      collector.deliveries.flatMap(({ text }) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans as readonly Span[]);
    const [span] = await eventually(async () => spans().filter(({ traceId }) => traceId === TRACE)).until(({ length }) => length > 0);
    expect(span).toMatchObject({ parentSpanId: CALLER, name: expect.stringMatching(/^POST \/v1\/projects\/.*publish$/) });
    expect(collector.deliveries[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-team': 'a b' } });
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const path = '/audit/events?type=MessagePublished&order=desc&limit=1';
    const found = await eventually(
      async () => ((await scene.root.get(path, { key })).json as { items: readonly Line[] }).items[0]?.traceparent,
    ).until((traceparent) => traceparent === `00-${TRACE}-${span?.spanId}-01`);
    expect(found).toContain(TRACE);
  });
});
