import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { headAfter } from '#infra/engine/projection-runner/progress/newest-event.js';
import { allReach } from '#infra/engine/projection-runner/progress/position-gate.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { COUNTERS, OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';

/**
 * Time for which a comparison of the counters with the log holds. It is shorter than the time that a node waits for its read models before it
 * acknowledges a message that they do not show. A node whose counters are not followed does not wait: its message may be missed for this time.
 */
const HOLDS_MS = 1_000;
/** Time that the counters have to reach the end of the log. */
const LEVEL_MS = 100;

/**
 * Ends of topics by the counters, which costs no call of the log. A message that was acknowledged as shown is in the counters for every node. For
 * others the counters are compared with the log, once a second for all topics. They are not used while this process owes a write, nor while any
 * project is paused, because their counters stand still.
 */
@Injectable()
export class TopicEnds {
  private compared = { at: Number.NEGATIVE_INFINITY, isLevel: false };
  private comparing: Promise<void> | undefined;

  constructor(
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'nextOffsets'>,
    @Inject(ReadModels) private readonly readModels: Pick<ReadModels, 'isOwing' | 'partitionsOf'>,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  /** Position up to which the counters show the log; `undefined` if that is not known. */
  get shown(): Position | undefined {
    return this.readModels.partitionsOf(COUNTERS)?.gate.position || undefined;
  }

  /** Returns whether the topic is known to have no message from an offset on. If it is not, the log has to be read. */
  async isEnd(topicId: string, offset: number): Promise<boolean> {
    const isEnd = async (): Promise<boolean> => {
      const [next] = await this.offsets.nextOffsets([topicId]);
      return next !== undefined && next <= offset;
    };
    const { isLevel } = this; // first: the counters must not be older than the comparison
    try {
      if (!(this.areWhole && (await isEnd()))) return false;
      return (isLevel || ((await this.isLevelNow()) && (await isEnd()))) && this.areWhole;
    } catch (error) {
      if (error instanceof ReadModelsUnavailable) return false;
      throw error;
    }
  }

  private get areWhole(): boolean {
    return this.readModels.partitionsOf(COUNTERS)?.tracker.isClear === true;
  }

  private get isRecent(): boolean {
    return performance.now() - this.compared.at < HOLDS_MS;
  }

  private get isLevel(): boolean {
    return this.compared.isLevel && this.isRecent && !this.readModels.isOwing('messaging');
  }

  private async isLevelNow(): Promise<boolean> {
    if (!this.isRecent) {
      this.comparing ??= this.compare();
      await this.comparing;
    }
    return this.isLevel;
  }

  private async compare(): Promise<void> {
    const at = performance.now();
    const isLevel = await this.reachesHead().catch(() => false);
    this.compared = { at, isLevel };
    this.comparing = undefined;
  }

  private async reachesHead(): Promise<boolean> {
    const counters = this.readModels.partitionsOf(COUNTERS);
    if (!counters || counters.gate.closed) return false;
    const { gate, projection } = counters;
    return allReach([gate], await headAfter(this.events, projection.categories ?? [], gate.position), LEVEL_MS);
  }
}
