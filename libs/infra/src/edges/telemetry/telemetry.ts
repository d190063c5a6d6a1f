import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Upper bounds of the buckets for store calls, in seconds. */
const STORE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics that a process counts, for `/metrics`. Counting costs well below a microsecond. No metric here has labels whose values clients
 * can choose. Values that can be read on request are not counted here.
 */
export class Telemetry {
  /** All metrics shown by `/metrics`. */
  readonly registry = new Registry();

  readonly messagesPublished = this.counter('logbook_messages_published_total', 'Messages that this process published to topics');
  readonly messagesPulled = this.counter(
    'logbook_messages_pulled_total',
    'Messages that this process delivered to pulls, those of push included',
  );
  readonly messagesReturned = this.counter(
    'logbook_messaging_redeliveries_total',
    'Messages that came back to this process: given back, or not acknowledged in time',
  );
  readonly deadLetters = this.counter('logbook_messaging_dead_letters_total', 'Messages that this process sent to dead letter topics');
  readonly quotaRefusals = this.counter('logbook_quota_refusals_total', 'Calls that this process refused because of a quota');
  readonly pushDeliveries = new Counter({
    name: 'logbook_push_deliveries_total',
    help: 'Batches of messages that this process sent to push endpoints, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly appendSeconds = this.histogram('logbook_event_store_append_seconds', 'Time of an append to the event log');
  readonly readSeconds = this.histogram('logbook_event_store_read_seconds', 'Time to read a page of a stream or of the event log');
  readonly commitSeconds = this.histogram(
    'logbook_read_store_commit_seconds',
    'Time to commit documents and a checkpoint to the read store',
  );
  readonly appendFailures = this.counter('logbook_event_store_append_failures_total', 'Appends that the event log did not acknowledge');

  readonly foreignEvents = this.counter(
    'logbook_foreign_events_total',
    'Events of other programs in the same EventStoreDB that this process passed over',
  );

  /** Absent until the first check. */
  readonly foreignMetadata = new Gauge({
    name: 'logbook_foreign_stream_metadata',
    help: 'Streams of Logbook in an EventStoreDB whose metadata somebody else has set',
    registers: [this.registry],
  });

  constructor() {
    this.foreignMetadata.remove();
    for (const outcome of ['delivered', 'failed']) this.pushDeliveries.inc({ outcome }, 0);
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  private histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: STORE_SECONDS, registers: [this.registry] });
  }
}
