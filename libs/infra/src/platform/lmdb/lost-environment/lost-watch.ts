import type { RootDatabase } from 'lmdb';
import { DelayedTask } from '#infra/platform/scheduling/later.js';
import { announceLost, EnvironmentLost, LOST_CHECKS } from '../environment-error.js';
import { throwIfLost } from './guards.js';

/** Time from the beginning of a transaction to a check whether the environment is lost. */
const LOST_CHECK_MS = 25;

/** Checks whether LMDB still lets this process use an environment. */
export class LostWatch {
  private readonly waiting = new Set<(lost: EnvironmentLost) => void>();
  private readonly check = (): boolean => this.look();
  private readonly later = new DelayedTask(LOST_CHECK_MS, this.check);
  private lost: EnvironmentLost | undefined;
  private isClosed = false;

  /** @param wrote called on each transaction */
  constructor(
    private readonly root: RootDatabase,
    private readonly path: string,
    wrote: () => void,
  ) {
    LOST_CHECKS.add(this.check);
    const transactAtOnce = root.transactionSync.bind(root);
    root.transactionSync = <Result>(work: () => Result): Result => {
      if (this.lost) throw this.lost;
      wrote();
      try {
        return transactAtOnce(work);
      } catch (error) {
        this.look();
        throw this.lost ?? error;
      }
    };
    // LMDB then settles no promise of a transaction.
    const transact = root.transaction.bind(root);
    root.transaction = <Result>(work: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (this.lost) throw this.lost;
        this.waiting.add(reject);
        this.later.ask();
        transact(work)
          .then(resolve, (error) => {
            this.look();
            reject(this.lost ?? error);
          })
          .finally(() => {
            this.waiting.delete(reject);
            wrote();
          });
      });
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  close(): void {
    this.isClosed = true;
    LOST_CHECKS.delete(this.check);
    this.later.close();
  }

  /**
   * The failed write itself is no sign. Only the text of a later read error is, because LMDB returns no code. An environment that is being closed
   * must not be read: a timer of lmdb would throw.
   */
  look(): boolean {
    if (this.lost || this.isClosed) return this.isLost;
    try {
      this.root.resetReadTxn();
      throwIfLost(this.root);
      if (this.waiting.size > 0) this.later.ask();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('MDB_PANIC'))) return false;
      this.later.close();
      this.lost = new EnvironmentLost(this.path, { cause: error });
      for (const reject of this.waiting) reject(this.lost);
      announceLost(this.lost);
    }
    return this.lost !== undefined;
  }
}
