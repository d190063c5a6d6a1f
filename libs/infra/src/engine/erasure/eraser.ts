import type { EventSchema, Mentions } from '#domain/shared/catalogue.js';
import { causeOf } from '#domain/shared/causation.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { type Continuation, type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { RetryTiming } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { Catalogues } from '#infra/stores/event-codec/schemas.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';
import { prepareForLog, settleOrigin } from '#infra/stores/log-identity/namespace-origin.js';
import { OriginTrail, withOpenings } from '#infra/stores/log-identity/origin.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';
import { type Change, CheckpointConflict, type Namespace, type ReadStore } from '#projections/shared/read-store.js';
import { applyErasures } from './apply-erasures.js';

/**
 * The eraser's checkpoint is stored like that of a read model without documents. It gets another name when events erase more than in earlier
 * releases: the log is then read from its start, and their erasers, which may run beside this one, do not move it past what they do not erase.
 */
export const ERASURES = 'ops.erasures-3';
const VERSION = 1;

/** Id of an event whose erasure failed → {@link Unerased}. */
const FAILED = 'failed';

/** `after`: a position before the event, from which the log can be read to find it. */
type Unerased = Readonly<{ type: string; position: string; after: string }>;

/**
 * The checkpoint is committed after every erasure and at the end of the log, otherwise after this many events or empty batches. After a
 * restart, later events are only examined again.
 */
const EVENTS_BETWEEN_COMMITS = 1_000;

export type EraserDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  keys: Pick<SubjectKeys, 'destroy'>;
  /** Their event types with `forgets` or `forgetsMentioned` name the subjects to erase. */
  catalogues: Catalogues;
  decode: DecodeEvents;
  /** Categories whose streams lose events after some time, always from their start. */
  expiring: readonly string[];
  log: Pick<Logger, 'warn' | 'error'>;
  timing: RetryTiming;
}>;

/** Events per read when searching for mentioned subjects. */
const PAGE_EVENTS = 500;

type Forgetting = Pick<EventSchema, 'forgets' | 'forgetsMentioned'>;
const isForgetting = ({ forgets, forgetsMentioned }: Forgetting): boolean => forgets !== undefined || forgetsMentioned !== undefined;

/** Keyed by `<category> <type>`, because two categories may share a type name. */
const forgettingTypes = (catalogues: Catalogues): ReadonlyMap<string, Forgetting> =>
  new Map(
    Object.entries(catalogues).flatMap(([category, catalogue]) =>
      Object.entries(catalogue).flatMap(([type, schema]): [string, Forgetting][] =>
        isForgetting(schema) ? [[`${category} ${type}`, schema]] : [],
      ),
    ),
  );

/**
 * Destroys the keys of subjects soon after an event erases them. It follows the log from its own checkpoint, so the next process continues
 * where one ended. Destroying a key twice is safe. So several processes can each run an eraser, and if the checkpoint is lost with the read
 * models, or belongs to another log, the eraser starts from the beginning. It waits through outages of the stores.
 */
export class Eraser {
  private readonly forgetting: ReadonlyMap<string, Forgetting>;
  private readonly categories: readonly string[];
  /** Aborted when it is stopped, or when the log may have been replaced. */
  private signal = AbortSignal.abort();
  private following: Following | undefined;
  /** Ids of events whose erasure failed. */
  private readonly unerasedIds = new Set<string>();

  constructor(private readonly dependencies: EraserDependencies) {
    const { catalogues } = dependencies;
    this.forgetting = forgettingTypes(catalogues);
    this.categories = Object.keys(catalogues).filter((name) => Object.values(catalogues[name] ?? {}).some(isForgetting));
  }

  /** Number of events whose erasure failed. Each is retried at every start. */
  get unerased(): number {
    return this.unerasedIds.size;
  }

  /** Must be called once; it works in the background. */
  start(): void {
    const { events, timing, log } = this.dependencies;
    this.following = followLog({
      events,
      subscription: { categories: withOpenings(this.categories) },
      pauseMs: backOff(timing.firstRetryMs, timing.longestRetryMs),
      begin: (signal) => this.begin(signal),
      trouble: (error, attempt) => {
        // On a conflict another process has moved the checkpoint.
        if (!(error instanceof CheckpointConflict) && isLogged(attempt))
          log.warn({ attempt, err: error }, 'the erasure of keys waits for a store');
      },
    });
  }

  /** Stops permanently. Resolves when the current erasure has ended. */
  async stop(): Promise<void> {
    await this.following?.stop();
  }

  private async begin(signal: AbortSignal): Promise<Continuation> {
    const { store } = this.dependencies;
    this.signal = signal;
    const namespace = await this.namespace();
    const { checkpoint, origin } = await store.progress(namespace);
    const trail = new OriginTrail(origin, checkpoint);
    await this.tryAgain(namespace, checkpoint);
    let done = checkpoint;
    let read = checkpoint;
    let seen = 0;
    let isBehind = true;
    const take = async ({ events: batch, position, caughtUp }: EventBatch): Promise<void> => {
      const forgetting = batch.filter((event) => this.forgettingOf(event));
      const failed = await this.erase(forgetting, read);
      trail.passed(batch);
      read = position;
      seen += Math.max(batch.length, 1); // counts empty batches, too, because the log moves on without events for the eraser
      const hasCaughtUp = isBehind && caughtUp;
      isBehind &&= !caughtUp;
      if (forgetting.length > 0 || seen >= EVENTS_BETWEEN_COMMITS || (hasCaughtUp && position > done)) {
        await store.commit(namespace, failed, done, position, trail.at(position));
        done = position;
        seen = 0;
      }
    };
    return { after: checkpoint, take };
  }

