import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { type AppendOutcome, EventLog, type Expectation } from '#test/support/eventstoredb/log.js';
import type { ProposedEvent } from '#test/support/eventstoredb/stored-event.js';

type Change = Readonly<{ at: number; stream: string; expected: string; events: readonly StoredForm[] }>;
type StoredForm = Readonly<Pick<ProposedEvent, 'id' | 'type' | 'contentType'> & { metadata: string; data: string }>;

const storedForm = ({ id, type, contentType, metadata, data }: ProposedEvent): StoredForm => ({
  id,
  type,
  contentType,
  metadata: Buffer.from(metadata).toString('base64'),
  data: Buffer.from(data).toString('base64'),
});

const proposed = ({ id, type, contentType, metadata, data }: StoredForm): ProposedEvent => ({
  id,
  type,
  contentType,
  metadata: Buffer.from(metadata, 'base64'),
  data: Buffer.from(data, 'base64'),
});

const expectationOf = (text: string): Expectation => (/^-?\d+$/.test(text) ? BigInt(text) : (text as Expectation));

/** The data of the test server, kept in a file, so that they outlive its process: each change is written before it is answered. */
export class JournaledLog extends EventLog {
  private file: number | undefined;

  private constructor(private readonly clock: { now(): number }) {
    super(() => clock.now());
  }

  /** Opens the file with all changes in it; what the last write left unfinished was never answered and does not count. */
  static open(path: string): JournaledLog {
    const clock = { now: Date.now };
    const log = new JournaledLog(clock);
    const whole = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of whole) {
      const { at, stream, expected, events } = JSON.parse(line) as Change;
      clock.now = () => at;
      log.append(stream, events.map(proposed), expectationOf(expected));
    }
    clock.now = Date.now;
    log.forgetIds();
    log.file = openSync(path, 'a');
    return log;
  }

  /** Writes at one moment, that of the file, however many events there are. */
  override append(stream: string, events: readonly ProposedEvent[], expected: Expectation): AppendOutcome {
    if (this.file === undefined) return super.append(stream, events, expected);
    const at = Date.now();
    this.clock.now = () => at;
    const outcome = super.append(stream, events, expected);
    this.clock.now = Date.now;
    const change: Change = { at, stream, expected: `${expected}`, events: events.map(storedForm) };
    if (outcome.kind === 'written') writeSync(this.file, `${JSON.stringify(change)}\n`);
    return outcome;
  }
}
