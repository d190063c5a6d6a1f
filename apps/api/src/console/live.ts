import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnModuleDestroy } from '@nestjs/common';

/** Between two looks, however many watch. */
const EVERY_MS = 1_000;
const MOST_VIEWERS = 500;
/** Of one key. */
const MOST_OF_KEY = 50;
/** A viewer that has not taken this much is passed over until it has. */
const MOST_WAITING_BYTES = 256 * 1024;
/** One that takes nothing for so many looks is gone. */
const MOST_PASSED = 60;

type Viewer = { readonly key: string; readonly isAdmitted: () => Promise<boolean>; readonly stream: PassThrough; passed: number };

/** So many watch already. */
export class TooManyViewers extends Error {
  override readonly name = 'TooManyViewers';
}

/** Shows all who watch the same text, made anew every second, as server-sent events. Nothing is looked up while nobody watches. */
export class Live implements OnModuleDestroy {
  private readonly viewers = new Set<Viewer>();
  private latest: string | undefined;
  private running: Promise<void> | undefined;
  private isClosed = false;

  /** @param look what is shown, as JSON; never throws */
  constructor(private readonly look: () => Promise<object>) {}

  /**
   * @param key id of the caller's key @param isAdmitted whether the caller may still watch, asked before each event; rejects: not known
   * @throws TooManyViewers, also once the server ends
   */
  watch(key: string, isAdmitted: () => Promise<boolean>): Readable {
    const ofKey = [...this.viewers].filter((viewer) => viewer.key === key).length;
    if (this.isClosed || this.viewers.size >= MOST_VIEWERS || ofKey >= MOST_OF_KEY) throw new TooManyViewers('too many watch already');
    const viewer: Viewer = { key, isAdmitted, stream: new PassThrough(), passed: 0 };
    viewer.stream.on('error', () => undefined).once('close', () => this.viewers.delete(viewer));
    viewer.stream.write('retry: 2000\n\n');
    if (this.latest !== undefined) viewer.stream.write(this.latest);
    this.viewers.add(viewer);
    this.running ??= this.run();
    return viewer.stream;
  }

  /** Before connections are waited for. */
  onModuleDestroy(): void {
    this.isClosed = true;
    for (const { stream } of this.viewers) stream.end();
    this.viewers.clear();
  }

  private async run(): Promise<void> {
    while (this.viewers.size > 0) {
      const begun = performance.now();
      this.latest = `data: ${JSON.stringify(await this.look())}\n\n`;
      await Promise.all([...this.viewers].map((viewer) => this.show(viewer)));
      await sleep(Math.max(0, EVERY_MS - (performance.now() - begun)), undefined, { ref: false });
    }
    this.latest = undefined;
    this.running = undefined;
  }

  private async show(viewer: Viewer): Promise<void> {
    const { stream, isAdmitted } = viewer;
    const admitted = await isAdmitted().catch(() => true); // a store that is away is what there is to show
    if (!admitted) stream.end();
    if (admitted && stream.readableLength + stream.writableLength < MOST_WAITING_BYTES) {
      viewer.passed = 0;
      if (stream.writable) stream.write(this.latest);
    } else if (++viewer.passed >= MOST_PASSED) stream.destroy();
  }
}
