import { list, struct, text } from '#api/shared/bodies/body-shape.js';
import { OPERATIONS } from '#api/status/openapi/profiles.js';
import { type OperationsProfile, operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { CreateDatedRecord, DateSnapshot, DeleteDatedRecord } from './commands.js';
import type { DatedKind } from './dated-controller.js';

export class CreateOperationsProfile extends CreateDatedRecord<OperationsProfile> {}
export class DateOperationsProfileSnapshot extends DateSnapshot<OperationsProfile> {}
export class DeleteOperationsProfile extends DeleteDatedRecord<OperationsProfile> {}

/** Body members in the order of the wire. */
export const operationsProfilesKind: DatedKind<OperationsProfile> = {
  resource: operationsProfiles,
  path: 'api/v2/operations_profiles',
  named: { one: 'OperationsProfile', all: 'OperationsProfiles', words: 'operations profiles' },
  docs: OPERATIONS,
  commands: { create: CreateOperationsProfile, date: DateOperationsProfileSnapshot, delete: DeleteOperationsProfile },
  shape: struct({
    id: text,
    date: text,
    name: text,
    available_states: list(text),
    defaults: struct({ down: text, missing: text, unknown: text }),
    operations: list(struct({ name: text, truth_table: list(struct({ a: text, b: text, x: text })) })),
  }),
  texts: {
    created: 'Operations Profile successfully created',
    updated: 'Operations Profile successfully updated',
    deleted: 'Operations Profile Successfully Deleted',
    nameTaken: 'Operations profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
};
