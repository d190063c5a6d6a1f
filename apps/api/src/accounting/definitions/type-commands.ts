import { known } from '#api/accounting/existing.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { DEFINITIONS_STREAM } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
import { type KnownType, KnownTypes } from './known-types.js';

type TypeValues = Readonly<{ value: string; description: string }>;

const toTypes = toStreams(definitions, () => DEFINITIONS_STREAM);

/** @throws DomainError `TYPE_NOT_FOUND` */
const current = (types: KnownTypes, kind: TypeKind, typeId: string): Promise<KnownType> =>
  known(types.find(kind, typeId), 'TYPE_NOT_FOUND', { kind, typeId });

/** The commands of one kind of type. Types share a stream with the metric definitions, so the rules know which are in use. */
const commandsOf = (kind: TypeKind) => ({
  add: commandWith([ObjectIds], async (data: Readonly<{ creatorId: string }> & TypeValues, { context, gateway }, ids) => {
    const { events, readable } = await gateway.execute(toTypes(context, { type: 'CreateType', kind, typeId: ids.next(), ...data }));
    return { record: eventOf(events, 'UnitTypeCreated', 'MetricTypeCreated').data, readable };
  }),

  /** Changes an added type that is not in use. `typeId`: in the caller's spelling. */
  revise: commandWith(
    [KnownTypes],
    async ({ typeId, changes }: Readonly<{ typeId: string; changes: Partial<TypeValues> }>, { context, gateway }, types) => {
      const before = await current(types, kind, typeId);
      const command = { type: 'ReviseType', kind, typeId: before.typeId, changes } as const;
      const { events, readable } = await gateway.execute(toTypes(context, command));
      const [event] = events;
      const revised = event?.type === 'UnitTypeRevised' || event?.type === 'MetricTypeRevised';
      // Without an event the type has these values, although reads may not have shown them.
      return { record: { ...before, ...(revised ? event.data : changes) }, readable };
    },
  ),

  /** Deletes an added type that is not in use. `typeId`: in the caller's spelling. */
  delete: commandWith([KnownTypes], async (data: Readonly<{ typeId: string }>, { context, gateway }, types) => {
    const { typeId } = await current(types, kind, data.typeId);
    return gateway.execute(toTypes(context, { type: 'DeleteType', kind, typeId }));
  }),
});

export const typeCommands = { unit: commandsOf('unit'), metric: commandsOf('metric') };
