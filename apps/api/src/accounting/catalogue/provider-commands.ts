import { known } from '#api/accounting/existing.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { References } from '#api/accounting/references/references.js';
import { providerTarget } from '#api/accounting/references/targets.js';
import { toCatalogue } from '#api/accounting/stream-commands.js';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import type { Provider } from '#domain/accounting/catalogue/catalogue-events.js';
import { CatalogueQueries, type ProviderDocument } from '#projections/accounting/catalogue/queries.js';

/** A provider to register; `id`: `null` for a generated one. */
type NewProvider = Readonly<{ id: string | null; externalId: string; creatorId: string }> & Provider;

/** @throws DomainError `PROVIDER_NOT_FOUND` */
const current = (queries: CatalogueQueries, providerId: string): Promise<ProviderDocument> =>
  known(queries.providerById(providerId), 'PROVIDER_NOT_FOUND', { providerId });

const associated = async (queries: CatalogueQueries, providerId: string): Promise<Readonly<{ associated: boolean }>> => ({
  associated: await queries.isReferred('provider', providerId),
});

/** Imports entries of the external catalogue. A provider that was registered here takes precedence over an entry with its id. */
export class ImportProviders extends commandTo(toCatalogue, 'ImportProviders') {}

/** Registers a provider. Its id, name and external id must be free. */
export class RegisterProvider extends commandWith([ObjectIds], async ({ id, ...values }: NewProvider, { context, gateway }, ids) => {
  const command = { type: 'RegisterProvider', provider: { ...values, providerId: id ?? ids.next() } } as const;
  const { events, readable } = await gateway.execute(toCatalogue(context, command));
  const { providerId, externalId: external_id, creatorId: creator_id, ...shown } = eventOf(events, 'ProviderRegistered').data;
  return { record: { id: providerId, external_id, creator_id, ...shown }, readable };
}) {}

/** Changes a provider that was registered here and belongs to no project; also its id. */
export class ReviseProvider extends commandWith(
  [References, CatalogueQueries],
  async (
    { providerId, changes }: Readonly<{ providerId: string; changes: Partial<Provider> & Readonly<{ newId?: string }> }>,
    { context },
    references,
    queries,
  ) => {
    const before = await current(queries, providerId);
    const { events, readable } = await references.change(
      providerTarget(providerId),
      { type: 'ReviseProvider', providerId, changes, associated: false },
      () => associated(queries, providerId),
      context,
    );
    const [event] = events;
    const { newId: _, ...members } = changes;
    // Without an event the provider has these values, although reads may not have shown them.
    if (event?.type !== 'ProviderRevised') return { record: { ...before, ...members }, readable };
    const { providerId: oldId, newId: id = oldId, ...values } = event.data;
    return { record: { ...before, ...values, id }, readable };
  },
) {}

/** Deletes a provider that was registered here and belongs to no project. */
export class DeleteProvider extends commandWith(
  [References, CatalogueQueries],
  async ({ providerId }: Readonly<{ providerId: string }>, { context }, references, queries) => {
    await current(queries, providerId);
    const deletion = { type: 'DeleteProvider', providerId, associated: false } as const;
    return references.change(providerTarget(providerId), deletion, () => associated(queries, providerId), context);
  },
) {}
