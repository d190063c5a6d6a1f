import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import { askedSoon } from '#api/ops-kit/asked-soon.js';

/** Between two looks, however many watch. */
const EVERY_MS = 1_000;
const MOST_VIEWERS = 500;
/** Of one key. */
const MOST_OF_KEY = 50;
/** A viewer that has not taken this much is passed over until it has. */
const MOST_WAITING_BYTES = 256 * 1024;
/** One that takes nothing for so many looks is gone. */
const MOST_PASSED = 60;
/** Longer than that nobody's event waits for whether they may still watch. */
const LONGEST_QUESTION_MS = 500;
/** A question without an answer is asked anew after this. */
const ASK_ANEW_MS = 10_000;

type Viewer = {
  readonly key: string;
  readonly isAdmitted: () => Promise<boolean>;
  readonly stream: PassThrough;
  passed: number;
  /** `isAdmitted`, while there is no answer yet. */
  asked?: Readonly<{ answer: Promise<boolean>; at: number }> | undefined;
};

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
  constructor(
    private readonly look: () => Promise<object>,
    private readonly askAnewMs = ASK_ANEW_MS,
  ) {}

  /**
   * @param key id of the caller's key
   * @param isAdmitted whether the caller may still watch, asked before each event, once at a time for ten seconds; where it rejects or takes long that is not known
   * @throws TooManyViewers, also once the server ends
   */
  watch(key: string, isAdmitted: () => Promise<boolean>): Readable {
    const ofKey = [...this.viewers].filter((viewer) => viewer.key === key).length;
    if (this.isClosed || this.viewers.size >= MOST_VIEWERS || ofKey >= MOST_OF_KEY) {
      throw new TooManyViewers(`too many watch this node already: ${MOST_VIEWERS} may, ${MOST_OF_KEY} of them with one key`);
    }
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
    const { stream } = viewer;
    const admitted = (await askedSoon(this.ask(viewer), LONGEST_QUESTION_MS)) ?? true; // a store that is away is what there is to show
    if (!admitted) stream.end();
    if (admitted && stream.readableLength + stream.writableLength < MOST_WAITING_BYTES) {
      viewer.passed = 0;
      if (stream.writable) stream.write(this.latest);
    } else if (++viewer.passed >= MOST_PASSED) stream.destroy();
  }

  private ask(viewer: Viewer): Promise<boolean> {
    const now = performance.now();
    if (viewer.asked && now - viewer.asked.at < this.askAnewMs) return viewer.asked.answer;
    const asked: NonNullable<Viewer['asked']> = {
      at: now,
      answer: viewer.isAdmitted().finally(() => {
        if (viewer.asked === asked) viewer.asked = undefined;
      }),
    };
    viewer.asked = asked;
    return asked.answer;
  }
}
