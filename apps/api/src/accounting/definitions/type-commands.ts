import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { DEFINITIONS_STREAM, type DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import { definitions, type TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type KnownType, KnownTypes } from './known-types.js';

export type TypeValues = Readonly<{ value: string; description: string }>;

/** Adds a type. Subclasses name its kind. */
export abstract class AddType extends Command<WrittenRecord<KnownType>> {
  constructor(
    readonly context: CommandContext,
    readonly creatorId: string,
    readonly values: TypeValues,
  ) {
    super();
  }
}

/** Changes a type that was added and is not in use. `typeId`: as the caller spells it. */
export abstract class ReviseType extends Command<WrittenRecord<KnownType>> {
  constructor(
    readonly context: CommandContext,
    readonly typeId: string,
    readonly changes: Partial<TypeValues>,
  ) {
    super();
  }
}

/** Deletes a type that was added and is not in use. `typeId`: as the caller spells it. */
export abstract class DeleteType extends Command<Outcome<DefinitionEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly typeId: string,
  ) {
    super();
  }
}

export class AddUnitType extends AddType {}
export class ReviseUnitType extends ReviseType {}
export class DeleteUnitType extends DeleteType {}
export class AddMetricType extends AddType {}
export class ReviseMetricType extends ReviseType {}
export class DeleteMetricType extends DeleteType {}

/** The commands of one kind of type. */
export type TypeCommands = Readonly<{
  add: new (...of: ConstructorParameters<typeof AddType>) => AddType;
  revise: new (...of: ConstructorParameters<typeof ReviseType>) => ReviseType;
  delete: new (...of: ConstructorParameters<typeof DeleteType>) => DeleteType;
}>;

export const typeCommands: Readonly<Record<TypeKind, TypeCommands>> = {
  unit: { add: AddUnitType, revise: ReviseUnitType, delete: DeleteUnitType },
  metric: { add: AddMetricType, revise: ReviseMetricType, delete: DeleteMetricType },
};

const [stream, decider] = [DEFINITIONS_STREAM, definitions];

/** @throws DomainError `TYPE_NOT_FOUND` */
const current = async (types: KnownTypes, kind: TypeKind, typeId: string): Promise<KnownType> => {
  const found = await types.find(kind, typeId);
  if (!found) throw new DomainError('TYPE_NOT_FOUND', { kind, typeId });
  return found;
};

/** The handlers of the commands of one kind: types share a stream with the metric definitions, which knows what is in use. */
const handlersOf = (kind: TypeKind): readonly Type[] => {
  const commands = typeCommands[kind];

  @CommandHandler(commands.add)
  class AddHandler implements ICommandHandler<AddType> {
    constructor(
      private readonly gateway: CommandGateway,
      private readonly ids: ObjectIds,
    ) {}

    async execute({ context, creatorId, values }: AddType): Promise<WrittenRecord<KnownType>> {
      const command = { type: 'CreateType', kind, typeId: this.ids.next(), creatorId, ...values } as const;
      const { events, readable } = await this.gateway.execute({ stream, decider, context, command });
      const [event] = events;
      if (event?.type !== 'UnitTypeCreated' && event?.type !== 'MetricTypeCreated') throw new Error('a creation made no event');
      return { record: event.data, readable };
    }
  }

  @CommandHandler(commands.revise)
  class ReviseHandler implements ICommandHandler<ReviseType> {
    constructor(
      private readonly gateway: CommandGateway,
      private readonly types: KnownTypes,
    ) {}

    async execute({ context, typeId, changes }: ReviseType): Promise<WrittenRecord<KnownType>> {
      const before = await current(this.types, kind, typeId);
      const command = { type: 'ReviseType', kind, typeId: before.typeId, changes } as const;
      const { events, readable } = await this.gateway.execute({ stream, decider, context, command });
      const [event] = events;
      const revised = event?.type === 'UnitTypeRevised' || event?.type === 'MetricTypeRevised';
      return { record: revised ? { ...before, ...event.data } : before, readable };
    }
  }

  @CommandHandler(commands.delete)
  class DeleteHandler implements ICommandHandler<DeleteType> {
    constructor(
      private readonly gateway: CommandGateway,
      private readonly types: KnownTypes,
    ) {}

    async execute({ context, typeId: spelledId }: DeleteType): Promise<Outcome<DefinitionEvent>> {
      const { typeId } = await current(this.types, kind, spelledId);
      return this.gateway.execute({ stream, decider, context, command: { type: 'DeleteType', kind, typeId } });
    }
  }

  return [AddHandler, ReviseHandler, DeleteHandler];
};

export const typeHandlers: readonly Type[] = [...handlersOf('unit'), ...handlersOf('metric')];
