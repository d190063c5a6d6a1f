import type { ReadModels } from '#infra/projection-runner/read-models.js';
import type { CommitListener, ReadStore, ReadView } from '#projections/shared/read-store.js';
import { PartitionedView } from './partitioned-view.js';

/**
 * The read store as those see it who answer requests: what belongs to a partition that is set aside is refused, see {@link PartitionedView}, and
 * listeners to commits are also called when something was set aside or has come back, so that nothing read before is kept.
 */
export const partitionedStore = (store: ReadStore, readModels: Pick<ReadModels, 'partitionsOf'>): ReadStore => {
  const view = (projection: string): ReadView => {
    const runner = readModels.partitionsOf(projection);
    const inner = store.view(projection);
    if (!runner?.projection.partitions) return inner;
    return new PartitionedView({
      store,
      inner,
      projection: runner.projection,
      partitions: runner.projection.partitions,
      book: runner.book,
    });
  };
  const onCommit = (projection: string, listener: CommitListener): (() => void) => {
    const stop = store.onCommit(projection, listener);
    const runner = readModels.partitionsOf(projection);
    const stopToo = runner?.book.listen(() => listener(runner.gate.position, runner.book.known.marks));
    return () => {
      stop();
      stopToo?.();
    };
  };
  return {
    view,
    onCommit,
    documents: (namespace) => store.documents(namespace),
    served: (projection) => store.served(projection),
    prepare: (projection, version) => store.prepare(projection, version),
    serve: (namespace, instead) => store.serve(namespace, instead),
    checkpoint: (namespace) => store.checkpoint(namespace),
    progress: (namespace) => store.progress(namespace),
    marks: (namespace) => store.marks(namespace),
    commit: (...commit) => store.commit(...commit),
    mark: (...mark) => store.mark(...mark),
    size: (projection) => store.size(projection),
    trouble: () => store.trouble(),
    close: () => store.close(),
  };
};
