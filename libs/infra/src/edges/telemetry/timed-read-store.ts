import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { Telemetry } from './telemetry.js';

/** Measures commits. Single lookups are not measured: on the embedded store they take less time than reading the clock. */
export class TimedReadStore extends DelegatingReadStore {
  constructor(
    store: ReadStore,
    private readonly telemetry: Pick<Telemetry, 'commitSeconds'>,
  ) {
    super(store);
  }

  override commit(...commit: Parameters<ReadStore['commit']>): Promise<void> {
    return this.timed(() => this.inner.commit(...commit));
  }

  override commitSoon(...commit: Parameters<ReadStore['commitSoon']>): Promise<void> {
    return this.timed(() => this.inner.commitSoon(...commit));
  }

  private async timed(commit: () => Promise<void>): Promise<void> {
    const start = performance.now();
    await commit();
    this.telemetry.commitSeconds.observe((performance.now() - start) / 1_000);
  }
}
