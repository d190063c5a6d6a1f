import type { Provider } from '@nestjs/common';
import { References } from '#api/accounting/references/references.js';
import { resourceTarget } from '#api/accounting/references/targets.js';
import { toCatalogue } from '#api/accounting/stream-commands.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import type { CatalogueEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { CatalogueQueries, type ResourceDocument } from '#projections/accounting/catalogue/queries.js';

/** Registers a resource with a free id. */
export class RegisterResource extends CommandWith<ResourceDocument, WrittenRecord<ResourceDocument>> {}

/** Deletes a resource that no installation refers to. */
export class DeleteResource extends CommandWith<Readonly<{ resourceId: string }>, Outcome<CatalogueEvent>> {}

export const resourceHandlers: readonly Provider[] = [
  handles(RegisterResource, [CommandGateway], async ({ context, data: { id: resourceId, name } }, gateway) => {
    const { events, readable } = await gateway.execute(toCatalogue(context, { type: 'RegisterResource', resourceId, name }));
    const { data } = eventOf(events, 'ResourceRegistered');
    return { record: { id: data.resourceId, name: data.name }, readable };
  }),

  handles(DeleteResource, [References, CatalogueQueries], ({ context, data: { resourceId } }, references, queries) =>
    references.change(
      resourceTarget(resourceId),
      { type: 'DeleteResource', resourceId, used: false },
      async () => ({ used: await queries.isReferred('resource', resourceId) }),
      context,
    ),
  ),
];
