import { readFile } from 'node:fs/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import type { CommandBus } from '@nestjs/cqrs';
import type { Provider } from '#domain/accounting/catalogue/catalogue-events.js';
import { ACCOUNTING_LIMITS, sizeOf } from '#domain/accounting/limits.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import type { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { ImportProviders } from './provider-commands.js';

/** A provider in the external catalogue. */
type ProviderEntry = Readonly<{ providerId: string }> & Provider;

/** One answer of the catalogue. `unreadable`: number of skipped entries; `total`: number of entries in the catalogue, if given. */
type ProviderList = Readonly<{ entries: readonly ProviderEntry[]; unreadable: number; total?: number }>;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value.toWellFormed() : null);

/** `undefined` without an id or a name, or if the entry is larger than a record may be. Other members are ignored. */
const entryOf = (value: unknown): ProviderEntry | undefined => {
  if (!isObject(value)) return undefined;
  const [providerId, name] = [textOrNull(value.id), textOrNull(value.name)];
  if (providerId === null || name === null) return undefined;
  const [website, abbreviation, logo] = [textOrNull(value.website), textOrNull(value.abbreviation), textOrNull(value.logo)];
  const entry = { providerId, name, website, abbreviation, logo };
  return sizeOf(entry) > ACCOUNTING_LIMITS.recordSize.value ? undefined : entry;
};

/** The providers of an answer, in `results` (accounting contract 8.1) or a plain array. @throws if it is neither */
const providerList = (answer: unknown): ProviderList => {
  const results = isObject(answer) ? answer.results : answer;
  const total = isObject(answer) && typeof answer.total === 'number' ? { total: answer.total } : {};
  if (!Array.isArray(results)) {
    // If no entries are requested, the catalogue answers only their number.
    if ('total' in total) return { entries: [], unreadable: 0, ...total };
    throw new Error('neither an array of providers nor an object with results');
  }
  const entries = results.flatMap((value) => entryOf(value) ?? []);
  return { entries, unreadable: results.length - entries.length, ...total };
};

const TIME_LIMIT_MS = 30_000;
/** Maximum wait of the server's start for the first list. */
const START_LIMIT_MS = 5_000;
/** Maximum interval after a read that failed. */
const FAILED_INTERVAL_MS = 60_000;
/** Longest delay of Node's timers: about 24 days. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** Entries of one command: its events fit into one append. */
const AT_A_TIME = 100;

type ExternalProviderCatalogueOptions = Readonly<{
  /** URL or path of a JSON file; `undefined` disables the import. */
  source: string | undefined;
  intervalSeconds: number;
  bus: CommandBus;
  queries: CatalogueQueries;
  clock: Clock;
  logger: Logger;
}>;

/** Outcome of the last import; times are UTC. */
type ExternalCatalogueHealth = Readonly<{ status: 'up' | 'down'; readAt: string | null; entries: number; detail?: string }>;

/**
 * Imports the providers of the external catalogue at start and at intervals (accounting contract 8.1). Entries that disappear from it are
 * kept, and an unreadable list changes nothing. A provider that was registered here takes precedence over an entry with its id.
 */
export class ExternalProviderCatalogue implements OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private lastReading: ExternalCatalogueHealth = { status: 'down', readAt: null, entries: 0, detail: 'not read yet' };

  constructor(private readonly options: ExternalProviderCatalogueOptions) {}

  /** `undefined` if no catalogue is configured. */
  get health(): ExternalCatalogueHealth | undefined {
    return this.options.source === undefined ? undefined : this.lastReading;
  }

  /** Resolves once the first list is imported, is unreadable, or takes too long. */
  async start(): Promise<void> {
    if (this.options.source === undefined) return;
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, START_LIMIT_MS);
    });
    await Promise.race([this.follow(), late]);
    clearTimeout(limit);
  }

  onModuleDestroy(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** Imports the list now, and again some time after the end of this import, soon if it failed. */
  private async follow(): Promise<void> {
    await this.refresh();
    if (this.closed) return;
    const longest = this.lastReading.status === 'up' ? LONGEST_TIMER_MS : FAILED_INTERVAL_MS;
    const interval = Math.min(this.options.intervalSeconds * 1_000, longest);
    this.timer = setTimeout(() => void this.follow(), interval).unref();
  }

  private async refresh(): Promise<void> {
    const { source = '', clock, logger } = this.options;
    try {
      const answer = await readCatalogue(source);
      const { unreadable } = answer;
      const entries = [...new Map(answer.entries.map((entry) => [entry.providerId, entry])).values()]; // the last entry of an id counts
      for (let first = 0; first < entries.length; first += AT_A_TIME) await this.import(entries.slice(first, first + AT_A_TIME));
      this.lastReading = { status: 'up', readAt: new Date(clock()).toISOString(), entries: entries.length };
      if (unreadable > 0) logger.warn({ unreadable }, 'entries of the catalogue of providers have no id or no name, or are too large');
    } catch (error) {
      const detail = error instanceof Error ? error.name : 'unknown';
      this.lastReading = { ...this.lastReading, status: 'down', detail };
      logger.error({ err: error }, 'the catalogue of providers cannot be read; what was imported before stays');
    }
  }

  private async import(providers: readonly ProviderEntry[]): Promise<void> {
    const { bus, clock } = this.options;
    const context = systemContext('provider-catalogue', 'accounting', clock(), null);
    await bus.execute(new ImportProviders(context, { providers }));
    await this.logClashes(providers);
  }

  /** The import needs only the log: where the read model cannot answer yet, it is whole without this. */
  private async logClashes(providers: readonly ProviderEntry[]): Promise<void> {
    const { queries, logger } = this.options;
    const known = await queries.providers(providers.map(({ providerId }) => providerId)).catch((error: unknown) => {
      logger.warn({ err: error }, 'the providers of the catalogue were not compared with those that are registered here');
    });
    if (!known) return;
    const clashes = [...known.values()].filter(({ external_id }) => external_id !== null).map(({ id }) => id);
    if (clashes.length > 0)
      logger.warn({ providers: clashes }, 'the catalogue has providers that are registered here: these stay as they are');
  }
}

const readCatalogue = async (source: string): Promise<ProviderList> => {
  if (!/^https?:\/\//i.test(source)) return providerList(JSON.parse(await readFile(source, 'utf8')));
  const first = providerList(await fetchJson(source));
  const { total = 0 } = first;
  if (total <= first.entries.length + first.unreadable) return first;
  const all = new URL(source);
  all.searchParams.set('quantity', `${total}`);
  return providerList(await fetchJson(all.href));
};

const fetchJson = async (url: string): Promise<unknown> => {
  const answer = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  if (!answer.ok) throw new Error(`the catalogue answers ${answer.status}`);
  return answer.json();
};
