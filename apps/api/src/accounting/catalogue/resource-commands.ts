import { References } from '#api/accounting/references/references.js';
import { resourceTarget } from '#api/accounting/references/targets.js';
import { toCatalogue } from '#api/accounting/stream-commands.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { CatalogueQueries, type ResourceDocument } from '#projections/accounting/catalogue/queries.js';

/** Registers a resource with a free id. */
export class RegisterResource extends commandWith([], async ({ id: resourceId, name }: ResourceDocument, { context, gateway }) => {
  const { events, readable } = await gateway.execute(toCatalogue(context, { type: 'RegisterResource', resourceId, name }));
  const { data } = eventOf(events, 'ResourceRegistered');
  return { record: { id: data.resourceId, name: data.name }, readable };
}) {}

/** Deletes a resource that no installation refers to. */
export class DeleteResource extends commandWith(
  [References, CatalogueQueries],
  ({ resourceId }: Readonly<{ resourceId: string }>, { context }, references, queries) =>
    references.change(
      resourceTarget(resourceId),
      { type: 'DeleteResource', resourceId, used: false },
      async () => ({ used: await queries.isReferred('resource', resourceId) }),
      context,
    ),
) {}
