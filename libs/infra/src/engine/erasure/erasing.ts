import type { Following } from '#infra/engine/followers/follow-log.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { ErasedSubjects } from './erased-subjects.js';
import { Eraser, type EraserDependencies } from './eraser.js';
import { watchKeys } from './key-watch.js';

/** Applies the erasures of the log to this process and to the log itself. */
export class Erasing {
  readonly eraser: Eraser;
  readonly subjects: ErasedSubjects;
  private watch: Following | undefined;

  constructor(private readonly dependencies: EraserDependencies & Readonly<{ keys: SubjectKeys }>) {
    this.eraser = new Eraser(dependencies);
    this.subjects = new ErasedSubjects(dependencies.keys);
  }

  /** Must be called once; it works in the background. @param erases whether it destroys keys as well, besides dropping destroyed ones */
  start(erases = true): void {
    this.watch = watchKeys(this.dependencies);
    if (erases) this.eraser.start();
  }

  /** Stops permanently. */
  async close(): Promise<void> {
    await Promise.all([this.watch?.stop(), this.eraser.stop()]);
  }
}
