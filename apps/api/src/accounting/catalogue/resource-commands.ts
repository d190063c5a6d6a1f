import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { References } from '#api/accounting/references/references.js';
import { resourceTarget } from '#api/accounting/references/targets.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { CatalogueEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ResourceDocument } from '#projections/accounting/catalogue/queries.js';
import { toCatalogue } from './stream-commands.js';

/** Registers a resource under an id that is free. */
export class RegisterResource extends Command<WrittenRecord<ResourceDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly resource: ResourceDocument,
  ) {
    super();
  }
}

/** Deletes a resource that no installation refers to. */
export class DeleteResource extends Command<Outcome<CatalogueEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly resourceId: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterResource)
export class RegisterResourceHandler implements ICommandHandler<RegisterResource> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, resource: { id: resourceId, name } }: RegisterResource): Promise<WrittenRecord<ResourceDocument>> {
    const { events, readable } = await this.gateway.execute(toCatalogue(context, { type: 'RegisterResource', resourceId, name }));
    const [event] = events;
    if (event?.type !== 'ResourceRegistered') throw new Error('a registration made no event');
    return { record: { id: event.data.resourceId, name: event.data.name }, readable };
  }
}

@CommandHandler(DeleteResource)
export class DeleteResourceHandler implements ICommandHandler<DeleteResource> {
  constructor(
    private readonly references: References,
    private readonly queries: CatalogueQueries,
  ) {}

  execute({ context, resourceId }: DeleteResource): Promise<Outcome<CatalogueEvent>> {
    return this.references.change(
      resourceTarget(resourceId),
      { type: 'DeleteResource', resourceId, used: false },
      async () => ({ used: await this.queries.isReferred('resource', resourceId) }),
      context,
    );
  }
}

export const resourceHandlers = [RegisterResourceHandler, DeleteResourceHandler];
