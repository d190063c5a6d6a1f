import { expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import type { Integrity } from '#infra/engine/integrity/integrity.js';
import { LogController } from './log.controller.js';

const controllerOf = (reached: boolean, stopped: string | null, readsOnly = false): LogController => {
  const events = { head: async () => 7n, readStream: async () => [] } as unknown as EventStore;
  const index = { reached: async () => reached, stopped: () => stopped };
  const audit = { index, counted: { categories: async () => [] } } as unknown as AuditEvents;
  return new LogController(events, audit, async () => null, null, { chain: { size: 0, position: 0n } } as Integrity, readsOnly);
};

it('the size of the log is counted once the index has reached its head, or never will', async () => {
  for (const controller of [controllerOf(true, null), controllerOf(false, 'damaged')])
    await expect(controller.show()).resolves.toMatchObject({ head: '7', events: 0 });
  await expect(controllerOf(false, null, true).show()).resolves.not.toHaveProperty('events');
  await expect(controllerOf(false, null).show()).rejects.toMatchObject({ status: 503 });
});
