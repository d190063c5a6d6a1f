import { Injectable } from '@nestjs/common';
import { ProjectStreams } from '#api/accounting/project-streams.js';
import { References } from '#api/accounting/references/references.js';
import { definitionTarget, installationTarget } from '#api/accounting/references/targets.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import { type Metric, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { metricRecord } from '#domain/accounting/metrics/metric-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import type { DefinitionRecord } from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** References of a metric, as reads showed them before it was recorded. `spelledId`: id of the definition in the caller's spelling. */
export type MetricReferences = Readonly<{ installation: InstallationDocument; definition: DefinitionRecord; spelledId: string }>;

/** Maximum number of waits for reads, if the log alone does not decide whether a metric counts. */
const MAX_WAITS = 3;

type Recorded = Pick<Metric, 'metricId' | 'projectId' | 'installationId'>;
type Question = Readonly<{ metric: Recorded; resolve(isShown: boolean): void; reject(error: unknown): void }>;

/**
 * Decides whether a metric that was just recorded counts. It is void if it reached the log while its definition or installation was
 * closed, or after the installation had moved to another provider (docs/decisions/0031): then no read shows it. Because of this check one
 * append per metric is enough.
 */
@Injectable()
export class RecordedMetrics {
  private questions: Question[] = [];

  constructor(
    private readonly gateway: CommandGateway,
    private readonly metrics: MetricQueries,
    private readonly references: References,
    private readonly projects: ProjectStreams,
  ) {}

  /**
   * `false` if the metric is void and may be recorded again: reads show its references as they are now.
   * @throws DomainError if it is void because a reference is gone; ReadStoreUnavailable if that is not known yet
   */
  async counts({ record, readable }: WrittenRecord<Metric>, references: MetricReferences, context: CommandContext): Promise<boolean> {
    if (readable) {
      if (await this.isShown(record)) return true;
    } else if (await this.stayedOpen(references, context)) return true;
    for (let wait = 1; wait <= MAX_WAITS; wait++) {
      const known = await this.isRemovedOrShown(record, context);
      if (known === 'shown' || known === 'removed') return true;
      if (known === 'void') {
        await this.opened(references, context);
        await this.references.catchUp();
        return false;
      }
    }
    throw new ReadStoreUnavailable('read models are behind, so it is not known whether a metric counts');
  }

  /** Lookups of the same moment are combined. */
  private isShown(metric: Recorded): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.questions.push({ metric, resolve, reject });
      if (this.questions.length === 1) queueMicrotask(() => void this.ask());
    });
  }

  private async ask(): Promise<void> {
    const { questions } = this;
    this.questions = [];
    try {
      const shown = await this.metrics.areShown(questions.map(({ metric }) => metric));
      for (const [index, { resolve }] of questions.entries()) resolve(shown[index] ?? false);
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  /** State of a metric that was not shown; `behind`: the reads are not current. */
  private async isRemovedOrShown(record: Recorded, context: CommandContext): Promise<'shown' | 'removed' | 'void' | 'behind'> {
    const { metricId, installationId } = record;
    const command = { type: 'RequireMetric', metricId, installationId } as const;
    try {
      const { readable } = await this.gateway.execute({
        stream: metricStream(metricId),
        decider: metricRecord,
        context: withoutKey(context),
        command,
      });
      if (!readable) return 'behind';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'METRIC_NOT_FOUND') return 'removed';
      throw error;
    }
    return (await this.isShown(record)) ? 'shown' : 'void';
  }

  /** Decides by the log alone: no reference of the metric is gone, or was closed since reads showed it. */
  private async stayedOpen({ installation, definition, spelledId }: MetricReferences, context: CommandContext): Promise<boolean> {
    const open = await this.existing(installation, spelledId, async () => [
      await this.references.stayedOpen(definitionTarget(spelledId), definition.closings ?? 0, context),
      await this.references.stayedOpen(installationTarget(installation), installation.closings ?? 0, context),
      await this.projects.require(context, { projectId: installation.project, generation: installation.generation }),
    ]);
    return !open.includes(false);
  }

  private async opened({ installation, spelledId }: MetricReferences, context: CommandContext): Promise<void> {
    await this.existing(installation, spelledId, async () => {
      await this.references.opened(definitionTarget(spelledId), context);
      await this.references.opened(installationTarget(installation), context);
      await this.projects.require(context, { projectId: installation.project, generation: installation.generation });
    });
  }

  /** Names a missing reference in the caller's spelling. */
  private async existing<T>({ id }: InstallationDocument, spelledId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'DEFINITION_NOT_FOUND') throw new DomainError(error.code, { definitionId: spelledId });
      if (error.code === 'PROJECT_NOT_FOUND') throw new DomainError('INSTALLATION_NOT_FOUND', { installationId: id });
      throw error;
    }
  }
}
