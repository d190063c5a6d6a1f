import { LRUCache } from 'lru-cache';
import { causeOf } from '#domain/shared/causation.js';
import { SubjectKeyDestroyed, type SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

/** Maximum number of subjects cached as not erased, at about 150 bytes each. */
const MAX_KNOWN = 50_000;

/**
 * Erased subjects: their credentials are refused, and their data are not copied into other records. A subject seen as not erased counts as
 * such until the log shows otherwise: clients are admitted during an outage of the log, and no call waits for it.
 */
export class ErasedSubjects {
  private readonly known = new LRUCache<string, true>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });

  constructor(private readonly keys: Pick<SubjectKeys, 'cached' | 'isDestroyed' | 'state' | 'onDestroyed' | 'destroy'>) {
    keys.onDestroyed((subject) => {
      if (subject === undefined) this.known.clear();
      else this.known.delete(subject);
    });
  }

  /** Returns whether one of the subjects was erased; synchronously if that is known. @throws (or rejects with) EventStoreUnavailable */
  some(...subjects: readonly string[]): boolean | Promise<boolean> {
    const answers = subjects.map((subject) => this.isErased(subject));
    if (answers.includes(true)) return true;
    return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers).then((all) => all.includes(true)) : false;
  }

  /**
   * Refuses a write to one of the subjects before it is decided: a state in memory may still have its data, and an answer must not tell
   * whether a caller guessed them. @throws SubjectKeyDestroyed
   */
  async refuse(...subjects: readonly string[]): Promise<void> {
    for (const subject of subjects) if (await this.some(subject)) throw new SubjectKeyDestroyed(subject);
  }

  /** Destroys its key, for the event that erases it. Throws as the log does. */
  erase(subject: string, by: Parameters<typeof causeOf>[0]): Promise<void> {
    return this.keys.destroy(subject, causeOf(by));
  }

  /** State of its key in the log. */
  state(subject: string): ReturnType<SubjectKeys['state']> {
    return this.keys.state(subject);
  }

  private isErased(subject: string): boolean | Promise<boolean> {
    if (this.keys.cached(subject) === null) return true;
    if (this.known.get(subject)) return false;
    const found = this.keys.isDestroyed(subject);
    return found instanceof Promise ? found.then((erased) => this.learn(subject, erased)) : this.learn(subject, found);
  }

  /** Values read before an erasure must not be cached after it. */
  private learn(subject: string, erased: boolean): boolean {
    const gone = erased || this.keys.cached(subject) === null;
    if (!gone) this.known.set(subject, true);
    return gone;
  }
}
