import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedNote } from '#domain/integrity/checkpoint.js';
import type { Anchor } from '#domain/integrity/integrity-events.js';
import type { KnownSigningKey } from '#domain/integrity/signing-keys.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
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
  /** Notes of earlier processes were looked for. */
  private hasLooked = false;

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
    const newest = this.hasLooked ? 0 : await this.newestWritten();
    const names = new Set(newest > 0 ? await readdir(directory) : []);
    for (let isLast = false; !isLast; ) {
      const page = anchors.list({ order: 'asc', after: Math.max(0, this.writtenTo), limit: PAGE });
      for (const anchor of page) {
        // Notes before the newest one need not be read: they are of this log, too, or the log was replaced and has written others.
        if (anchor.size > newest || !names.has(nameOf(anchor))) await this.writeOne(anchor);
        this.writtenTo = anchor.size;
      }
      isLast = page.length < PAGE;
      await nextTurn();
    }
    this.hasLooked = true;
  }

  /** Size of the newest anchor that has a note; 0 if none has one. */
  private async newestWritten(): Promise<number> {
    const { directory, anchors } = this.dependencies;
    for (let after: number | undefined; ; ) {
      const page = anchors.list({ order: 'desc', after, limit: PAGE });
      for (const anchor of page)
        for (const name of [nameOf(anchor), secondNameOf(anchor)])
          if ((await textIn(join(directory, name)))?.startsWith(anchor.text)) return anchor.size;
      if (page.length < PAGE) return 0;
      after = page.at(-1)?.size;
    }
  }

  private async writeOne(anchor: Anchor): Promise<void> {
    const { directory, keys, log } = this.dependencies;
    const file = join(directory, nameOf(anchor));
    const known = await textIn(file);
    if (known?.startsWith(anchor.text)) return;
    const key = (await keys()).find(({ keyId }) => keyId === anchor.keyId);
    if (!key) throw new Error(`the key ${anchor.keyId} is not known`);
    const note = signedNote(anchor, key.x);
    if (known === null) await replaceFileDurably(file, note);
    else {
      // Earlier notes are evidence, of this log or of a replaced one: both stay.
      log.warn({ file }, 'another anchor of this size was written here before: the log is not the same one');
      await replaceFileDurably(join(directory, secondNameOf(anchor)), note);
    }
  }
}

const nameOf = ({ size }: Anchor): string => `${size}.note`;
/** Name of a note if a replaced log has written another one of this size. */
const secondNameOf = ({ size, root }: Anchor): string => `${size}-${root.slice(0, 16)}.note`;

/** `null` if there is no such file. */
const textIn = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  });
