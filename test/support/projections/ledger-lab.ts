import { expect } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { RebuildOptions } from '#infra/engine/projection-runner/rebuild/rebuild.js';
import { RebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import type { SetAsideGroup } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { Projection } from '#projections/shared/projection.js';
import { until } from '#test/support/eventually.js';
import { decodeLedger, type LedgerEvent, ledgerAfter, ledgerProjection, newLedgerEvent, type Texts, textsIn } from './ledger-projection.js';
import { requestSkip } from './operator-requests.js';
import { openRunnerLab, overEvents, type RunnerLab } from './runner-lab.js';

export const LEDGER = 'test.ledger';
const STREAM = 'test.ledger-1';
const RESERVED = ['$set-aside'];

/** Runners of the ledger over one log and one read store, events of which some fail until they are mended, and what must come of it. */
export class LedgerLab {
  mended = false;
  readonly log: RecordedEvent[] = [];
  private readonly skipped = new Set<string>();
  private running: ReadModels[] = [];
  private readonly isMended = () => this.mended;

  private constructor(readonly lab: RunnerLab) {}

  static async open(kind: 'embedded' | 'redis'): Promise<LedgerLab> {
    return new LedgerLab(await openRunnerLab(kind));
  }

  async dispose(): Promise<void> {
    await this.stopAll();
    await this.lab.dispose();
  }

  projection(options?: Parameters<typeof ledgerProjection>[1]): Projection {
    return ledgerProjection(this.isMended, options);
  }

  start(dependencies: Partial<RunnerDependencies> = {}, of = this.projection()): ReadModels {
    const models = new ReadModels({ ...this.lab.dependencies, decode: decodeLedger(this.isMended), ...dependencies }, [of]);
    this.running.push(models);
    models.start();
    return models;
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.splice(0).map((models) => models.stop()));
  }

  /** Batches of at most so many events. */
  inBatchesOf(maxBatch: number): Partial<RunnerDependencies> {
    const { events } = this.lab;
    return { events: overEvents(events, { subscribeAll: (options) => events.subscribeAll({ ...options, maxBatch }) }) };
  }

  async append(...events: readonly LedgerEvent[]): Promise<bigint> {
    const { position } = await this.lab.events.append(STREAM, events.map(newLedgerEvent), 'any');
    const after = this.log.at(-1)?.position ?? 0n;
    while ((this.log.at(-1)?.position ?? 0n) < position) {
      const page = await this.lab.events.readAll({ after: this.log.at(-1)?.position ?? after, categories: ['test.ledger'], limit: 500 });
      this.log.push(...page.events);
    }
    return position;
  }

  async groups(models: ReadModels): Promise<readonly SetAsideGroup[]> {
    return [...((await models.status(LEDGER))?.setAside.groups.values() ?? [])];
  }

  served(): Promise<Texts> {
    return textsIn(this.lab.store.view(LEDGER));
  }

  reserved(): Promise<Texts> {
    return textsIn(this.lab.store.view(LEDGER), RESERVED);
  }

  /** The documents are those of the log without what is held back and what was skipped, and as many events wait as are held back. */
  async expectConsistent(models: ReadModels): Promise<void> {
    const groups = await this.groups(models);
    const applied = this.applied(groups);
    expect(await this.served()).toEqual(await ledgerAfter(applied));
    expect(groups.reduce((sum, group) => sum + group.waiting, 0)).toBe(this.log.length - applied.length - this.skipped.size);
  }

  /** The documents are those of the whole log but what was skipped, and nothing is left of what was set aside. */
  async expectClean(): Promise<void> {
    expect(await this.served()).toEqual(await ledgerAfter(this.applied([])));
    expect(await this.reserved()).toEqual({});
  }

  caughtUp(models: ReadModels): Promise<void> {
    const last = this.log.at(-1)?.position ?? 0n;
    return until(async () => models.state(LEDGER) === 'live' && ((await models.status(LEDGER))?.position ?? 0n) >= last);
  }

  /** Until no rebuild runs. */
  settled(models: ReadModels): Promise<void> {
    return until(async () => (await models.rebuildUnderWay(LEDGER)) === null);
  }

  /** Tries the events of all groups again, by a rebuild. */
  async resumeAll(models: ReadModels, options?: RebuildOptions): Promise<void> {
    await until(() =>
      models.rebuild(LEDGER, options).then(
        () => true,
        (error) => {
          if (!(error instanceof RebuildUnderWay)) throw error;
          return false;
        },
      ),
    );
  }

  /** Takes the event that fails out of the log, as an operator does. */
  async skip({ id, failure }: SetAsideGroup): Promise<void> {
    await requestSkip(this.lab.events, LEDGER, id, failure);
    this.skipped.add(failure.eventId);
  }

  /** Takes all events of the group that fail alike out of the log. */
  skipAlike(models: ReadModels, { id, partitions, failure: { message } }: SetAsideGroup): Promise<void> {
    const onLeftOut = async (events: readonly EventReference[]): Promise<void> => {
      for (const { id: eventId, position, type } of events) {
        await requestSkip(this.lab.events, LEDGER, id, { eventId, position, type });
        this.skipped.add(eventId);
      }
    };
    return this.resumeAll(models, { alike: { partitions: [...partitions.keys()], message }, onLeftOut });
  }

  async skipAll(models: ReadModels): Promise<void> {
    for (let groups = await this.groups(models); groups.length > 0; groups = await this.groups(models)) {
      for (const group of groups) await this.skip(group);
      await this.resumeAll(models);
    }
  }

  private applied(groups: readonly SetAsideGroup[]): readonly RecordedEvent[] {
    const { partitions } = this.projection();
    const isHeld = (event: RecordedEvent): boolean =>
      partitions
        .ofEvent(event)
        .some((name) => groups.some((group) => event.position >= (group.partitions.get(name) ?? event.position + 1n)));
    return this.log.filter((event) => !isHeld(event) && !this.skipped.has(event.id));
  }
}
