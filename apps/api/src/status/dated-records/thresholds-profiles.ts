import { list, struct, text, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { THRESHOLDS } from '#api/status/openapi/profiles.js';
import { type ThresholdsProfile, thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { CreateDatedRecord, DateSnapshot, DeleteDatedRecord } from './commands.js';
import type { DatedKind } from './dated-controller.js';

export class CreateThresholdsProfile extends CreateDatedRecord<ThresholdsProfile> {}
export class DateThresholdsProfileSnapshot extends DateSnapshot<ThresholdsProfile> {}
export class DeleteThresholdsProfile extends DeleteDatedRecord<ThresholdsProfile> {}

/** Body members in the order of the wire. */
export const thresholdsProfilesKind: DatedKind<ThresholdsProfile> = {
  resource: thresholdsProfiles,
  path: 'api/v2/thresholds_profiles',
  named: { one: 'ThresholdsProfile', all: 'ThresholdsProfiles', words: 'thresholds profiles' },
  docs: THRESHOLDS,
  commands: { create: CreateThresholdsProfile, date: DateThresholdsProfileSnapshot, delete: DeleteThresholdsProfile },
  shape: struct({
    id: text,
    date: text,
    name: text,
    rules: list(withoutEmpty(struct({ endpoint_group: text, host: text, metric: text, thresholds: text }), 'endpoint_group', 'host')),
  }),
  texts: {
    created: 'Thresholds Profile successfully created',
    updated: 'Thresholds Profile successfully updated',
    added: 'Thresholds Profile successfully updated',
    deleted: 'Thresholds Profile Successfully Deleted',
    nameTaken: 'Threshold Profile with the same name already exists', // sic
    nameTakenOnUpdate: 'Thresholds profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
};
