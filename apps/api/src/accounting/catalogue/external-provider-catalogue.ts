import { readFile } from 'node:fs/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import type { CommandBus } from '@nestjs/cqrs';
import type { Clock } from '#domain/shared/clock.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import type { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { type ProviderEntry, type ProviderList, providerList } from './external-provider-entries.js';
import { ImportProviders } from './provider-commands.js';

const TIME_LIMIT_MS = 30_000;
/** The start of the server waits that long for the first list. */
const START_LIMIT_MS = 5_000;
/** Longest delay of Node's timers: some 24 days. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** Entries of one command: its events fit into one append. */
const AT_A_TIME = 100;

export type ExternalProviderCatalogueOptions = Readonly<{
  /** URL or path of a JSON file; `undefined`: nothing is ever read. */
  source: string | undefined;
  intervalSeconds: number;
  bus: CommandBus;
  queries: CatalogueQueries;
  clock: Clock;
  logger: Logger;
}>;

/** Outcome of the last reading; times are UTC. */
export type ExternalCatalogueHealth = Readonly<{ status: 'up' | 'down'; readAt: string | null; entries: number; detail?: string }>;

/**
 * Imports the providers of the external catalogue at start and at intervals (accounting contract 8.1). Entries that vanish from it are kept,
 * and a list that cannot be read changes nothing. A provider that was registered here wins over an entry of its id.
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

  /** Resolves once the first list is imported, cannot be read, or takes too long. */
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

  /** Reads the list now, and again some time after that is done. */
  private async follow(): Promise<void> {
    await this.refresh();
    if (this.closed) return;
    const interval = Math.min(this.options.intervalSeconds * 1_000, LONGEST_TIMER_MS);
    this.timer = setTimeout(() => void this.follow(), interval).unref();
  }

  private async refresh(): Promise<void> {
    const { source = '', clock, logger } = this.options;
    try {
      const answer = await readCatalogue(source);
      const { unreadable } = answer;
      const entries = [...new Map(answer.entries.map((entry) => [entry.providerId, entry])).values()]; // the last of an id counts
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
    const context = systemContext('provider-catalogue', 'accounting', clock());
    await this.logClashes(providers);
    await bus.execute(new ImportProviders(context, { providers }));
  }

  private async logClashes(providers: readonly ProviderEntry[]): Promise<void> {
    const { queries, logger } = this.options;
    const known = await queries.providers(providers.map(({ providerId }) => providerId));
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
