import { join } from 'node:path';
import type { Follower, FollowerContext, FollowerState } from '#infra/engine/followers/follower.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { HistoryFiles } from './files.js';
import { Recorder } from './recorder.js';

export const HISTORY_FOLLOWER = 'history';

export const historyPath = (dataDirectory: string): string => join(dataDirectory, 'history');

/** Reports are not more frequent. */
const REPORT_MS = 20;

/** Records the history of this node. @throws EnvironmentError its directory cannot be used */
export class HistoryFollower implements Follower {
  readonly name = HISTORY_FOLLOWER;
  private readonly files: HistoryFiles;
  private readonly recorder: Recorder;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly context: FollowerContext) {
    const { settings, events, decode, projections, expiring, keys, log, now } = context;
    const path = historyPath(settings.dataDirectory);
    this.files = HistoryFiles.open({ path, report: (message) => log.warn({ path }, message) });
    const sealed = new SealedDocuments(keys, projections);
    const changed = (): void => this.reportSoon();
    this.recorder = new Recorder({ events, decode, projections, expiring, sealed, files: this.files, log, now, changed });
  }

  start(): void {
    this.context.report(this.name, this.state); // from now on others may open what it records
    this.recorder.start();
  }

  async stop(): Promise<void> {
    await this.recorder.stop();
    clearTimeout(this.timer);
    await this.files.close();
  }

  private reportSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.context.report(this.name, this.state);
    }, REPORT_MS);
  }

  private get state(): FollowerState {
    const { states, isLive, trouble } = this.recorder;
    const positions = states.flatMap(({ row, position }) => (row.failure ? [] : [position]));
    return {
      state: trouble === null && isLive ? 'live' : 'catching-up',
      position: BigInt(positions.length > 0 ? Math.min(...positions) : 0),
      failure: trouble,
    };
  }
}
