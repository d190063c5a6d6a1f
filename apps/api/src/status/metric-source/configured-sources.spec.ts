import { expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { ConfiguredMetricSource } from '#infra/platform/config/configuration.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import type { TenantQueries } from '#projections/status/tenants/queries.js';
import type { ConnectMetricSource } from './commands.js';
import { ConfiguredSources } from './configured-sources.js';

it('a configured source of a paused partition does not keep the others from being connected', async () => {
  const source = (tenant: string) => ({ tenant }) as ConfiguredMetricSource;
  const [paused, other] = [source('paused'), source('other')];
  const connected: unknown[] = [];
  const bus = {
    execute: async ({ data }: ConnectMetricSource) => {
      if (data.named === paused) throw new PartitionSetAside('status.tenants', 'paused');
      connected.push(data.named);
    },
  } as unknown as CommandBus;
  const warned: object[] = [];
  const logger = { warn: (facts: object) => void warned.push(facts), info: () => undefined };
  const tenants = { tenant: async () => ({}) } as unknown as TenantQueries;
  const sources = new ConfiguredSources(bus, tenants, Date.now, logger, { metricSources: [paused, other] });
  await sources.connect();
  await sources.connect();
  expect(connected).toEqual([other]);
  expect(sources.arePending).toBe(true);
  expect(warned).toEqual([{ source: paused, err: expect.any(PartitionSetAside) }]);
});
