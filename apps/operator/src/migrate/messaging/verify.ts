import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries, SchemaQueries, schemaIn } from '#projections/messaging/resources/queries.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import { dateIn, integerIn, nameIn, textIn, textsIn } from '../read/fields.js';
import type { MigrationVerification } from '../verification.js';
import { createdAt, personalIn, tokenHashIn } from './accounts.js';
import { type Directory, resourceId, topicKey, uuidIn } from './directory.js';
import { schemaContentIn } from './resources.js';
import type { MessagingOptions } from './subscriptions.js';

type Verifying = MigrationVerification<MessagingOptions>;

const verifyAccounts = async (verification: Verifying, directory: Directory): Promise<void> => {
  const queries = new AccountQueries(verification.readStore);
  const { migration } = verification;
  await verification.compareMembers(
    migration.file('projects'),
    ({ fields }) => ({
      name: nameIn(fields, 'name'),
      description: textIn(fields, 'description'),
      createdOn: wireInstant(createdAt(fields)),
      modifiedOn: wireInstant(dateIn(fields, 'modified_on') ?? createdAt(fields)),
    }),
    ({ fields }) => queries.project(uuidIn(fields)),
  );
  await verification.compareMembers(
    migration.file('users'),
    ({ fields, place }) => ({
      ...personalIn(fields),
      name: nameIn(fields, 'name'),
      createdOn: wireInstant(createdAt(fields)),
      // Roles and token of a changed user are in the report.
      ...(!migration.report.isChanged(place) && {
        holder: uuidIn(fields),
        serviceRoles: textsIn(fields, 'service_roles'),
        component: textIn(fields, 'component'),
        componentProject: textIn(fields, 'component_project'),
        projects: new Set((fields.projects as { project_uuid: string }[] | null | undefined)?.map(({ project_uuid }) => project_uuid)),
      }),
    }),
    async ({ fields }) => {
      const user = await queries.user(uuidIn(fields));
      if (!user) return undefined;
      const { component = '', componentProject = '', memberships } = user;
      const holder = (await queries.tokenHolder(tokenHashIn(migration, fields) ?? ''))?.userId;
      return { ...user, holder, component, componentProject, projects: new Set(memberships.map(({ projectId }) => projectId)) };
    },
  );
  await verification.compareMembers(
    migration.file('user_registrations'),
    ({ fields }) => ({ ...personalIn(fields), name: nameIn(fields, 'name'), status: nameIn(fields, 'status') }),
    ({ fields }) => queries.registration(uuidIn(fields)),
  );
  const there = await queries.users([...directory.users]);
  verification.counted('users', verification.taken('users'), there.filter((user) => user !== undefined).length);
};

const verifyResources = async (verification: Verifying, { topics, users }: Directory): Promise<void> => {
  const { migration, readStore } = verification;
  const [resources, traffic, offsets] = [new ResourceQueries(readStore), new TrafficQueries(readStore), new OffsetQueries(readStore)];
  const schemas = new SchemaQueries(readStore);
  const projectOf = ({ fields }: { fields: Readonly<Record<string, unknown>> }): string => nameIn(fields, 'project_uuid');
  await verification.compareMembers(
    migration.file('schemas'),
    ({ fields }) => schemaContentIn(fields),
    async (document) => {
      const stored = await schemas.stored(projectOf(document), nameIn(document.fields, 'name'));
      return (stored && schemaIn(stored)) ?? undefined;
    },
  );
  await verification.compare(migration.file('topics'), {
    expected: (document) => {
      const { next, bytes, lastPublish } = topics.get(topicKey(projectOf(document), nameIn(document.fields, 'name'))) ?? {};
      const acl = textsIn(document.fields, 'acl').filter((user) => users.has(user));
      return { createdOn: wireInstant(createdAt(document.fields)), next, bytes, lastPublish, acl: [...new Set(acl)] };
    },
    found: async (document) => {
      const projectId = projectOf(document);
      const topic = await resources.topic(projectId, nameIn(document.fields, 'name'));
      if (!topic) return undefined;
      const { topicId, createdOn } = topic;
      const { bytes, lastPublish } = (await traffic.ofTopic(topicId)) ?? {};
      return { createdOn, next: await offsets.nextOffset(topicId), bytes, lastPublish, acl: await resources.acl(projectId, topicId) };
    },
  });
  await verification.compareMembers(
    migration.file('subscriptions'),
    ({ fields }) => ({
      topic: nameIn(fields, 'topic'),
      createdOn: wireInstant(createdAt(fields)),
      ackDeadlineSeconds: integerIn(fields, 'ack', 10),
      messages: integerIn(fields, 'msg_num', 0),
      bytes: integerIn(fields, 'total_bytes', 0),
    }),
    async (document) => {
      const [projectId, name] = [projectOf(document), nameIn(document.fields, 'name')];
      const subscription = await resources.subscription(projectId, name);
      const cursor = await traffic.ofSubscription({ projectId, subscriptionId: resourceId('subscription', projectId, name) });
      return subscription && cursor && { ...subscription, messages: cursor.messages, bytes: cursor.bytes };
    },
  );
};

/** Compares the answers of the service's queries with the files. */
export const verifyMessaging = async (verification: Verifying, directory: Directory): Promise<void> => {
  await verifyAccounts(verification, directory);
  await verifyResources(verification, directory);
};
