import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CLOCK, CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import { StatusError } from '#api/status/errors.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Configuration, ConfiguredMetricSource } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { ConnectMetricSource } from './commands.js';

/** Facts of an error that keeps one source alone from being connected. @throws every other error */
const problemOf = (error: unknown): object => {
  if (error instanceof StatusError) return { answer: error.body };
  if (error instanceof PartitionSetAside || error instanceof DomainError) return { err: error };
  throw error;
};

/** The sources of the configuration. Each is connected once after the start, as soon as tenant and subscription exist. */
@Injectable()
export class ConfiguredSources {
  private readonly pending: Set<ConfiguredMetricSource>;
  private readonly refused = new Set<ConfiguredMetricSource>();

  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn' | 'info'>,
    @Inject(CONFIGURATION) { metricSources }: Pick<Configuration, 'metricSources'>,
  ) {
    this.pending = new Set(metricSources);
  }

  /** True if some are not connected yet. */
  get arePending(): boolean {
    return this.pending.size > 0;
  }

  /** Tries to connect the others. @throws the errors of the stores */
  async connect(): Promise<void> {
    for (const source of this.pending) {
      const problem = await this.connectOne(source).catch(problemOf);
      if (problem && !this.refused.has(source))
        this.logger.warn({ source, ...problem }, 'a metric source of the configuration cannot be connected yet');
      if (problem) this.refused.add(source);
    }
  }

  private async connectOne(source: ConfiguredMetricSource): Promise<undefined> {
    const tenantId = await this.tenantOf(source.tenant);
    if (tenantId === undefined) return;
    const context = systemContext('configuration', 'status', this.clock(), null);
    await this.bus.execute(new ConnectMetricSource(context, { tenantId, named: source }));
    this.pending.delete(source);
  }

  private async tenantOf(idOrName: string): Promise<string | undefined> {
    if (await this.tenants.tenant(idOrName)) return idOrName;
    return (await this.tenants.named(idOrName))?.tenantId;
  }
}
