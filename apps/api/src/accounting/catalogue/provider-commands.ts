import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { References } from '#api/accounting/references/references.js';
import { providerTarget } from '#api/accounting/references/targets.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { CatalogueEvent, Provider } from '#domain/accounting/catalogue/catalogue-events.js';
import type { CatalogueCommand } from '#domain/accounting/catalogue/catalogue-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { toCatalogue } from './stream-commands.js';

/** A provider to register; `id`: `null` for a generated one. */
export type NewProvider = Readonly<{ id: string | null; externalId: string; creatorId: string }> & Provider;

/** Registers a provider: its id, its name and its external id must be free. */
export class RegisterProvider extends Command<WrittenRecord<ProviderDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly provider: NewProvider,
  ) {
    super();
  }
}

/** Changes a provider that was registered here and that no project has; its id, too. */
export class ReviseProvider extends Command<WrittenRecord<ProviderDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly providerId: string,
    readonly changes: Partial<Provider> & Readonly<{ newId?: string }>,
  ) {
    super();
  }
}

/** Deletes a provider that was registered here and that no project has. */
export class DeleteProvider extends Command<Outcome<CatalogueEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly providerId: string,
  ) {
    super();
  }
}

/** Takes up entries of the external catalogue. A provider that was registered here wins over an entry of its id. */
export class ImportProviders extends Command<Outcome<CatalogueEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly providers: readonly (Readonly<{ providerId: string }> & Provider)[],
  ) {
    super();
  }
}

@CommandHandler(RegisterProvider)
export class RegisterProviderHandler implements ICommandHandler<RegisterProvider> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, provider: { id, ...values } }: RegisterProvider): Promise<WrittenRecord<ProviderDocument>> {
    const provider = { ...values, providerId: id ?? this.ids.next() };
    const command: CatalogueCommand = { type: 'RegisterProvider', provider };
    const { events, readable } = await this.gateway.execute(toCatalogue(context, command));
    const [event] = events;
    if (event?.type !== 'ProviderRegistered') throw new Error('a registration made no event');
    const { providerId, externalId: external_id, creatorId: creator_id, ...shown } = event.data;
    return { record: { id: providerId, external_id, creator_id, ...shown }, readable };
  }
}

/** @throws DomainError `PROVIDER_NOT_FOUND` */
const current = async (queries: CatalogueQueries, providerId: string): Promise<ProviderDocument> => {
  const provider = await queries.providerById(providerId);
  if (!provider) throw new DomainError('PROVIDER_NOT_FOUND', { providerId });
  return provider;
};

const associated = async (queries: CatalogueQueries, providerId: string): Promise<Readonly<{ associated: boolean }>> => ({
  associated: await queries.isReferred('provider', providerId),
});

@CommandHandler(ReviseProvider)
export class ReviseProviderHandler implements ICommandHandler<ReviseProvider> {
  constructor(
    private readonly references: References,
    private readonly queries: CatalogueQueries,
  ) {}

  async execute({ context, providerId, changes }: ReviseProvider): Promise<WrittenRecord<ProviderDocument>> {
    const before = await current(this.queries, providerId);
    const { events, readable } = await this.references.change(
      providerTarget(providerId),
      { type: 'ReviseProvider', providerId, changes, associated: false },
      () => associated(this.queries, providerId),
      context,
    );
    const [event] = events;
    if (event?.type !== 'ProviderRevised') return { record: before, readable };
    const { providerId: oldId, newId: id = oldId, ...values } = event.data;
    return { record: { ...before, ...values, id }, readable };
  }
}

@CommandHandler(DeleteProvider)
export class DeleteProviderHandler implements ICommandHandler<DeleteProvider> {
  constructor(
    private readonly references: References,
    private readonly queries: CatalogueQueries,
  ) {}

  async execute({ context, providerId }: DeleteProvider): Promise<Outcome<CatalogueEvent>> {
    await current(this.queries, providerId);
    const deletion = { type: 'DeleteProvider', providerId, associated: false } as const;
    return this.references.change(providerTarget(providerId), deletion, () => associated(this.queries, providerId), context);
  }
}

@CommandHandler(ImportProviders)
export class ImportProvidersHandler implements ICommandHandler<ImportProviders> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, providers }: ImportProviders): Promise<Outcome<CatalogueEvent>> {
    return this.gateway.execute(toCatalogue(context, { type: 'ImportProviders', providers }));
  }
}

export const providerHandlers = [RegisterProviderHandler, ReviseProviderHandler, DeleteProviderHandler, ImportProvidersHandler];
