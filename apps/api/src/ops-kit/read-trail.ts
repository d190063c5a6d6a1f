import { randomUUID } from 'node:crypto';
import { ACCESS_KEYS_STREAM, type AccessKeyCommand, accessKeys, type KeyCallRefused } from '#domain/operations/access-keys.js';
import { type AsOfRead, AUDIT_STREAM, auditTrail, type PersonalDataRead } from '#domain/operations/audit-events.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import type { Logger } from '#infra/platform/logging/logger.js';

/** Milliseconds during which reads of an actor and kind share an event. */
const GATHERED_MS = 600_000;
/** Maximum number of different reads that an event names in addition to the first, and of their characters. */
const MOST_NAMED = 200;
const MOST_CHARACTERS = 65_536;

/** A recorded read, or a refused call of the key administration, by the type of its event. */
export type RecordedRead =
  | Readonly<{ type: 'PersonalDataRead'; data: PersonalDataRead }>
  | Readonly<{ type: 'AsOfRead'; data: AsOfRead }>
  | Readonly<{ type: 'AccessKeysListed'; data: Readonly<Record<string, never>> }>
  | Readonly<{ type: 'AccessKeyCallRefused'; data: KeyCallRefused }>;

/** Reads to be recorded by the next event of an actor and kind. */
class Waiting {
  readonly also: object[] = [];
  more = 0;
  /** Key and body under which the event is appended, so that the log has it once. */
  readonly id = randomUUID();
  private readonly named = new Set<string>();
  private characters = 0;

  constructor(
    readonly first: RecordedRead,
    readonly context: CommandContext,
  ) {
    this.named.add(nameOf(first));
  }

  add(read: RecordedRead, time: string): void {
    const name = nameOf(read);
    const isNamed = !this.named.has(name) && this.named.size <= MOST_NAMED && this.characters + name.length <= MOST_CHARACTERS;
    if (!isNamed) {
      this.more += 1;
      return;
    }
    this.named.add(name);
    this.characters += name.length;
    this.also.push({ ...read.data, time });
  }

  /** All of them as one, in the form of their event. */
  get gathered(): RecordedRead {
    const { first, also, more } = this;
    return { type: first.type, data: { ...first.data, ...(also.length > 0 && { also }), ...(more > 0 && { more }) } } as RecordedRead;
  }
}

/** Equal for reads of the same data, in any request. */
const nameOf = ({ data }: RecordedRead): string =>
  JSON.stringify(data, (member, value: unknown) => (member === 'requestId' ? undefined : value));

/** Refused calls that differ are of different kinds, so that each is in the log at once. */
const kindOf = (read: RecordedRead): string => (read.type === 'AccessKeyCallRefused' ? `${read.type} ${nameOf(read)}` : read.type);

const keyCommandOf = (event: Extract<RecordedRead, { type: 'AccessKeysListed' | 'AccessKeyCallRefused' }>): AccessKeyCommand =>
  event.type === 'AccessKeysListed' ? { type: 'ListKeys', ...event.data } : { type: 'NoteRefusal', ...event.data };

/**
 * Ten minutes of one actor and kind. `begun`: append of the previous event; `sent`: reads whose event may be in the log; `waiting`: later
 * reads.
 */
type Span = { begun: Promise<Position>; sent?: Waiting | undefined; waiting?: Waiting; timer?: NodeJS.Timeout };

/**
 * Records reads of operators and auditors. The first read of an actor and kind is in the log before it is answered. Reads of the next ten
 * minutes are gathered into one event, which is appended at their end or when the server ends. A killed process loses its gathered reads;
 * they are in the access log.
 */
export class ReadTrail {
  private readonly spans = new Map<string, Span>();

  constructor(
    private readonly processor: Pick<StreamProcessor, 'execute'>,
    private readonly clock: Clock,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Resolves with the position of this read's event or, if gathered, of the previous one. @throws the errors of {@link StreamProcessor} */
  async record(read: RecordedRead, context: CommandContext): Promise<Position> {
    const key = `${context.actor.kind} ${context.actor.id} ${kindOf(read)}`;
    const open = this.spans.get(key);
    if (open) {
      const position = await open.begun;
      if (open.waiting) open.waiting.add(read, this.now());
      else open.waiting = new Waiting(read, context);
      return position;
    }
    const span: Span = { begun: this.append(read, context) };
    this.spans.set(key, span);
    try {
      const position = await span.begun;
      this.await(key, span);
      return position;
    } catch (error) {
      this.spans.delete(key);
      throw error;
    }
  }

  /** Resolves once everything gathered is in the log, or the log could not be written. */
  async close(): Promise<void> {
    const open = [...this.spans];
    this.spans.clear();
    for (const [, { timer }] of open) clearTimeout(timer);
    await Promise.all(open.map(([key, span]) => this.appendGathered(key, span)));
  }

  private await(key: string, span: Span): void {
    span.timer = setTimeout(() => void this.next(key, span), GATHERED_MS).unref();
  }

  /** Ends a span. Gathered reads begin the next one. */
  private async next(key: string, span: Span): Promise<void> {
    if (!span.sent && !span.waiting) {
      this.spans.delete(key);
      return;
    }
    await this.appendGathered(key, span);
    if (this.spans.get(key) === span) this.await(key, span);
  }

  /** An event that could not be appended, as far as is known, is repeated unchanged before later reads are. */
  private async appendGathered(key: string, span: Span): Promise<void> {
    if (span.sent && !(await this.appendWaiting(key, span.sent))) return;
    span.sent = span.waiting;
    delete span.waiting;
    if (span.sent && (await this.appendWaiting(key, span.sent))) span.sent = undefined;
  }

  private async appendWaiting(key: string, { id, gathered, context }: Waiting): Promise<boolean> {
    try {
      const requestId = randomUUID(); // the gathered reads belong to many requests; the first is the cause
      await this.append(gathered, { ...context, time: this.now(), requestId }, { key: id, body: id });
      return true;
    } catch (error) {
      this.logger.warn({ err: error, reads: key }, 'reads that are on record could not be written to the log');
      return false;
    }
  }

  /** The key of the caller, if any, is not that of the event. */
  private async append(
    event: RecordedRead,
    { idempotency: _given, ...caller }: CommandContext,
    idempotency?: CommandContext['idempotency'],
  ): Promise<Position> {
    const { processor } = this;
    const context = { ...caller, ...(idempotency && { idempotency }) };
    const { position } =
      event.type === 'AccessKeysListed' || event.type === 'AccessKeyCallRefused'
        ? await processor.execute({ stream: ACCESS_KEYS_STREAM, decider: accessKeys, context, command: keyCommandOf(event) })
        : await processor.execute({ stream: AUDIT_STREAM, decider: auditTrail, context, command: { type: 'RecordRead', event } });
    return position;
  }

  private now(): string {
    return new Date(this.clock()).toISOString();
  }
}
