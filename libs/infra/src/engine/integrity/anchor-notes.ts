import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedNote } from '#domain/integrity/checkpoint.js';
import type { Anchor } from '#domain/integrity/integrity-events.js';
import type { KnownSigningKey } from '#domain/integrity/signing-keys.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { replaceFileDurably } from '#infra/platform/lmdb/write-file-durably.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { Anchors } from './anchors.js';

const PAGE = 1_000;
const RETRY_MS = 30_000;
/** Maximum wait at the end for a disk that does not answer. Missing notes are written after the next start. */
const STOP_MS = 3_000;

type AnchorNotesDependencies = Readonly<{
  /** May be shared, for example a mounted disk of another party. */
  directory: string;
  anchors: Anchors;
  keys: () => Promise<readonly KnownSigningKey[]>;
  log: Pick<Logger, 'warn'>;
}>;

/**
 * Writes each anchor as a signed note, `<size>.note`. Missing ones (the disk was away, the process was killed) are written later; existing
 * ones are never overwritten. A disk that does not answer does not block the event loop.
 */
export class AnchorNotes {
  private running: Promise<void> | undefined;
  private isStopped = false;
  private isWanted = false;
  private timer: NodeJS.Timeout | undefined;
  /** In a row. */
  private failures = 0;
  /** All anchors up to this size are written. */
  private writtenTo = 0;

  constructor(private readonly dependencies: AnchorNotesDependencies) {}

  /** Looks for unwritten anchors. `size`: of a new anchor, which may be smaller than the written ones. */
  write(size = this.writtenTo): void {
    this.writtenTo = Math.min(this.writtenTo, size - 1);
    this.isWanted = true;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    if (this.running) await within(STOP_MS, this.running, () => undefined);
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    const { directory, log } = this.dependencies;
    while (this.isWanted) {
      this.isWanted = false;
      try {
        await this.writeMissing();
        this.failures = 0;
      } catch (error) {
        if (this.isStopped) return; // the anchors may be closed by now
        if (isLogged(++this.failures)) log.warn({ err: error, directory }, 'anchors cannot be written to LOGBOOK_ANCHOR_DIR now');
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.write(), RETRY_MS).unref();
      }
    }
  }

  private async writeMissing(): Promise<void> {
    const { directory, anchors } = this.dependencies;
    await mkdir(directory, { recursive: true });
    for (;;) {
      const page = anchors.list({ order: 'asc', after: Math.max(0, this.writtenTo), limit: PAGE });
      for (const anchor of page) {
        await this.writeOne(anchor);
        this.writtenTo = anchor.size;
      }
      if (page.length < PAGE) return;
    }
  }

  private async writeOne(anchor: Anchor): Promise<void> {
    const { directory, keys, log } = this.dependencies;
    const file = join(directory, `${anchor.size}.note`);
    const known = await readFile(file, 'utf8').catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return null;
    });
    if (known?.startsWith(anchor.text)) return;
    const key = (await keys()).find(({ keyId }) => keyId === anchor.keyId);
    if (!key) throw new Error(`the key ${anchor.keyId} is not known`);
    const note = signedNote(anchor, key.x);
    if (known === null) await replaceFileDurably(file, note);
    else {
      // Earlier notes are evidence, of this log or of a replaced one: both stay.
      log.warn({ file }, 'another anchor of this size was written here before: the log is not the same one');
      await replaceFileDurably(join(directory, `${anchor.size}-${anchor.root.slice(0, 16)}.note`), note);
    }
  }
}
