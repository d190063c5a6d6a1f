import { LRUCache } from 'lru-cache';
import { resourceTermsOf } from '#domain/audit/resources/resources-of.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import type { LeafPlace } from '#domain/integrity/integrity-events.js';
import type { AccessKeyEvent } from '#domain/operations/access-keys.js';
import { ACCESS_KEYS_STREAM } from '#domain/operations/access-keys.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { jsonSize } from '#domain/shared/json/json-size.js';
import { type Checkpoint, type IndexDatabases, numberKey, readCheckpoint, writeCheckpoint } from './databases.js';
import { actorName, NameWriter } from './names.js';
import { PostingWriter } from './postings.js';
import type { IndexRecord } from './record.js';
import { TallyWriter } from './tallies.js';
import { idOfText, type TermKind, termOf } from './terms.js';

const REMEMBERED_TEXTS = 200;

/** Somebody else has written the index since it was read. */
class AnotherWriter extends Error {
  override readonly name = 'AnotherWriter';
}

/** Adds chained events to the index, in log order. They can be read, and are kept, from `commit` on. */
export class IndexWriter {
  private readonly names: NameWriter;
  private readonly postings = new PostingWriter();
  /** Ids of texts: events of one call have most of them in common. */
  private readonly textIds = new LRUCache<string, number>({ max: REMEMBERED_TEXTS });
  private readonly tallies: TallyWriter;
  private waiting: IndexRecord[] = [];
  private committed: Checkpoint;
  /** Of the last record, committed or not. */
  private position: Position;
  private logTime: number;
  private last: Checkpoint['last'];

  constructor(private readonly databases: IndexDatabases) {
    this.committed = readCheckpoint(databases);
    this.names = new NameWriter(databases, this.committed.nextName);
    this.tallies = new TallyWriter(databases);
    const { size } = this.committed;
    this.position = (size > 0 && databases.records.get(numberKey(size - 1))?.position) || 0n;
    this.logTime = this.committed.logTime;
    this.last = this.committed.last;
  }

  get checkpoint(): Checkpoint {
    return this.committed;
  }

  /** Number of events added, committed or not. */
  get size(): number {
    return this.committed.size + this.waiting.length;
  }

  /** How many events wait for `commit`. */
  get uncommitted(): number {
    return this.waiting.length;
  }

  add(event: RecordedEvent): void {
    const { stream, revision, type, metadata, data } = event;
    const { actor, service } = metadata;
    const index = this.size;
    this.logTime = Math.max(this.logTime, Date.parse(metadata.time) || 0);
    if (event.position > this.position) this.position = event.position;
    const streamId = this.streamId(stream);
    const typeId = this.names.idOf('type', type);
    const actorId = this.names.idOf('actor', actorName(actor.kind, actor.id));
    const request = this.textId(metadata.requestId);
    const correlation = metadata.correlationId === metadata.requestId ? request : this.textId(metadata.correlationId);
    this.post('stream', streamId, index);
    this.post('category', this.names.idOf('category', categoryOf(stream)), index);
    this.post('type', typeId, index);
    this.post('actor', actorId, index);
    this.post('service', this.textId(service), index);
    this.postIds(request, correlation, index);
    for (const resource of resourceTermsOf(event)) this.postings.addOnce(termOf('resource', this.textId(resource)), index);
    this.tallies.categoryEvent(categoryOf(stream));
    this.tallies.actorEvent(actor, service, this.logTime);
    if (stream === ACCESS_KEYS_STREAM) this.nameKey(event as unknown as AccessKeyEvent);
    if (!mayExpire(stream)) this.last = { stream, revision: `${revision}`, id: event.id };
    const { position, logTime } = this;
    const { bytes: size } = jsonSize(data);
    const record = { position, stream: streamId, revision: Number(revision), type: typeId, actor: actorId, service, logTime, size };
    this.waiting.push({ ...record, gone: false });
  }

  /**
   * An event that is not in the log any more, at the place that the chain gives it.
   * @param position not before that of the last event
   * @param logTime milliseconds since 1970-01-01 UTC; 0: not known
   */
  addGone({ stream, revision }: LeafPlace, position: Position, logTime: number): void {
    if (position > this.position) this.position = position;
    this.logTime = Math.max(this.logTime, logTime);
    const streamId = this.streamId(stream);
    this.post('stream', streamId, this.size);
    this.tallies.categoryEvent(categoryOf(stream));
    const nothing = { type: 0, actor: 0, service: null, size: 0 };
    this.waiting.push({ position: this.position, stream: streamId, revision, logTime: this.logTime, ...nothing, gone: true });
  }

  /** Whether this is the place of the event with this index, which has been added. */
  isAt(index: number, { stream, revision }: LeafPlace): boolean {
    const record = this.waiting[index - this.committed.size] ?? this.databases.records.get(numberKey(index));
    return record !== undefined && record.revision === revision && record.stream === this.names.knownId('stream', stream);
  }

  /**
   * @param position everything up to it has been added
   * @throws AnotherWriter nothing was written: go on from what is stored
   */
  async commit(position: Position): Promise<void> {
    const { waiting, committed, databases, logTime, last } = this;
    this.waiting = [];
    const checkpoint: Checkpoint = {
      size: committed.size + waiting.length,
      position: position > BigInt(committed.position) ? `${position}` : committed.position,
      logTime,
      nextName: this.names.nextId,
      last,
    };
    databases.environment.requireRoom();
    await databases.root.transaction(() => {
      const stored = readCheckpoint(databases);
      if (stored.size !== committed.size || stored.position !== committed.position)
        throw new AnotherWriter('another process fills the index');
      waiting.forEach((record, offset) => {
        databases.records.putSync(numberKey(committed.size + offset), record, { append: true });
      });
      this.postings.flush(databases);
      this.names.flush(databases);
      this.tallies.flush(databases);
      writeCheckpoint(databases, checkpoint);
    });
    this.committed = checkpoint;
  }

  private post(kind: TermKind, id: number, index: number): void {
    this.postings.add(termOf(kind, id), index);
  }

  private postIds(request: number, correlation: number, index: number): void {
    if (request === correlation) {
      this.postings.addOnce(termOf('requestAndCorrelation', request), index);
      return;
    }
    this.postings.addOnce(termOf('requestOnly', request), index);
    this.postings.addOnce(termOf('correlationOnly', correlation), index);
  }

  private textId(text: string): number {
    return getOrInsert(this.textIds, text, () => idOfText(text));
  }

  private streamId(stream: string): number {
    return this.names.idOf('stream', stream, () => this.tallies.categoryStream(categoryOf(stream)));
  }

  private nameKey(event: AccessKeyEvent): void {
    if (event.type === 'AccessKeyIssued') this.tallies.keyName(event.data.keyId, event.data.name);
  }
}
