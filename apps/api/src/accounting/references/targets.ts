import { toCatalogue, toProject } from '#api/accounting/stream-commands.js';
import type { CommandGateway, Outcome } from '#api/shared/commands/command-gateway.js';
import type { CatalogueCommand, ReferredChange } from '#domain/accounting/catalogue/catalogue-commands.js';
import type { CatalogueEvent, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_STREAM, type DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import { type DefinitionChange, definitions } from '#domain/accounting/definitions/definition-rules.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import type { InstallationChange } from '#domain/accounting/projects/project-rules.js';
import type { ReferenceCommand, ReferenceStep } from '#domain/accounting/references/reference-rules.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';

/** A record that others refer to. */
export type Target = Readonly<{
  id: string;
  /** Resolves without waiting for the read models. */
  step(gateway: CommandGateway, context: CommandContext, step: ReferenceStep): Promise<unknown>;
}>;

/** The same, with the commands that change or remove it. */
export type ChangeableTarget<Change, Event extends DomainEvent> = Target &
  Readonly<{
    /** Resolves with whether it was closed; `false` if `next` would change nothing. */
    close(gateway: CommandGateway, context: CommandContext, closing: string, next: Change): Promise<boolean>;
    change(gateway: CommandGateway, context: CommandContext, command: Change): Promise<Outcome<Event>>;
  }>;

type ToStream<Command, Event extends DomainEvent> = (
  gateway: CommandGateway,
  context: CommandContext,
  command: Command,
  awaited: boolean,
) => Promise<Outcome<Event>>;

const targetOf = <Kind extends string, Change, Event extends DomainEvent>(
  kind: Kind,
  id: string,
  execute: ToStream<Change | ReferenceCommand<Kind, Change>, Event>,
): ChangeableTarget<Change, Event> => ({
  id,
  step: (gateway, context, step) => execute(gateway, context, { ...step, kind, id }, false),
  close: async (gateway, context, closing, next) => {
    const { events } = await execute(gateway, context, { type: 'CloseReferences', kind, id, closing, next }, false);
    return events.length > 0;
  },
  change: (gateway, context, command) => execute(gateway, context, command, true),
});

/** @param id in the caller's spelling */
export const definitionTarget = (id: string): ChangeableTarget<DefinitionChange, DefinitionEvent> =>
  targetOf('definition', storedObjectId(id) ?? id, (gateway, context, command, awaited) =>
    gateway.execute({ stream: DEFINITIONS_STREAM, decider: definitions, context, command }, awaited),
  );

const inCatalogue: ToStream<CatalogueCommand, CatalogueEvent> = (gateway, context, command, awaited) =>
  gateway.execute(toCatalogue(context, command), awaited);

export const providerTarget = (id: string): ChangeableTarget<ReferredChange, CatalogueEvent> => targetOf('provider', id, inCatalogue);
export const resourceTarget = (id: string): ChangeableTarget<ReferredChange, CatalogueEvent> => targetOf('resource', id, inCatalogue);

export const installationTarget = ({
  project: projectId,
  generation,
  id,
}: Pick<InstallationDocument, 'project' | 'generation' | 'id'>): ChangeableTarget<InstallationChange, ProjectEvent> =>
  targetOf<'installation', InstallationChange, ProjectEvent>('installation', id, (gateway, context, command, awaited) =>
    gateway.execute(toProject(context, { ...command, projectId, generation }), awaited),
  );
