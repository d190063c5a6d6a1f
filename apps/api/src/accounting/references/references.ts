import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { toProject } from '#api/accounting/stream-commands.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { aside, withoutKey } from '#api/shared/commands/context-now.js';
import { CATALOGUE_CATEGORY, PROJECT_CATEGORY } from '#domain/accounting/catalogue/catalogue-events.js';
import { METRIC_CATEGORY, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { metricRecord } from '#domain/accounting/metrics/metric-rules.js';
import type { ReferenceHolder } from '#domain/accounting/references/reference-events.js';
import type { Hold, ReferenceStep } from '#domain/accounting/references/reference-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { SubjectKeyDestroyed } from '#infra/stores/secrets/subject-keys.js';
import { ReadModelsUnavailable, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { ChangeableTarget, Target } from './targets.js';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 100] as const;
const MAX_ATTEMPTS = 10;

const isCode = (error: unknown, code: string): error is DomainError => error instanceof DomainError && error.code === code;

/** Other callers keep changing the record. */
const busy = (): ReadStoreUnavailable => new ReadStoreUnavailable('a record that the call refers to is being changed by others');

/**
 * Removes and references records across streams and nodes (docs/decisions/0031). A removal closes the record first. After that no new
 * reference can begin, so the read models show all earlier ones. A caller that makes a reference in another stream holds the record
 * meanwhile. Metrics do not hold it, but check it afterwards.
 */
@Injectable()
export class References {
  /** Closings and holds of others last milliseconds. After this time their maker counts as gone, and they are ended in its place. */
  protected get patienceMs(): number {
    return 2_000;
  }

  constructor(
    private readonly gateway: CommandGateway,
    private readonly readModels: ReadModels,
  ) {}

  /**
   * Executes a command that changes or removes a record unless something refers to it.
   * @param find returns the references in the read models, as members of the command; called more than once
   * @throws DomainError of the command; ReadStoreUnavailable if the read models are behind, so that the references are not known
   */
  async change<Change extends Readonly<{ closing?: string }>, Event extends DomainEvent>(
    target: ChangeableTarget<Change, Event>,
    change: Change,
    find: () => Promise<Partial<Change>>,
    context: CommandContext,
  ): Promise<Outcome<Event>> {
    const found = await find();
    // Refused already: the record need not be closed.
    if (Object.values(found).some((flag) => flag === true)) return target.change(this.gateway, context, { ...change, ...found });
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const closing = randomUUID();
      const isClosed = await this.retryWhileClosed(target, context, () => target.close(this.gateway, withoutKey(context), closing, change));
      if (!isClosed) return target.change(this.gateway, context, change);
      try {
        await this.settleHolds(target, closing, context);
        await this.catchUp();
        return await target.change(this.gateway, context, { ...change, ...(await find()), closing });
      } catch (error) {
        if (!isCode(error, 'CLOSING_LOST')) throw error;
      } finally {
        // Does nothing if the change has ended it. If it cannot be reopened now, the next caller that finds it closed reopens it.
        await this.tryStep(target, { type: 'ReopenReferences', closing }, context);
      }
    }
    throw busy();
  }

  /**
   * Runs `work`, which makes references to the records in the stream of the holder, while no other caller can remove them. `work` gets the
   * ids of the holds. It runs again if others gave up waiting for it, and must then reject with `REFERENCE_FORESTALLED`.
   * @throws DomainError if there is no such record
   */
  async holding<T>(
    targets: readonly Target[],
    holder: ReferenceHolder,
    context: CommandContext,
    work: (holds: readonly string[]) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const holds: Readonly<{ target: Target; hold: string }>[] = [];
      try {
        for (const target of targets) holds.push({ target, hold: await this.hold(target, holder, context) });
        return await work(holds.map(({ hold }) => hold));
      } catch (error) {
        if (!isCode(error, 'REFERENCE_FORESTALLED')) throw error;
      } finally {
        for (const { target, hold } of holds) await this.tryStep(target, { type: 'ReleaseReference', hold }, context);
      }
    }
    throw busy();
  }

  /** Resolves once references to the record are allowed. @throws DomainError if there is no such record */
  async opened(target: Target, context: CommandContext): Promise<void> {
    await this.retryWhileClosed(target, context, () => this.step(target, { type: 'RequireOpen' }, context));
  }

  /**
   * Resolves with whether the record is open and was not closed again since the given number of closings. Uses the log, not reads.
   * @throws DomainError if there is no such record
   */
  async stayedOpen(target: Target, times: number, context: CommandContext): Promise<boolean> {
    try {
      await this.step(target, { type: 'RequireOpen', times }, context);
      return true;
    } catch (error) {
      if (isCode(error, 'REFERENCES_CLOSED')) return false;
      throw error;
    }
  }

  private async hold(target: Target, holder: ReferenceHolder, context: CommandContext): Promise<string> {
    const hold = randomUUID();
    const now = context.time;
    await this.retryWhileClosed(target, context, () => this.step(target, { type: 'HoldReference', hold, holder, now }, context));
    return hold;
  }

  /** Retries `work` while another caller has closed the record. */
  private async retryWhileClosed<T>(target: Target, context: CommandContext, work: () => Promise<T>): Promise<T> {
    const waiting = new Patience(this.patienceMs);
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isCode(error, 'REFERENCES_CLOSED')) throw error;
        const closing = `${error.details.closing}`;
        if (waiting.isOverFor(closing)) await this.tryStep(target, { type: 'ReopenReferences', closing }, context);
        else if (attempt > MAX_ATTEMPTS * (this.patienceMs / LONGEST_PAUSE_MS)) throw busy();
        else await waiting.pause();
      }
    }
  }

  /** Waits until the record has no holds. A hold that does not end is forestalled in the stream of its reference. */
  private async settleHolds(target: Target, closing: string, context: CommandContext): Promise<void> {
    const waiting = new Patience(this.patienceMs);
    for (;;) {
      try {
        await this.step(target, { type: 'RequireUnheld', closing }, context);
        return;
      } catch (error) {
        if (!isCode(error, 'REFERENCES_HELD')) throw error;
        const holds = error.details.holds as readonly Hold[];
        if (waiting.isOverFor(holds.map(({ hold }) => hold).join())) for (const hold of holds) await this.forestall(target, hold, context);
        else await waiting.pause();
      }
    }
  }

  private async forestall(target: Target, { hold, holder }: Hold, context: CommandContext): Promise<void> {
    if ('projectId' in holder) {
      const { projectId } = holder;
      await this.gateway.execute(toProject(withoutKey(context), { type: 'ForestallReference', projectId, hold }), false);
    } else await this.forestallRevision(holder.metricId, context);
    await this.step(target, { type: 'ReleaseReference', hold }, context);
  }

  private async forestallRevision(metricId: string, context: CommandContext): Promise<void> {
    const [stream, command] = [metricStream(metricId), { type: 'ForestallRevision', metricId } as const];
    try {
      await this.gateway.execute({ stream, decider: metricRecord, context: withoutKey(context), command }, false);
    } catch (error) {
      // The installation was deleted with its metrics: a metric in progress refers to nothing.
      if (!(error instanceof SubjectKeyDestroyed)) throw error;
    }
  }

  /** Resolves once reads show every reference that is in the log now. */
  async catchUp(): Promise<void> {
    const categories = [METRIC_CATEGORY, CATALOGUE_CATEGORY, PROJECT_CATEGORY];
    const shown = await Promise.all(categories.map((category) => this.readModels.current(category)));
    if (shown.includes(false))
      throw new ReadModelsUnavailable('read models are behind, so references are not known', this.readModels.withheld(categories));
  }

  private step(target: Target, step: ReferenceStep, context: CommandContext): Promise<unknown> {
    return target.step(this.gateway, aside(context), step);
  }

  private async tryStep(target: Target, step: ReferenceStep, context: CommandContext): Promise<void> {
    await this.step(target, step, context).catch(() => undefined);
  }
}

/** Measures how long an obstacle of other callers has lasted, on the monotonic clock. */
class Patience {
  private since = performance.now();
  private seen = '';
  private pauseMs: number = FIRST_PAUSE_MS;

  constructor(private readonly milliseconds: number) {}

  /** Returns whether the same obstacle has lasted too long. */
  isOverFor(obstacle: string): boolean {
    if (obstacle !== this.seen) {
      this.seen = obstacle;
      this.since = performance.now();
    }
    return performance.now() - this.since > this.milliseconds;
  }

  async pause(): Promise<void> {
    await sleep(this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
