import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import * as errors from './errors.js';

/** Full names in responses: with a leading slash for topics and subscriptions, without one for schemas (messaging contract 0.5). */
export const topicName = (project: ProjectReference, topic: string): string => `/projects/${project.name}/topics/${topic}`;
/** The form of bodies: without the slash. */
export const topicReference = (project: ProjectReference, topic: string): string => `projects/${project.name}/topics/${topic}`;
export const subscriptionName = (project: ProjectReference, name: string): string => `/projects/${project.name}/subscriptions/${name}`;
export const schemaName = (project: ProjectReference, schema: string): string => `projects/${project.name}/schemas/${schema}`;

/** The four parts of `projects/<project>/<kind>/<name>`; `undefined` if there are more or fewer. */
const partsOf = (reference: string) => {
  const [projects, inProject, kind, name, ...rest] = reference.split('/');
  return name !== undefined && rest.length === 0 ? { projects, inProject, kind, name } : undefined;
};

/**
 * Topic that a new subscription refers to: one of the project of the path, whatever project is named. As in the original, one of the words
 * `projects` and `topics` may differ. @throws MessagingError B03
 */
export const referencedTopic = (reference: string): string => {
  const parts = partsOf(reference);
  if (!parts || (parts.projects !== 'projects' && parts.kind !== 'topics')) throw errors.invalidTopicReference();
  return parts.name;
};

/** Dead letter topic, which AMS does not have: one of the same project; `topic` is tolerated for `topics`. @throws MessagingError B03 */
export const deadLetterTopicIn = (reference: string, project: ProjectReference): string => {
  const { projects, inProject, kind = '', name } = partsOf(reference) ?? {};
  const fits = projects === 'projects' && inProject === project.name && ['topics', 'topic'].includes(kind);
  if (!fits || !name) throw errors.invalidTopicReference();
  return name;
};

/** Schema that a body refers to: one of the project of the path, whatever project is named. @throws MessagingError B21 */
export const referencedSchema = (reference: string): string => {
  const parts = partsOf(reference);
  if (parts?.projects !== 'projects' || parts.kind !== 'schemas') throw errors.wrongSchemaName();
  return parts.name;
};
