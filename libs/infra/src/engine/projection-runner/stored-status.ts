import type { Position } from '#domain/shared/events.js';
import { behindEnd, behindHead, type LevelLook } from '#infra/engine/projection-runner/progress/lag.js';
import { lastShown } from '#infra/engine/projection-runner/progress/newest-event.js';
import { rebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { readSetAside } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import { seemsAlive } from '#infra/platform/coordination/lease.js';
import { SeatBook } from '#infra/platform/coordination/seats/seat-book.js';
import { NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import { PROJECTOR_SEATS, type RunnerDependencies } from './dependencies.js';
import type { ProjectionRunner } from './projection-runner.js';
import type { ProjectionStatus } from './projection-status.js';

/** The documents were replaced between two reads; the runner will notice. */
const unlessGone =
  <Result>(instead: Result) =>
  (error: unknown): Result => {
    if (error instanceof NamespaceGone) return instead;
    throw error;
  };

/** Time without a heartbeat after which a node counts as gone, however much clocks differ. */
const PROJECTOR_SILENCE_MS = 10_000;

/** Set-aside state of the served documents. @throws ReadStoreUnavailable */
export const storedSetAside = async (store: ReadStore, name: string): Promise<SetAside> => {
  for (;;) {
    const served = await store.served(name);
    if (!served) return SetAside.NONE;
    const known = await readSetAside(store, served).catch(unlessGone(null)); // a rebuild that resumes ends with a switch
    if (known) return known.setAside;
  }
};

/** Status of a projection, read from both stores. @throws EventStoreUnavailable, ReadStoreUnavailable */
export const statusOf = async (dependencies: RunnerDependencies, runner: ProjectionRunner, level: LevelLook): Promise<ProjectionStatus> => {
  const { events, store, timing, now } = dependencies;
  const { name, categories, service, version } = runner.projection;
  const { isOpen } = runner.reading;
  const isHidden = runner.isStarted && !isOpen;
  const served = await store.served(name);
  const [size, underWay] = await Promise.all([store.size(name), rebuildUnderWay(store, name, timing, now())]);
  const { state, appliedAt, mismatch, batchSeconds } = runner.snapshot();
  // A runner may be ahead of the store by events without changes, or not running at all.
  const positionNow = async (): Promise<Position> => {
    const { position: seen } = runner.snapshot();
    const stored = served && mismatch === null ? await store.checkpoint(served).catch(unlessGone(0n)) : 0n;
    return stored > seen ? stored : seen;
  };
  const position = await positionNow();
  const setAside = await storedSetAside(store, name);
  const last = isOpen && served ? await lastShown(store, served) : null;
  const documents = { name, categories, position, shown: last, again: positionNow };
  const look = () => (isHidden ? behindEnd(events, categories, position, now()) : behindHead(events, documents, now()));
  const { head, lag } = await (state === 'live' && !isHidden ? level.behind(documents) : runner.lag.behind(position, look));
  const shown = served !== null && lag.events === 0 ? 'live' : 'catching-up';
  return {
    name,
    version: served?.version ?? version,
    service,
    state: runner.isStarted ? state : shown, // only another process can apply it
    position,
    head,
    lag,
    documents: size.documents,
    appliedAt,
    mismatch,
    setAside,
    rebuild: underWay,
    batchSeconds,
    pace: runner.paceAt(lag),
  };
};

/**
 * Name of the node that keeps each projection up to date. This is only a hint: a node that was just killed is named for some seconds, and
 * the clocks of two nodes may differ. @throws ReadStoreUnavailable
 */
export const projectorsOf = async ({ store, now }: RunnerDependencies): Promise<ReadonlyMap<string, string>> => {
  const holders = [...(await SeatBook.holders(store, PROJECTOR_SEATS))];
  return new Map(holders.flatMap(([name, member]) => (seemsAlive(member, PROJECTOR_SILENCE_MS, now()) ? [[name, member.node]] : [])));
};
