import { readFile } from 'node:fs/promises';
import type { OnModuleDestroy } from '@nestjs/common';
import type { CommandBus } from '@nestjs/cqrs';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { CATALOGUE_STREAM } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import type { Clock } from '#domain/shared/clock.js';
import { systemContext } from '#infra/event-store/system-events.js';
import type { Logger } from '#infra/logging/logger.js';
import type { CatalogueReader } from './catalogue-reader.js';
import { type CatalogueAnswer, catalogueAnswer, type ProviderEntry } from './provider-entries.js';

const TIME_LIMIT_MS = 30_000;
/** How long the start of the server waits for the first list. */
const START_LIMIT_MS = 5_000;
/** Node's timers overflow beyond it: some 24 days. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** Entries of one command, so that its events fit into one append. */
const AT_A_TIME = 100;

export type ProviderCatalogueOptions = Readonly<{
  /** URL or path of a JSON file; without it nothing is ever read. */
  source: string | undefined;
  intervalSeconds: number;
  commands: CommandBus;
  reader: CatalogueReader;
  clock: Clock;
  logger: Logger;
}>;

/** How the last reading went; times are UTC. */
export type CatalogueHealth = Readonly<{ status: 'up' | 'down'; readAt: string | null; entries: number; detail?: string }>;

/**
 * Imports the providers of the external catalogue at start and at intervals (accounting contract 8.1). Entries that vanish from it are kept,
 * and a list that cannot be read leaves what there is. A provider that was registered here wins over an entry of its id.
 */
export class ProviderCatalogue implements OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private lastHealth: CatalogueHealth = { status: 'down', readAt: null, entries: 0, detail: 'not read yet' };

  constructor(private readonly options: ProviderCatalogueOptions) {}

  /** Nothing where no catalogue is configured. */
  get health(): CatalogueHealth | undefined {
    return this.options.source === undefined ? undefined : this.lastHealth;
  }

  /** Resolves when the first list is imported, or could not be, or takes too long. */
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
      this.lastHealth = { status: 'up', readAt: new Date(clock()).toISOString(), entries: entries.length };
      if (unreadable > 0) logger.warn({ unreadable }, 'entries of the catalogue of providers have no id or no name, or are too large');
    } catch (error) {
      const detail = error instanceof Error ? error.name : 'unknown';
      this.lastHealth = { ...this.lastHealth, status: 'down', detail };
      logger.error({ err: error }, 'the catalogue of providers cannot be read; what was imported before stays');
    }
  }

  private async import(providers: readonly ProviderEntry[]): Promise<void> {
    const { commands, clock } = this.options;
    const context = systemContext('provider-catalogue', 'accounting', clock());
    await this.logClashes(providers);
    await commands.execute(new StreamWrite(CATALOGUE_STREAM, catalogue, { type: 'ImportProviders', providers }, context));
  }

  private async logClashes(providers: readonly ProviderEntry[]): Promise<void> {
    const { reader, logger } = this.options;
    const known = await reader.providersById(providers.map(({ providerId }) => providerId));
    const clashes = [...known.values()].filter(({ external_id }) => external_id !== null).map(({ id }) => id);
    if (clashes.length > 0)
      logger.warn({ providers: clashes }, 'the catalogue has providers that are registered here: these stay as they are');
  }
}

const readCatalogue = async (source: string): Promise<CatalogueAnswer> => {
  if (!/^https?:\/\//i.test(source)) return catalogueAnswer(JSON.parse(await readFile(source, 'utf8')));
  const first = catalogueAnswer(await fetchJson(source));
  const { total = 0 } = first;
  if (total <= first.entries.length + first.unreadable) return first;
  const all = new URL(source);
  all.searchParams.set('quantity', `${total}`);
  return catalogueAnswer(await fetchJson(all.href));
};

const fetchJson = async (url: string): Promise<unknown> => {
  const answer = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  if (!answer.ok) throw new Error(`the catalogue answers ${answer.status}`);
  return answer.json();
};
