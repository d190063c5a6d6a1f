import type { Logger } from '#infra/platform/logging/logger.js';
import type { TraceContext } from './trace-context.js';

/** An answered request. Times are milliseconds since 1970-01-01 UTC. */
export type ServerSpan = Readonly<{
  context: TraceContext;
  /** Span id of the caller. */
  parentId?: string;
  name: string;
  start: number;
  end: number;
  attributes: Readonly<Record<string, string | number>>;
  failed: boolean;
}>;

type ExporterOptions = Readonly<{
  /** Whole URL of the collector. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Attributes of this process, such as `service.name`. */
  resource: Readonly<Record<string, string>>;
  log: Pick<Logger, 'warn'>;
}>;

/** Maximum number of waiting spans. More are dropped, because a silent collector must not delay anything. */
const MOST_WAITING = 4_096;
const AT_ONCE = 512;
const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;
const QUIET_MS = 60_000;
/** Values of OTLP's enums. */
const [KIND_SERVER, STATUS_ERROR] = [2, 2];

const attributesOf = (attributes: Readonly<Record<string, string | number>>): readonly object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: `${value}` } : { stringValue: value },
  }));

const nanoseconds = (milliseconds: number): string => `${BigInt(Math.round(milliseconds * 1_000)) * 1_000n}`;

const spanOf = ({ context, parentId, name, start, end, attributes, failed }: ServerSpan): object => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: KIND_SERVER,
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(end),
  attributes: attributesOf(attributes),
  ...(failed && { status: { code: STATUS_ERROR } }),
});

/**
 * Sends spans to an OpenTelemetry collector: OTLP over HTTP, as JSON, in batches and in the background. Spans that cannot be sent are
 * dropped, which is logged once a minute: traces never delay or end anything.
 */
export class SpanExporter {
  private waiting: ServerSpan[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  private dropped = 0;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ExporterOptions) {}

  add(span: ServerSpan): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(span);
    if (this.waiting.length === AT_ONCE) this.flush();
    this.timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref();
  }

  /** Sends waiting spans. Without an answer, they and later spans are dropped after ten seconds. */
  async close(): Promise<void> {
    this.flush();
    await this.sending;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.sending.then(() => this.sendAll());
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const spans = this.waiting.splice(0, AT_ONCE);
      try {
        await this.send(spans);
      } catch (error) {
        this.dropped += spans.length;
        this.warn(error);
        return;
      }
    }
  }

  private async send(spans: readonly ServerSpan[]): Promise<void> {
    const { url, headers, resource } = this.options;
    const scopeSpans = [{ scope: { name: 'logbook' }, spans: spans.map(spanOf) }];
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  }

  private warn(error: unknown): void {
    if (performance.now() - this.warnedAt < QUIET_MS) return;
    this.warnedAt = performance.now();
    this.options.log.warn({ err: error, dropped: this.dropped }, 'spans cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT');
  }
}
