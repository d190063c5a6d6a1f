import { LONGEST_MS } from '#test/support/eventually.js';

/** One server-sent event; `comment`: a line that is none. */
export type ServerSentEvent = Readonly<{ id?: string; event?: string; data?: string; comment?: string }>;

const eventIn = (block: string): ServerSentEvent =>
  Object.fromEntries(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [at === 0 ? 'comment' : line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    }),
  );

/** A stream of server-sent events, read as they come. */
export class EventStreamReader {
  readonly events: ServerSentEvent[] = [];
  private readonly abort = new AbortController();
  private done: Promise<void> = Promise.resolve();
  private changed: () => void = () => undefined;

  private constructor(readonly response: Response) {}

  /** Resolves when the server has answered. */
  static async open(url: string, key: string): Promise<EventStreamReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers: { 'x-api-key': key, accept: 'text/event-stream' }, signal: abort.signal });
    const reader = new EventStreamReader(response);
    abort.signal.addEventListener('abort', () => undefined);
    reader.abort.signal.addEventListener('abort', () => abort.abort());
    if (response.status === 200) reader.done = reader.read();
    return reader;
  }

  /** Those of type `message`: their items. */
  get messages(): readonly Readonly<{ ackId: string; deliveryAttempt?: number; message: { messageId: string; data: string } }>[] {
    return this.events.flatMap(({ event, data = '' }) => (event === 'message' ? [JSON.parse(data)] : []));
  }

  /** Resolves when what has come is as wanted. @throws after as long as {@link eventually}, or when the stream ends before */
  async until(wanted: (reader: this) => boolean): Promise<void> {
    const timeout = AbortSignal.timeout(LONGEST_MS);
    while (!wanted(this)) {
      if (timeout.aborted) throw new Error(`still not as wanted: ${JSON.stringify(this.events.slice(-5))}`);
      await new Promise<void>((resolve) => {
        this.changed = resolve;
        setTimeout(resolve, 100);
      });
    }
  }

  /** Resolves when the server has ended the stream. */
  ended(): Promise<void> {
    return this.done;
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        this.events.push(...blocks.map(eventIn));
        this.changed();
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    }
  }
}
