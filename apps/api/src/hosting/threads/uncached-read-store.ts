import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';

/** Nothing that was read is kept in memory for another request: where commits of other processes are noticed some milliseconds late. */
export class UncachedReadStore extends DelegatingReadStore {
  override get volatile(): boolean {
    return true;
  }
}
