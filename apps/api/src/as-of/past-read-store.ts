import { currentCall } from '#api/shared/as-of/past-call.js';
import { type ReadStore, ReadStoreUnavailable, type ReadView } from '#projections/shared/read-store.js';

/** The documents of a projection at the moment of the current call. */
const viewOf = (projection: string): ReadView => {
  const current = (): Promise<ReadView> => currentCall().view(projection);
  return {
    get asOf() {
      return currentCall().point?.moment?.position;
    },
    get: async (...read) => (await current()).get(...read),
    getMany: async (...read) => (await current()).getMany(...read),
    lengths: async (...read) => (await current()).lengths(...read),
    range: async (...read) => (await current()).range(...read),
    ranges: async (...read) => (await current()).ranges(...read),
    count: async (...read) => (await current()).count(...read),
  };
};

const noBuilds = async (): Promise<never> => {
  throw new ReadStoreUnavailable('the past has no builds of read models');
};

/** Read models at the moment of the current call. They are read-only and announce no commits. Documents must not outlive the call. */
export const pastReadStore: ReadStore = {
  volatile: true,
  view: viewOf,
  documents: ({ projection }) => viewOf(projection),
  onCommit: () => () => {},
  served: async () => null,
  standing: async () => null,
  trouble: async () => null,
  flush: async () => {},
  close: async () => {},
  collections: noBuilds,
  prepare: noBuilds,
  serve: noBuilds,
  checkpoint: noBuilds,
  progress: noBuilds,
  commit: noBuilds,
  commitSoon: noBuilds,
  size: noBuilds,
};

/** The documents before the first event. */
export const EMPTY_VIEW: ReadView = {
  get: async () => null,
  getMany: async (_collection, keys) => keys.map(() => null),
  lengths: async (_collection, keys) => keys.map(() => null),
  range: async () => [],
  ranges: async (_collection, ranges) => ranges.map(() => []),
  count: async () => 0,
};