  /** A subject that is gone in one log may exist in another, so nothing is destroyed once the log may have been replaced. */
  private async erase(recorded: readonly RecordedEvent[], after: Position): Promise<readonly Change[]> {
    // Records which of the events failed.
    const failed: Change[] = [];
    for (const event of recorded) {
      try {
        await this.eraseFor(event);
      } catch (error) {
        if (this.signal.aborted || isOutage(error)) throw error;
        failed.push(this.failed(event, after, error));
      }
    }
    return failed;
  }

  private async eraseFor(recorded: RecordedEvent): Promise<void> {
    for (const event of await this.dependencies.decode([recorded])) {
      const { forgets, forgetsMentioned } = this.forgettingOf(event) ?? {};
      for (const subject of forgets?.(event.data) ?? []) {
        this.signal.throwIfAborted();
        await this.dependencies.keys.destroy(subject, causeOf(event));
      }
      const mentions = forgetsMentioned?.(event.data);
      if (mentions) await this.eraseMentioned(mentions, event);
    }
  }

  /** Records the event for a retry, so that one failing event does not block other erasures. */
  private failed({ id, type, position }: RecordedEvent, after: Position, error: unknown): Change {
    this.dependencies.log.error(
      { eventId: id, type, position: `${position}`, err: error },
      'an event erases subjects, but their keys cannot be destroyed',
    );
    this.unerasedIds.add(id);
    const value: Unerased = { type, position: `${position}`, after: `${after}` };
    return { kind: 'put', collection: FAILED, key: id, value: JSON.stringify(value) };
  }

  /** Retries the failed events in any order: destroying a key is idempotent. */
  private async tryAgain(namespace: Namespace, done: Position): Promise<void> {
    const { store } = this.dependencies;
    const failed = await store.documents(namespace).range(FAILED, {});
    for (const { key } of failed) this.unerasedIds.add(key);
    for (const { key, value } of failed) {
      const unerased = JSON.parse(value.toString('utf8')) as Unerased;
      const event = await this.find(key, unerased);
      if (event && (await this.erase([event], BigInt(unerased.after))).length > 0) continue;
      await store.commit(namespace, [{ kind: 'delete', collection: FAILED, key }], done, done);
      this.unerasedIds.delete(key);
    }
  }

  private async find(id: string, { after, position }: Unerased): Promise<RecordedEvent | undefined> {
    const { categories, signal } = this;
    for (let read = BigInt(after); read < BigInt(position); ) {
      const page = await this.dependencies.events.readAll({ after: read, categories, limit: PAGE_EVENTS, signal });
      const found = page.events.find((event) => event.id === id);
      if (found || page.caughtUp) return found;
      read = page.position;
    }
    return undefined;
  }

  private forgettingOf({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): Forgetting | undefined {
    return this.forgetting.get(`${categoryOf(stream)} ${type}`);
  }

  private async eraseMentioned(mentions: Mentions, by: ProjectedEvent): Promise<void> {
    const { position: before } = by;
    for await (const events of this.mentioning(mentions, before)) {
      const subjects = new Set(events.filter(({ position }) => position < before).flatMap((event) => mentions.subjects(event)));
      await applyErasures(this.dependencies.keys, [...subjects], causeOf(by), this.signal);
      await nextTurn();
    }
  }

  private async *mentioning(mentions: Mentions, before: Position): AsyncGenerator<readonly RecordedEvent[]> {
    const { events } = this.dependencies;
    const { signal } = this;
    if ('stream' in mentions.in) {
      for await (const page of streamPages(events, mentions.in.stream)) {
        yield page;
        signal.throwIfAborted();
        if ((page.at(-1)?.position ?? before) >= before) return;
      }
      return;
    }
    for (let after = 0n; ; ) {
      const page = await events.readAll({ after, categories: mentions.in.categories, limit: PAGE_EVENTS, signal });
      yield page.events;
      signal.throwIfAborted();
      if (page.caughtUp || page.position >= before) return;
      after = page.position;
    }
  }

  private async namespace(): Promise<Namespace> {
    const { store, log } = this.dependencies;
    const served = await store.served(ERASURES);
    const settled = served && (await settleOrigin(this.dependencies, served));
    if (served && settled?.why === null) return served;
    if (settled?.why) log.warn({ why: settled.why }, 'the checkpoint of erasures is not of this log: the log is read from its start');
    const { namespace } = await prepareForLog(this.dependencies, ERASURES, VERSION);
    await store.serve(namespace, served ?? undefined);
    return namespace;
  }
}
