import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnModuleDestroy } from '@nestjs/common';

/** Pause between two looks, for any number of viewers. */
const EVERY_MS = 1_000;
const MOST_VIEWERS = 500;
/** Maximum viewers of one key. */
const MOST_OF_KEY = 50;
/** A viewer with this many unread bytes is skipped until it has read them. */
const MOST_WAITING_BYTES = 256 * 1024;
/** A viewer that was skipped this often counts as gone. */
const MOST_PASSED = 60;

type Viewer = { readonly key: string; readonly stream: PassThrough; passed: number };

/** The maximum number of viewers is reached. */
export class TooManyViewers extends Error {
  override readonly name = 'TooManyViewers';
}

/** Sends the same text to all viewers, every second, as server-sent events. Performs no lookups without viewers. */
export class LiveStream implements OnModuleDestroy {
  private readonly viewers = new Set<Viewer>();
  private latest: string | undefined;
  private running: Promise<void> | undefined;
  private isClosed = false;

  /** @param look resolves with the content, as JSON; never throws */
  constructor(private readonly look: () => Promise<object>) {}

  /**
   * @param key id of the caller's key
   * @param ended aborted once the caller may not watch any more
   * @throws TooManyViewers, also once the server ends
   */
  watch(key: string, ended: AbortSignal): Readable {
    const ofKey = [...this.viewers].filter((viewer) => viewer.key === key).length;
    if (this.isClosed || this.viewers.size >= MOST_VIEWERS || ofKey >= MOST_OF_KEY) {
      throw new TooManyViewers(`too many watch this node already: ${MOST_VIEWERS} may, ${MOST_OF_KEY} of them with one key`);
    }
    const viewer: Viewer = { key, stream: new PassThrough(), passed: 0 };
    viewer.stream.on('error', () => undefined).once('close', () => this.viewers.delete(viewer));
    ended.addEventListener('abort', () => viewer.stream.end(), { once: true });
    viewer.stream.write('retry: 2000\n\n');
    if (this.latest !== undefined) viewer.stream.write(this.latest);
    this.viewers.add(viewer);
    this.running ??= this.run();
    return viewer.stream;
  }

  /** Called before the wait for connections. */
  onModuleDestroy(): void {
    this.isClosed = true;
    for (const { stream } of this.viewers) stream.end();
    this.viewers.clear();
  }

  private async run(): Promise<void> {
    while (this.viewers.size > 0) {
      const begun = performance.now();
      this.latest = `data: ${JSON.stringify(await this.look())}\n\n`;
      for (const viewer of this.viewers) this.show(viewer);
      await sleep(Math.max(0, EVERY_MS - (performance.now() - begun)), undefined, { ref: false });
    }
    this.latest = undefined;
    this.running = undefined;
  }

  private show(viewer: Viewer): void {
    const { stream } = viewer;
    if (stream.readableLength + stream.writableLength < MOST_WAITING_BYTES) {
      viewer.passed = 0;
      if (stream.writable) stream.write(this.latest);
    } else if (++viewer.passed >= MOST_PASSED) stream.destroy();
  }
}
