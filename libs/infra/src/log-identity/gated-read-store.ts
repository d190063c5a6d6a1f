import type { KeyRange, ReadStore, ReadView } from '#projections/shared/read-store.js';
import type { ReadGate } from './read-gate.js';

/**
 * The read store as requests see it: `view` rejects with ReadModelWithheld while the gate of the projection is closed, and `onCommit` also tells of
 * its closing, with position 0. What has no gate is always open.
 */
export const gatedReadStore = (store: ReadStore, gateOf: (projection: string) => ReadGate | undefined): ReadStore => ({
  view: (projection) => {
    const gate = gateOf(projection);
    return gate ? new GatedView(store.view(projection), gate) : store.view(projection);
  },
  onCommit: (projection, listener) => {
    const stops = [store.onCommit(projection, listener), gateOf(projection)?.onClose(() => listener(0n, ''))];
    return () => {
      for (const stop of stops) stop?.();
    };
  },
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
});

class GatedView implements ReadView {
  constructor(
    private readonly view: ReadView,
    private readonly gate: ReadGate,
  ) {}

  get(collection: string, key: string) {
    return this.refused() ?? this.view.get(collection, key);
  }

  getMany(collection: string, keys: readonly string[]) {
    return this.refused() ?? this.view.getMany(collection, keys);
  }

  range(collection: string, range: KeyRange) {
    return this.refused() ?? this.view.range(collection, range);
  }

  ranges(collection: string, ranges: readonly KeyRange[]) {
    return this.refused() ?? this.view.ranges(collection, ranges);
  }

  count(collection: string, range: KeyRange) {
    return this.refused() ?? this.view.count(collection, range);
  }

  private refused(): Promise<never> | undefined {
    const refusal = this.gate.refusal();
    return refusal && Promise.reject(refusal);
  }
}
