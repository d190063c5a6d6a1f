import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import * as errors from './errors.js';

/** Full names as responses show them: with a leading slash for topics and subscriptions, without one for schemas (messaging contract 0.5). */
export const topicName = (project: ProjectReference, topic: string): string => `/projects/${project.name}/topics/${topic}`;
/** The same as bodies refer to it: without the slash. */
export const topicReference = (project: ProjectReference, topic: string): string => `projects/${project.name}/topics/${topic}`;
export const subscriptionName = (project: ProjectReference, name: string): string => `/projects/${project.name}/subscriptions/${name}`;
export const schemaName = (project: ProjectReference, schema: string): string => `projects/${project.name}/schemas/${schema}`;

/** The last part of `projects/<project>/<kind>/<name>`; `undefined` if the reference has another form or names another project. */
const nameIn = (reference: string, project: ProjectReference, kinds: readonly string[]): string | undefined => {
  const [projects, inProject, kind, name, ...rest] = reference.split('/');
  const fits = projects === 'projects' && inProject === project.name && kinds.includes(kind ?? '') && rest.length === 0;
  return fits && name ? name : undefined;
};

/** The name of the topic that a body refers to; `topic` is tolerated for `topics`. @throws MessagingError B03 */
export const referencedTopic = (reference: string, project: ProjectReference): string => {
  const name = nameIn(reference, project, ['topics', 'topic']);
  if (name === undefined) throw errors.invalidTopicReference();
  return name;
};

/** The name of the schema that a body refers to. @throws MessagingError B21 */
export const referencedSchema = (reference: string, project: ProjectReference): string => {
  const name = nameIn(reference, project, ['schemas']);
  if (name === undefined) throw errors.wrongSchemaName();
  return name;
};
