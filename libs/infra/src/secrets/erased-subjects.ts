import { SubjectKeyDestroyed, type SubjectKeys } from './subject-keys.js';

/** Who was erased: credentials of such a subject are refused from then on, and nothing of it is copied into other records. */
export class ErasedSubjects {
  constructor(private readonly keys: Pick<SubjectKeys, 'isDestroyed' | 'state'>) {}

  /** Whether one of the subjects was erased. At once where that is known. @throws (or rejects with) EventStoreUnavailable */
  some(...subjects: readonly string[]): boolean | Promise<boolean> {
    const answers = subjects.map((subject) => this.keys.isDestroyed(subject));
    if (answers.includes(true)) return true;
    return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers).then((all) => all.includes(true)) : false;
  }

  /** @throws SubjectKeyDestroyed */
  async refuse(subject: string): Promise<void> {
    if (await this.some(subject)) throw new SubjectKeyDestroyed(subject);
  }

  /** What the log says of its key. */
  state(subject: string): ReturnType<SubjectKeys['state']> {
    return this.keys.state(subject);
  }
}
