import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import type { CommitListener, ReadStore, ReadView } from '#projections/shared/read-store.js';
import type { ReadGate } from './read-gate.js';

/**
 * The read store as requests see it. `view` rejects with ReadModelsUnavailable while the gate of a projection is closed, or nothing is
 * served, or the documents are below the gate's floor. While the gate is held, reads first wait for a moment. Projections without a gate
 * are always readable. `onCommit` also reports, with position 0, that all earlier reads are invalid: the gate closed, or a key of sealed
 * documents was destroyed.
 */
export class GatedReadStore extends DelegatingReadStore {
  /** @param secondsLeft until the documents of a projection are there. Default: it is not known */
  constructor(
    store: ReadStore,
    private readonly gateOf: (projection: string) => ReadGate | undefined,
    private readonly sealing?: Pick<SealedDocuments, 'onErased'>,
    private readonly secondsLeft?: (projection: string) => number | null,
  ) {
    super(store);
  }

  override view(projection: string): ReadView {
    const gate = this.gateOf(projection);
    if (!gate) return this.inner.view(projection);
    return gatedView(
      this.inner.view(projection, () => gate.floor),
      gate,
      this.secondsLeft,
    );
  }

  override onCommit(projection: string, listener: CommitListener): () => void {
    const drop = (): void => listener(0n, '');
    const stops = [
      this.inner.onCommit(projection, listener),
      this.gateOf(projection)?.onClose(drop),
      this.sealing?.onErased(projection, drop),
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  }
}

const gatedView = (view: ReadView, gate: ReadGate, secondsLeft?: (projection: string) => number | null): ReadView => {
  const onceKnown = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    await gate.known();
    const refusal = gate.refusal(secondsLeft);
    if (refusal) throw refusal;
    return read();
  };
  const admitted = <Result>(read: () => Promise<Result>): Promise<Result> => (gate.isOpen ? read() : onceKnown(read));
  return {
    get: (collection, key) => admitted(() => view.get(collection, key)),
    getMany: (collection, keys) => admitted(() => view.getMany(collection, keys)),
    lengths: (collection, keys) => admitted(() => view.lengths(collection, keys)),
    range: (collection, range) => admitted(() => view.range(collection, range)),
    ranges: (collection, ranges) => admitted(() => view.ranges(collection, ranges)),
    count: (collection, range) => admitted(() => view.count(collection, range)),
  };
};
