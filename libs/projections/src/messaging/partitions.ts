import { RESOURCES_CATEGORY } from '#domain/messaging/resources/resources.js';
import { categoryOf } from '#domain/shared/events.js';
import { byMember, partitionOf, type StoredFact } from '#projections/shared/partitions.js';

export const PROJECT = 'project';
export const USER = 'user';
export const REGISTRATION = 'registration';

/** The project with its topics, subscriptions, schemas and messages, named by the stream or by the data. */
export const projectOfEvent = (event: StoredFact): readonly string[] => {
  const { stream } = event;
  const inStream =
    categoryOf(stream) === RESOURCES_CATEGORY ? partitionOf(PROJECT, stream.slice(RESOURCES_CATEGORY.length + 1)) : undefined;
  return inStream === undefined ? byMember(event, { projectId: PROJECT }) : [inStream];
};
