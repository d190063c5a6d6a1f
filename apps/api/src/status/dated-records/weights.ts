import { list, number, struct, text } from '#api/shared/bodies/body-shape.js';
import { WEIGHTS } from '#api/status/openapi/profiles.js';
import { type Weights, weights } from '#domain/status/dated-records/weights.js';
import { CreateDatedRecord, DateSnapshot, DeleteDatedRecord } from './commands.js';
import type { DatedKind } from './dated-controller.js';

export class CreateWeights extends CreateDatedRecord<Weights> {}
export class DateWeightsSnapshot extends DateSnapshot<Weights> {}
export class DeleteWeights extends DeleteDatedRecord<Weights> {}

/** Body members in the order of the wire. */
export const weightsKind: DatedKind<Weights> = {
  resource: weights,
  path: 'api/v2/weights',
  named: { one: 'WeightsProfile', all: 'WeightsProfiles', words: 'weights profiles' },
  docs: WEIGHTS,
  commands: { create: CreateWeights, date: DateWeightsSnapshot, delete: DeleteWeights },
  shape: struct({
    id: text,
    date: text,
    name: text,
    weight_type: text,
    group_type: text,
    groups: list(struct({ name: text, value: number })),
  }),
  texts: {
    created: 'Weights resource succesfully created', // sic
    updated: 'Weights resource successfully updated',
    deleted: 'Weights resource successfully deleted',
    nameTaken: 'Weights resource with the same name already exists',
  },
  updateRefers: true,
  existenceFirst: true,
};
