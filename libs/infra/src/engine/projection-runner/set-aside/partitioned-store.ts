import type { Position } from '#domain/shared/events.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { CommitListener, ReadStore, ReadView } from '#projections/shared/read-store.js';
import { partitionedView } from './partitioned-view.js';

/**
 * The read store as requests see it: it refuses documents of set-aside partitions, see {@link partitionedView}. Commit listeners are also
 * called when a partition is set aside or resumed, so that caches drop earlier reads.
 */
export class PartitionedReadStore extends DelegatingReadStore {
  constructor(
    store: ReadStore,
    private readonly readModels: Pick<ReadModels, 'partitionsOf'>,
  ) {
    super(store);
  }

  override view(projection: string, floor?: () => Position): ReadView {
    const runner = this.readModels.partitionsOf(projection);
    const inner = this.inner.view(projection, floor);
    if (!runner) return inner;
    const { projection: definition, tracker } = runner;
    return partitionedView({ store: this.inner, inner, projection: definition, tracker });
  }

  override onCommit(projection: string, listener: CommitListener): () => void {
    const runner = this.readModels.partitionsOf(projection);
    const stopCommits = this.inner.onCommit(projection, listener);
    const stopSetAside = runner?.tracker.listen(() => listener(runner.gate.position, runner.tracker.known.token));
    return () => {
      stopCommits();
      stopSetAside?.();
    };
  }
}
