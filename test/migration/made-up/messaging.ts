import { join } from 'node:path';
import { dateOf, exportFile, ObjectIds } from './export-file.js';
import type { Random } from './random.js';
import { type Size, usersOf } from './size.js';

const USERS_PER_PROJECT = 100;

type Project = ReturnType<typeof projectOf>;
type User = ReturnType<typeof userOf>;

const projectOf = (ids: ObjectIds, random: Random, index: number) => ({
  _id: ids.make(),
  uuid: random.uuid(),
  name: `PROJECT_${index}`,
  created_on: dateOf(index % 1_000),
  modified_on: dateOf(index % 1_000),
  created_by: '',
  description: 'made up',
});

const userOf = (ids: ObjectIds, random: Random, { project, index }: Readonly<{ project: Project | undefined; index: number }>) => {
  const roles = [index % 10 === 0 ? 'project_admin' : index % 2 === 0 ? 'publisher' : 'consumer'];
  return {
    _id: ids.make(),
    uuid: random.uuid(),
    projects: project ? [{ project_uuid: project.uuid, roles }] : null,
    name: `user_${index}`,
    token: random.hex(64),
    email: `user_${index}@example.org`,
    service_roles: null,
    created_on: dateOf(index % 1_000, 250),
    modified_on: dateOf(index % 1_000, 250),
    created_by: '',
  };
};

const topicOf = (
  ids: ObjectIds,
  { uuid }: Project,
  { name, acl, day }: Readonly<{ name: string; acl: readonly string[]; day: number }>,
) => ({
  _id: ids.make(),
  project_uuid: uuid,
  name,
  msg_num: 1_200,
  total_bytes: 98_000,
  latest_publish: dateOf(day, 123),
  publish_rate: 0.4,
  schema_uuid: '',
  created_on: dateOf(0),
  acl,
});

const subscriptionOf = (ids: ObjectIds, { uuid }: Project, { acl, day }: Readonly<{ acl: readonly string[]; day: number }>) => ({
  _id: ids.make(),
  project_uuid: uuid,
  name: 'reader',
  topic: 'readings',
  offset: 1_200,
  next_offset: 0,
  pending_ack: '',
  push_type: '',
  push_endpoint: '',
  max_messages: 0,
  authorization_type: '',
  authorization_header: '',
  ack: 10,
  retry_policy: '',
  retry_period: 0,
  msg_num: 1_190,
  total_bytes: 97_000,
  verification_hash: '',
  verified: false,
  base_64_decode: false,
  latest_consume: dateOf(day),
  consume_rate: 0.2,
  created_on: dateOf(0),
  acl,
});

/** Some users of a project, every second one from the first or the second on. */
const aclOf = (users: readonly User[], project: number, first: 0 | 1): readonly string[] =>
  users
    .slice(project * USERS_PER_PROJECT, (project + 1) * USERS_PER_PROJECT)
    .flatMap(({ uuid }, index) => (index % 2 === first ? [uuid] : []))
    .slice(0, 5);

/** A made-up export of the messaging service. @returns documents by collection */
export const makeMessaging = async (root: string, size: Size, random: Random): Promise<Readonly<Record<string, number>>> => {
  const directory = join(root, 'messaging', 'argo_msg');
  const ids = new ObjectIds(1);
  const count = usersOf(size).messaging;
  const day = size.days;
  const projects = Array.from({ length: Math.max(1, Math.ceil(count / USERS_PER_PROJECT)) }, (_, index) => projectOf(ids, random, index));
  const users = Array.from({ length: count }, (_, index) =>
    userOf(ids, random, { project: projects[Math.floor(index / USERS_PER_PROJECT)], index }),
  );
  const topics = projects.flatMap((project, index) =>
    ['readings', 'alarms'].map((name) => topicOf(ids, project, { name, acl: aclOf(users, index, 0), day })),
  );
  const subscriptions = projects.map((project, index) => subscriptionOf(ids, project, { acl: aclOf(users, index, 1), day }));
  return {
    projects: await exportFile(directory, 'projects', projects),
    users: await exportFile(directory, 'users', users),
    topics: await exportFile(directory, 'topics', topics),
    subscriptions: await exportFile(directory, 'subscriptions', subscriptions),
  };
};
