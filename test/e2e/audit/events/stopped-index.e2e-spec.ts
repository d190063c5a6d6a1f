import { describe, expect, it } from '@jest/globals';
import { LEAVES_STREAM } from '#domain/integrity/integrity-events.js';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';

type Health = Readonly<{ status: string; auditIndex: Readonly<{ status: string; size: number; failure: string | null }> }>;

describe('an audit index that does not fit the chain', () => {
  const scene = serving(embedded);
  const health = async (): Promise<Health> => (await scene.root.get('/health')).json as Health;
  const audited = () => scene.root.get('/audit/events?limit=1000', { key: OPERATOR });

  it('stops, is shown by /health and /metrics, and serves what it has', async () => {
    await registerTenant(scene.status, ADMIN, 'before', ['admin']);
    const live = await eventually(health).until(({ auditIndex }) => auditIndex.status === 'live');
    expect(live.auditIndex.failure).toBeNull();
    expect((await audited()).headers.get('logbook-read-model')).toBeNull();
    const data = { from: 1e6, count: 1, leaves: '', streams: ['tests-1'], runs: [0, 0, 1], time: '', frontier: '' };
    await scene.plant({ stream: LEAVES_STREAM, type: 'LeavesChained', data });
    const { status, auditIndex } = await eventually(health).until((found) => found.auditIndex.status === 'stopped');
    expect([status, auditIndex.failure]).toEqual(['up', 'event 1000000 is not where the chain has it']);
    await registerTenant(scene.status, ADMIN, 'after', ['admin']);
    const shown = await audited();
    expect([shown.status, shown.headers.get('logbook-read-model')]).toEqual([200, 'behind']);
    expect(shown.text).toContain('TenantRegistered');
    const { text } = await scene.root.get('/metrics', { accept: null });
    expect(text).toMatch(/^logbook_audit_index_stopped 1$/m);
    expect(text).toMatch(/^logbook_audit_index_lag_seconds \d/m);
  });
});
